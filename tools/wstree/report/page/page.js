// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page: the verdict, the table, and each loop with its pictures.

const data = JSON.parse(document.getElementById("data").textContent);
const section = (id) => document.getElementById(id);
const change = (loop) => (loop.earlier ? loop.seconds - loop.earlier.seconds_of_as_many_calls : null);
const changeText = (loop) =>
  loop.earlier?.seconds_of_as_many_calls > 0
    ? `${change(loop) < 0 ? "▼" : "▲"} ${percent(Math.abs(change(loop)) / loop.earlier.seconds_of_as_many_calls)}`
    : loop.earlier
      ? ""
      : "new";
const perBatch = (n) => (n >= 100 ? count(Math.round(n)) : n.toPrecision(3));

/// Columns of counts that most runs do not have.
const counters = [
  ["instructions per cycle", "instructions_per_cycle", (n) => n.toFixed(2)],
  ["misses per 1,000 instructions", "misses_per_1000_instructions", (n) => n.toFixed(2)],
  ["page faults", "page_faults", count],
  ["context switches", "context_switches", count]
]
  .filter(([, key]) => data.loops.some((l) => key in l))
  .map(([title, key, text]) => [title, (l) => l[key] ?? -1, (l) => (key in l ? text(l[key]) : ""), "rare less"]);

/// Columns: heading, sort key, text, and how early they make room on a narrow screen (less, rare, phone).
const columns = [
  ["loop", (l) => l.name, (l) => l.name, ""],
  ["schedule", (l) => l.schedule, (l) => l.schedule, "rare text"],
  ["time", (l) => l.seconds ?? -1, (l) => time(l.seconds), ""],
  [
    "even saves",
    (l) => (l.too_short ? -1 : (l.even_saves ?? -2)),
    (l) => (l.too_short ? "too short to tell" : time(l.even_saves)),
    ""
  ],
  [
    "imbalance",
    (l) => (l.too_short ? 0 : l.imbalance),
    (l) => (l.too_short || l.imbalance === null ? "" : l.imbalance.toFixed(2)),
    data.against ? "phone" : ""
  ],
  [
    "before",
    (l) => l.earlier?.seconds_of_as_many_calls ?? -1,
    (l) => time(l.earlier?.seconds_of_as_many_calls),
    "rare"
  ],
  ["change", (l) => change(l) ?? 0, changeText, ""],
  ["idle", (l) => l.idle ?? -1, (l) => (l.idle === null ? "" : percent(l.idle)), "rare"],
  ["late", (l) => l.late ?? -1, (l) => time(l.late), "rare"],
  ["no processor", (l) => l.preempted ?? -1, (l) => time(l.preempted), "rare"],
  ["calls", (l) => l.calls, (l) => count(l.calls), "rare"],
  ["steals", (l) => l.steals ?? -1, (l) => count(l.steals), "rare"],
  ["iterations", (l) => l.iterations, (l) => count(l.iterations) + (l.counts_pieces ? " pieces" : ""), "rare less"],
  [
    "iterations per batch",
    (l) => (l.batches ? l.iterations / l.batches : 0),
    (l) => (l.batches ? perBatch(l.iterations / l.batches) : ""),
    "rare less"
  ],
  ...counters,
  ["processes", (l) => l.processes, (l) => count(l.processes), "rare less"]
].filter(
  ([title]) =>
    (title !== "processes" || data.processes > 1) && (data.against || (title !== "before" && title !== "change"))
);
const isUneven = (loop) => !loop.too_short && loop.imbalance >= 1.1;
const cellClass = (loop, title) =>
  title === "imbalance" && isUneven(loop)
    ? "uneven"
    : title === "change" && change(loop) !== null
      ? change(loop) < 0
        ? "faster"
        : "slower"
      : "";

let order = { column: 3, down: true };
const head = document.querySelector("#loops thead"),
  body = document.querySelector("#loops tbody");
const headings = columns.map(([title, , , rarity], i) => {
  const button = make("button", { type: "button" }, title);
  button.addEventListener("click", () => {
    order = { column: i, down: order.column === i ? !order.down : i > 1 };
    arrange();
  });
  return make("th", { scope: "col", class: rarity }, button);
});
head.append(make("tr", {}, ...headings));
const rows = data.loops.map((loop, i) =>
  make(
    "tr",
    {},
    ...columns.map(([title, , text, rarity]) => {
      const own = `${rarity} ${cellClass(loop, title)}`.trim(),
        attributes = own ? { class: own } : {};
      if (title !== "loop") return make("td", attributes, text(loop));
      return make(
        "th",
        { scope: "row" },
        make("a", { href: "#loop" + i }, text(loop)),
        ...(loop.source ? [make("br"), make("code", { class: "dim" }, loop.source)] : [])
      );
    })
  )
);
/// Puts the rows that are wanted in order.
function arrange() {
  const wanted = section("filter").value.toLowerCase(),
    key = columns[order.column][1];
  const chosen = data.loops
    .map((loop, i) => [key(loop), i])
    .filter(([, i]) => data.loops[i].name.toLowerCase().includes(wanted));
  chosen.sort(([a, i], [b, k]) => (a < b ? -1 : a > b ? 1 : 0) * (order.down ? -1 : 1) || i - k);
  headings.forEach((th, i) => {
    if (i === order.column) th.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  });
  body.replaceChildren(...chosen.map(([, i]) => rows[i]));
  section("shown").textContent = wanted ? `${count(chosen.length)} of ${count(rows.length)} loops` : "";
}

