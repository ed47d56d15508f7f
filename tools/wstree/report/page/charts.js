// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pictures of one loop, but for its timeline, and those of the whole run.

/// States of a thread: the letter in timelines, a word, and how high it is drawn, so that colours are not all.
const STATES = {
  l: ["came late", 0.3],
  b: ["busy", 1],
  p: ["waited for a processor", 0.8],
  s: ["searched", 0.62],
  w: ["waited at the end", 0.3]
};
function legend(letters) {
  return make(
    "p",
    { class: "key" },
    ...letters.map((letter) => {
      const [word, high] = STATES[letter];
      return make(
        "span",
        {},
        draw(
          "svg",
          { viewBox: "0 0 14 12", "aria-hidden": "true" },
          draw("rect", { x: 0, y: 6 - 6 * high, width: 14, height: 12 * high, class: letter })
        ),
        word
      );
    })
  );
}

function costs(points) {
  const end = points[points.length - 1][1],
    most = Math.max(...points.map((p) => p[2]));
  const mean = points.reduce((sum, [from, to, value]) => sum + (to - from) * value, 0) / (end || 1);
  return picture(
    "Cost of an iteration over the iteration space",
    `mean ${time(mean)}, at most ${time(most)}`,
    `mean ${time(mean)}, at most ${time(most)}`,
    (width) => {
      const plot = paper(
        width,
        240,
        numberAxis("iteration", 0, end),
        timeAxis("cost of one iteration", 0, most * 1.05 || 1)
      );
      let path = "";
      for (const [from, to, value] of points)
        path += `${path ? "L" : "M"}${plot.x(from).toFixed(1)} ${plot.y(value).toFixed(1)}H${plot.x(to).toFixed(1)}`;
      plot.svg.append(
        draw("path", { class: "area", d: `${path}V${plot.bottom}H${plot.left}z` }),
        draw("path", { class: "curve", d: path })
      );
      return {
        plot,
        marks: points.map(([from, to, value]) => ({
          x: plot.x((from + to) / 2),
          y: plot.y(value),
          text:
            `iterations ${count(Math.round(from))} to ${count(Math.round(to) - 1)}\n${time(value)} each` +
            (mean ? `, ${(value / mean).toFixed(2)} times the mean` : "")
        }))
      };
    }
  );
}

function history(values) {
  const most = Math.max(1.2, ...values),
    worst = values.indexOf(Math.max(...values));
  return picture(
    "Imbalance, execution by execution",
    "1 is even",
    `${values.length} executions, at worst ${values[worst].toFixed(2)} in number ${worst + 1}`,
    (width) => {
      const plot = paper(width, 220, numberAxis("execution", 1, Math.max(values.length, 2)), {
        label: "busiest thread / mean one",
        low: 1,
        high: most,
        text: (v) => String(+v.toPrecision(4))
      });
      plot.svg.append(
        draw("path", { class: "even", d: `M${plot.left} ${plot.y(1)}H${plot.right}` }),
        draw("polyline", {
          class: "curve",
          points: values.map((v, i) => `${plot.x(i + 1).toFixed(1)},${plot.y(v).toFixed(1)}`).join(" ")
        })
      );
      if (values.length <= 80)
        values.forEach((v, i) =>
          plot.svg.append(draw("circle", { class: "b", cx: plot.x(i + 1), cy: plot.y(v), r: 2.5 }))
        );
      return {
        plot,
        marks: values.map((v, i) => ({
          x: plot.x(i + 1),
          y: plot.y(v),
          text: `execution ${i + 1}\nimbalance ${v.toFixed(2)}`
        }))
      };
    }
  );
}

/// The parts of each thread's time: [member, late, busy, preempted, searching, waiting] of each.
const TIMES = ["l", "b", "p", "s", "w"];
function threads(rows) {
  const sum = (row) => row.slice(1).reduce((a, b) => a + b, 0),
    most = Math.max(...rows.map(sum));
  const busiest = rows.reduce((a, b) => (a[2] >= b[2] ? a : b)),
    mean = rows.reduce((all, row) => all + row[2], 0) / rows.length;
  const words = (row) =>
    `member ${row[0]}\n` + TIMES.map((letter, i) => `${STATES[letter][0]}: ${time(row[i + 1])}`).join("\n");
  const figure = picture(
    "Where the time of each thread went",
    "all executions that were traced; dashed: the mean one's work",
    `member ${busiest[0]} is the busiest: ${time(busiest[2])}, the mean one ${time(mean)}`,
    (width) => {
      const plot = paper(
        width,
        260,
        { label: "member", names: rows.map((row) => row[0]) },
        timeAxis("time", 0, most * 1.02 || 1)
      );
      const paths = {},
        bar = Math.max(plot.step - (plot.step > 4 ? 2 : 0), 0.8);
      rows.forEach((row, i) => {
        let below = 0;
        TIMES.forEach((letter, k) => {
          const low = plot.y(below);
          const high = plot.y((below += row[k + 1]));
          if (low - high > 0.05)
            paths[letter] = (paths[letter] ?? "") + oblong(plot.x(i) - bar / 2, high, bar, low - high);
        });
      });
      for (const letter of TIMES) if (paths[letter]) plot.svg.append(draw("path", { class: letter, d: paths[letter] }));
      plot.svg.append(draw("path", { class: "even", d: `M${plot.left} ${plot.y(mean)}H${plot.right}` }));
      return {
        plot,
        marks: rows.map((row, i) => ({
          x: plot.x(i) - plot.step / 2,
          y: plot.y(sum(row)),
          w: plot.step,
          h: plot.bottom - plot.y(sum(row)),
          text: words(row)
        }))
      };
    }
  );
  figure.append(legend(TIMES.filter((_, i) => rows.some((row) => row[i + 1] > 0))));
  const head = make(
    "tr",
    {},
    ...["member", ...TIMES.map((letter) => STATES[letter][0])].map((word) => make("th", { scope: "col" }, word))
  );
  figure.append(
    make(
      "details",
      {},
      make("summary", {}, "The same as a table"),
      make(
        "div",
        { class: "wide", tabindex: "0", role: "group", "aria-label": "Threads" },
        make(
          "table",
          {},
          make("thead", {}, head),
          make(
            "tbody",
            {},
            ...rows.map((row) =>
              make(
                "tr",
                {},
                make("th", { scope: "row" }, String(row[0])),
                ...row.slice(1).map((v) => make("td", {}, time(v)))
              )
            )
          )
        )
      )
    )
  );
  return figure;
}

