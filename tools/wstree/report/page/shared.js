// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that ranks share: the work of each rank, and the steals between ranks.

/// [victim, thief, steals] of at most 64 by 64 groups of ranks.
function rankMatrix(loop) {
  if (!loop.stolen.length) return null;
  const most = 64,
    ranks = Math.max(...loop.ranks.map(({ rank }) => rank), ...loop.stolen.map((cell) => cell[1])) + 1,
    together = Math.ceil(ranks / most),
    sums = new Map();
  for (const [thief, victim, steals] of loop.stolen) {
    const key = `${Math.floor(victim / together)},${Math.floor(thief / together)}`;
    sums.set(key, (sums.get(key) ?? 0) + steals);
  }
  const cells = [...sums].map(([key, steals]) => [...key.split(",").map(Number), steals]);
  return matrix(cells, Math.max(2, Math.ceil(ranks / together)), ranks, "rank");
}

function sharedLoop(loop) {
  const columns = [
    ["rank", (r) => r.rank],
    ["iterations", (r) => count(r.iterations)],
    ["pieces", (r) => count(r.pieces)],
    ["remote operations", (r) => count(r.remote_operations)],
    ["work", (r) => time(r.work_seconds)],
    ["looking for work", (r) => time(r.looking_seconds)],
    ["in steals", (r) => time(r.steal_seconds)],
    ["on_steal", (r) => time(r.on_steal_seconds)],
    ["stolen", (r) => count(loop.stolen.reduce((sum, cell) => sum + (cell[0] === r.rank ? cell[3] : 0), 0))]
  ];
  return [
    make("h3", {}, loop.name),
    byRank(
      "Work by rank",
      loop.ranks,
      loop.ranks.map((rank) => rank.work_seconds)
    ),
    make(
      "div",
      { class: "wide", tabindex: "0", role: "group", "aria-label": `Ranks of ${loop.name}` },
      make(
        "table",
        {},
        make("thead", {}, make("tr", {}, ...columns.map(([title]) => make("th", { scope: "col" }, title)))),
        make(
          "tbody",
          {},
          ...loop.ranks.map((rank) => make("tr", {}, ...columns.map(([, text]) => make("td", {}, text(rank)))))
        )
      )
    ),
    rankMatrix(loop)
  ].filter(Boolean);
}