/// A line of a shell or of a file of rules, with a button that copies it where the browser lets pages do that.
function toCopy(text) {
  const code = make("code", {}, text);
  if (!navigator.clipboard) return [code];
  const button = make("button", { type: "button", class: "copy noprint" }, "copy");
  button.addEventListener("click", () =>
    navigator.clipboard.writeText(text).then(() => (section("said").textContent = "copied: " + text))
  );
  return [code, " ", button];
}

/// A list of names and values: [name, [nodes or texts]] of each.
const facts = (kind, rows) =>
  make(
    "dl",
    { class: kind },
    ...rows.map(([name, values]) => make("div", {}, make("dt", {}, name), make("dd", {}, ...values)))
  );

/// The command line, host, date and schedules of the run.
function origin() {
  const when = (seconds) => new Date(seconds * 1000).toLocaleString("sv").slice(0, 16);
  const schedules = [...new Set(data.loops.map((loop) => loop.schedule))].filter(Boolean);
  return [
    ["command", data.command && toCopy(data.command)],
    ["host", data.host && [data.host]],
    ["ended", data.ended && [when(data.ended)]],
    ["threads", data.threads && [count(data.threads)]],
    ["schedule", schedules.length && [schedules.slice(0, 4).join(", ") + (schedules.length > 4 ? " …" : "")]],
    ["wall time", data.wall && [time(data.wall.seconds)]],
    [
      "if loops took no time",
      data.wall &&
        data.loops.length > 0 && [
          `${data.wall.most_to_gain < 10 ? data.wall.most_to_gain.toFixed(1) : "more than 10"} times as fast`
        ]
    ],
    ["next", data.command && data.loops.length > 0 && toCopy("wstree compare --loops -- " + data.command)]
  ].filter(([, values]) => values);
}

/// Lines of the source around a loop, with their numbers.
const sourceOf = (loop) =>
  make(
    "pre",
    { class: "source", tabindex: "0", "aria-label": `Source around line ${loop.source_lines.loop}` },
    ...loop.source_lines.lines.map((line, i) => {
      const number = loop.source_lines.first + i;
      return make(number === loop.source_lines.loop ? "b" : "span", {}, `${number}  ${line}\n`);
    })
  );

/// The parts of the wall time, as a bar: in loops, in regions not served, between regions, elsewhere.
function wallBar({ seconds, loops_seconds, unserved_seconds, between_regions_seconds }) {
  const parts = [
    ["in loops", loops_seconds, "b"],
    ...(unserved_seconds > 0 ? [["in regions not served", unserved_seconds, "p"]] : []),
    ["between regions, on one thread", between_regions_seconds, "s"],
    ["elsewhere", seconds - loops_seconds - unserved_seconds - between_regions_seconds, "w"]
  ];
  const words = parts.map(([word, part]) => `${word} ${percent(part / seconds)}`).join(", ");
  const bar = draw("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", class: "wall", role: "img" });
  bar.setAttribute("aria-label", `Wall time: ${words}`);
  let left = 0;
  for (const [, part, kind] of parts) {
    const width = (100 * part) / seconds;
    bar.append(draw("rect", { x: left, y: 0, width, height: 4, class: kind }));
    left += width;
  }
  const key = parts.map(([word, part, kind]) =>
    make(
      "span",
      {},
      draw(
        "svg",
        { viewBox: "0 0 14 12", "aria-hidden": "true" },
        draw("rect", { width: 14, height: 12, class: kind })
      ),
      `${word}: ${time(part)}, ${percent(part / seconds)}`
    )
  );
  return [bar, make("p", { class: "key" }, ...key)];
}

/// Advice about a loop: a sentence, and each way there is.
function adviceOf(loop) {
  const ways = [
    ["set", "set"],
    ["rule", "rule"],
    ["source", "in the source"],
    ["command", "run"]
  ].filter(([key]) => loop.advice[key]);
  return [
    make("p", {}, loop.advice.reason),
    ...(ways.length
      ? [
          make(
            "dl",
            { class: "way" },
            ...ways.flatMap(([key, word]) => [
              make("dt", {}, word),
              make(
                "dd",
                {},
                ...(key === "source"
                  ? [loop.advice[key]]
                  : key === "set"
                    ? [make("code", {}, loop.advice[key])]
                    : toCopy(loop.advice[key]))
              )
            ])
          )
        ]
      : [])
  ];
}
const asks = (loop) =>
  loop.seconds !== null && ["set", "rule", "source", "command"].some((way) => loop.advice[way]);