function matrix(cells, size, members, one = "member", steals = 0) {
  const most = Math.max(...cells.map((c) => c[2])),
    together = Math.ceil((members || size) / size),
    all = cells.reduce((sum, c) => sum + c[2], 0);
  const who = (i) => (together === 1 ? `${one} ${i}` : `${one}s ${i * together} to ${(i + 1) * together - 1}`);
  const names = Array.from({ length: size }, (_, i) => i * together);
  return picture(
    "Steals by victim and thief",
    `${count(all)}${steals > all ? ` of ${count(steals)}: those whose victim is known` : " in all"}; full colour: ${count(most)}`,
    `${count(all)} steals`,
    (width) => {
      const side = Math.min(width, 400),
        plot = paper(side, side, { label: "victim", names }, { label: "thief", names });
      const marks = cells.map(([victim, thief, n]) => {
        const mark = {
          x: plot.x(victim) - plot.step / 2,
          y: plot.y(thief) - plot.row / 2,
          w: plot.step,
          h: plot.row,
          text: `${who(thief)} stole ${count(n)} times\nfrom ${who(victim)}`
        };
        plot.svg.append(
          draw("rect", {
            class: "b",
            x: mark.x,
            y: mark.y,
            width: mark.w,
            height: mark.h,
            opacity: (0.12 + (0.88 * n) / most).toFixed(2)
          })
        );
        return mark;
      });
      plot.svg.style.maxWidth = side + "px";
      return { plot, marks };
    }
  );
}

/// Vertical bars: [name, value, text] of each.
function bars(title, note, x, y, rows) {
  const most = Math.max(...rows.map((row) => row[1]));
  return picture(
    title,
    note,
    `${rows.length} bars, the highest is ${rows.find((row) => row[1] === most)[2].replace("\n", ": ")}`,
    (width) => {
      const plot = paper(width, 220, { label: x, names: rows.map((row) => row[0]) }, y(most * 1.05 || 1));
      const bar = Math.min(Math.max(plot.step - 3, 1), 60);
      const marks = rows.map(([, value, text], i) => ({
        x: plot.x(i) - bar / 2,
        y: plot.y(value),
        w: bar,
        h: plot.bottom - plot.y(value),
        text
      }));
      for (const { x: left, y: top, w, h } of marks)
        plot.svg.append(draw("rect", { class: "b", x: left, y: top, width: w, height: h }));
      return { plot, marks };
    }
  );
}
const sizes = (values) =>
  bars(
    "Batches by their iterations",
    null,
    "iterations from",
    (most) => numberAxis("batches", 0, most),
    values.map((n, i) => [
      short(2 ** i),
      n,
      `batches of ${count(2 ** i)}${i ? ` to ${count(2 ** (i + 1) - 1)}` : ""} iterations\n${count(n)}`
    ])
  );
const byRank = (title, ranks, values) =>
  bars(
    title,
    null,
    "rank",
    (most) => timeAxis("time", 0, most),
    values.map((value, i) => [ranks[i].rank, value, `rank ${ranks[i].rank}\n${time(value)}`])
  );

/// The largest changes against the earlier run: to the left faster, to the right slower.
function changes(loops) {
  const rows = loops
    .filter((loop) => loop.earlier)
    .map((loop) => [loop.name, loop.seconds - loop.earlier.seconds_of_as_many_calls, loop])
    .filter((row) => row[1] !== 0)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
    .slice(0, 15);
  if (!rows.length) return null;
  const most = Math.max(...rows.map((row) => Math.abs(row[1])));
  return picture(
    "Time against the earlier run",
    "to the left faster, to the right slower",
    `${rows.length} loops that changed most`,
    (width) => {
      const room = Math.max(8, Math.floor((width * 0.35) / 7)),
        names = rows.map(([name]) => (name.length > room ? name.slice(0, room - 1) + "…" : name));
      const plot = paper(
        width,
        62 + 24 * rows.length,
        { ...timeAxis("change", -most, most), low: -most * 1.15, high: most * 1.15 },
        { names }
      );
      const marks = rows.map(([name, change, loop], i) => {
        const from = plot.x(Math.min(0, change)),
          to = plot.x(Math.max(0, change)),
          before = loop.earlier.seconds_of_as_many_calls;
        plot.svg.append(
          draw("rect", {
            class: change < 0 ? "faster-bar" : "slower-bar",
            x: from,
            y: plot.y(i) - 8,
            width: Math.max(to - from, 1),
            height: 16
          })
        );
        return {
          x: from,
          y: plot.y(i) - 8,
          w: Math.max(to - from, 1),
          h: 16,
          text:
            `${name}\n${time(before)} before, ${time(loop.seconds)} now: ` +
            `${time(Math.abs(change))} ${change < 0 ? "faster" : "slower"}`
        };
      });
      plot.svg.append(draw("path", { class: "axis", d: `M${plot.x(0)} ${plot.top}V${plot.bottom}` }));
      return { plot, marks };
    }
  );
}
