// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a timeline, which pages hold packed, and the number of threads in each state.

const ORDER = ["l", "b", "s", "w"];

/// Rows of marks [begin, end, letter], in pieces of the execution.
function unpacked(rows) {
  return rows.map(([member, runs, preempted]) => {
    const marks = [];
    let at = 0;
    for (const [, letter, length] of runs.matchAll(/([lbsw-])(\d+)/g)) {
      if (letter !== "-") marks.push([at, at + +length, letter]);
      at += +length;
    }
    return { member, marks, preempted };
  });
}
const markAt = (row, piece) => row.marks.find((mark) => mark[0] <= piece && piece < mark[1]);

/// Counts the rows in each state in each of `bins` parts between two pieces.
function shares(rows, from, to, bins) {
  const counts = Object.fromEntries(ORDER.map((letter) => [letter, new Uint16Array(bins)]));
  for (const { marks } of rows) {
    let next = 0;
    for (let bin = 0; bin < bins; ++bin) {
      const piece = from + ((to - from) * (bin + 0.5)) / bins;
      while (next < marks.length && marks[next][1] <= piece) ++next;
      if (next < marks.length && marks[next][0] <= piece) ++counts[marks[next][2]][bin];
    }
  }
  return counts;
}
/// Adds areas on each other that show the shares.
function stack(svg, rows, from, to, left, width, top, height) {
  const bins = Math.max(1, Math.floor(width / 2)),
    counts = shares(rows, from, to, bins),
    unit = height / rows.length,
    below = new Float32Array(bins);
  for (const letter of ["b", "s", "l", "w"]) {
    let path = "";
    for (let bin = 0; bin < bins; ++bin) {
      if (!counts[letter][bin]) continue;
      const high = counts[letter][bin] * unit,
        y = top + height - below[bin] - high;
      path += oblong(left + (width * bin) / bins, y, width / bins + 0.3, high);
      below[bin] += high;
    }
    if (path) svg.append(draw("path", { class: letter, d: path }));
  }
}