function describe(loop, box) {
  if (loop.source_lines) box.append(sourceOf(loop));
  box.append(make("div", { class: "advice" }, ...adviceOf(loop)));
  const figures = columns
    .slice(1)
    .map(([title, , text]) => [title, [text(loop)]])
    .filter(([, [text]]) => text);
  box.append(facts("figures", figures));
  if (loop.timeline) box.append(timeline(loop.timeline));
  const parts = [
    loop.threads && threads(loop.threads),
    loop.costs && costs(loop.costs),
    loop.imbalances && history(loop.imbalances),
    loop.sizes && sizes(loop.sizes),
    loop.stolen && matrix(loop.stolen, loop.stolen_size, loop.timeline?.members, "member", loop.steals),
    loop.by_rank && byRank("Time by rank", data.ranks, loop.by_rank)
  ].filter(Boolean);
  if (parts.length) box.append(make("div", { class: "pair" }, ...parts));
}

const boxes = data.loops.map((loop, i) => {
  const box = make(
    "details",
    { id: "loop" + i },
    make(
      "summary",
      {},
      loop.name,
      make(
        "span",
        { class: "dim" },
        [time(loop.seconds ?? loop.work_seconds), isUneven(loop) ? "imbalance " + loop.imbalance.toFixed(2) : ""]
          .filter(Boolean)
          .join(" · ")
      )
    )
  );
  const open = () => {
    if (box.open && !box.dataset.done) {
      box.dataset.done = 1;
      describe(loop, box);
    }
  };
  box.addEventListener("toggle", open);
  return [box, open, loop.pictures];
});
section("details").append(...boxes.map(([box]) => box));
boxes
  .filter(([, , pictures]) => pictures)
  .slice(0, 3)
  .forEach(([box, open]) => {
    box.open = true;
    open();
  });
if (!data.loops.some((loop) => loop.pictures))
  section("details").append(
    make("p", { class: "dim" }, "Pictures need a record (WSTREE_RECORD) or a trace (WSTREE_TRACE) of the run.")
  );

section("programs").textContent =
  data.programs.slice(0, 4).join(", ") +
  (data.programs.length > 4 ? ` and ${data.programs.length - 4} more` : "") +
  ` · ${data.processes} ${data.processes === 1 ? "process" : "processes"}`;
section("programs").after(facts("figures", origin()));
if (data.wall) section("verdict").append(...wallBar(data.wall));
section("verdict").append(...data.verdict.map((line) => make("p", {}, line)));
const first = data.loops
  .map((loop, i) => [loop, i])
  .filter(([loop]) => asks(loop))
  .slice(0, 5);
if (first.length) {
  section("todo").hidden = false;
  section("todo").lastElementChild.append(
    ...first.map(([loop, i]) => make("li", {}, make("a", { href: "#loop" + i }, loop.name), ...adviceOf(loop)))
  );
}
if (data.against) {
  section("changes").hidden = false;
  const gone = data.against.gone.length ? `; not here any more: ${data.against.gone.slice(0, 10).join(", ")}` : "";
  section("changes").append(
    make(
      "p",
      { class: "dim" },
      `Earlier run: ${data.against.programs.slice(0, 3).join(", ") || "unknown"}${gone}. Before: what as many calls took.`
    ),
    changes(data.loops) ?? make("p", {}, "No loop has changed.")
  );
}
if (data.ranks) {
  section("ranks").hidden = false;
  const most = Math.max(...data.ranks.map((rank) => rank.seconds));
  const cells = (rank) => [
    rank.program,
    time(rank.seconds),
    most > 0 ? percent(rank.seconds / most) : "",
    count(rank.threads),
    count(rank.iterations)
  ];
  section("ranks").append(
    byRank(
      "Time in served loops by rank",
      data.ranks,
      data.ranks.map((rank) => rank.seconds)
    ),
    make(
      "details",
      {},
      make("summary", {}, "The same as a table"),
      make(
        "div",
        { class: "wide", tabindex: "0", role: "group", "aria-label": "Ranks" },
        make(
          "table",
          {},
          make(
            "thead",
            {},
            make(
              "tr",
              {},
              ...["rank", "program", "time", "of the slowest", "threads", "iterations"].map((word) =>
                make("th", { scope: "col" }, word)
              )
            )
          ),
          make(
            "tbody",
            {},
            ...data.ranks.map((rank) =>
              make(
                "tr",
                {},
                make("th", { scope: "row" }, rank.rank),
                ...cells(rank).map((text) => make("td", {}, text))
              )
            )
          )
        )
      )
    )
  );
}
if (data.rank_loops) {
  section("shared").hidden = false;
  section("shared").append(...data.rank_loops.flatMap(sharedLoop));
}
section("filter").addEventListener("input", arrange);
const reveal = () => {
  const box = location.hash && section(location.hash.slice(1));
  if (box && box.tagName === "DETAILS") box.open = true;
};
addEventListener("hashchange", reveal);
addEventListener("beforeprint", () => {
  boxes
    .filter(([, , pictures]) => pictures)
    .slice(0, 20)
    .forEach(([box, open]) => {
      box.open = true;
      open();
    });
  painters.forEach((paint) => paint(true));
});
addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTip();
});
arrange();
reveal();
