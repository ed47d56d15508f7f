// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A timeline of each thread in one execution: zoomed by a brush, the wheel with Ctrl, keys or buttons; many
// threads fold.

const FOLDED = 16; // threads in a group
const FEW = 32; // most threads that are not folded

function timeline(line) {
  const rows = unpacked(line.rows),
    pieces = line.pieces,
    second = line.seconds / pieces;
  const folds = rows.length > FEW,
    open = new Set(),
    waits = rows.some((one) => one.preempted > 0);
  let from = 0,
    to = pieces,
    row = 0,
    at = 0,
    plot = null,
    entries = [],
    brush = null,
    aim = false;
  const keys = `Arrow keys: thread and time; plus, minus and 0: zoom; Shift and arrows: move${folds ? "; Enter: fold" : ""}`;
  const box = make("div", {
    class: "plot",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "timeline",
    "aria-label": `What each of ${rows.length} threads did in the longest execution, ${time(line.seconds)}. ${keys}`
  });
  const overview = make("div", { class: "plot overview", "aria-hidden": "true" });

  /// Rows as they are shown: a thread each, or a group of them.
  const shown = () => {
    if (!folds) return rows.map((one) => ({ name: `member ${one.member}`, rows: [one], height: 18 }));
    const all = [];
    for (let i = 0; i < rows.length; i += FOLDED) {
      const group = rows.slice(i, i + FOLDED),
        number = i / FOLDED;
      all.push({
        name: `${open.has(number) ? "▾" : "▸"} ${group[0].member}–${group[group.length - 1].member}`,
        rows: group,
        group: number,
        height: 22
      });
      if (open.has(number)) for (const one of group) all.push({ name: String(one.member), rows: [one], height: 11 });
    }
    return all;
  };
  const paintRow = (entry, y, paths) => {
    const last = {},
      unit = (plot.right - plot.left) / (to - from);
    for (const [begin, end, letter] of entry.rows[0].marks) {
      if (end <= from || begin >= to) continue;
      const left = plot.left + (Math.max(begin, from) - from) * unit,
        right = Math.max(plot.left + (Math.min(end, to) - from) * unit, left + 0.6);
      if (right <= (last[letter] ?? 0) + 0.4) continue; // drawn over already
      last[letter] = right;
      const high = (entry.height - 3) * STATES[letter][1],
        top = y + (entry.height - 1 - high) / 2;
      paths[letter] = (paths[letter] ?? "") + oblong(left, top, right - left, high);
    }
  };
  const paint = (width) => {
    entries = shown();
    const height = entries.reduce((sum, entry) => sum + entry.height, 0) + 64;
    plot = paper(
      width,
      height,
      timeAxis("time since the first thread came", from * second, to * second),
      { label: folds ? "members" : "", names: ["members", ...entries.map((entry) => entry.name)] },
      waits ? 90 : 14
    );
    plot.svg.querySelectorAll("text[text-anchor=end]").forEach((text) => {
      if (text.getAttribute("x") == plot.left - 6) text.remove();
    });
    const paths = {};
    let y = plot.top + 1;
    for (const entry of entries) {
      entry.top = y;
      plot.svg.append(
        draw(
          "text",
          {
            x: plot.left - 6,
            y: y + entry.height / 2 + 4,
            "text-anchor": "end",
            ...(entry.height < 12 ? { style: "font-size:9px" } : {})
          },
          entry.name
        )
      );
      if (entry.group === undefined) paintRow(entry, y, paths);
      else stack(plot.svg, entry.rows, from, to, plot.left, plot.right - plot.left, y, entry.height - 3);
      // The duration without a processor is known, and not its begin.
      const waited = Math.max(...entry.rows.map((one) => one.preempted));
      if (waited > 0)
        plot.svg.append(
          draw(
            "text",
            {
              class: "value",
              x: width - 2,
              y: y + entry.height / 2 + 4,
              "text-anchor": "end",
              ...(entry.height < 12 ? { style: "font-size:9px" } : {})
            },
            time(waited)
          )
        );
      y += entry.height;
    }
    if (waits)
      plot.svg.append(
        draw("text", { x: width - 2, y: 12, "text-anchor": "end" }, folds ? "no processor, at most" : "no processor")
      );
    for (const letter of ["w", "l", "s", "b"])
      if (paths[letter]) plot.svg.append(draw("path", { class: letter, d: paths[letter] }));
    plot.focus = draw("path", { class: "row-focus" });
    plot.brush = draw("rect", { class: "brush", y: plot.top, height: plot.bottom - plot.top, width: 0 });
    plot.svg.append(plot.focus, plot.brush);
    box.replaceChildren(plot.svg);
    paintOverview(width);
    for (const [button, works] of buttons) button.disabled = !works();
  };
  const paintOverview = (width) => {
    const svg = draw("svg", { viewBox: `0 0 ${width} 34`, width, height: 34 }),
      across = plot.right - plot.left;
    stack(svg, rows, 0, pieces, plot.left, across, 2, 28);
    const left = plot.left + (across * from) / pieces,
      right = plot.left + (across * to) / pieces;
    for (const [begin, end] of [
      [plot.left, left],
      [right, plot.right]
    ])
      svg.append(draw("rect", { class: "outside", x: begin, y: 0, width: Math.max(end - begin, 0), height: 31 }));
    svg.append(draw("path", { class: "axis", d: `M${plot.left} 31H${plot.right}` }));
    if (to - from < pieces)
      svg.append(draw("rect", { class: "window", x: left, y: 1, width: Math.max(right - left, 2), height: 31 }));
    overview.replaceChildren(svg);
  };
  const repaint = () => plot && paint(plot.width);
  const look = (begin, end) => {
    const least = Math.min(pieces, 8),
      length = Math.max(least, Math.min(end - begin, pieces));
    from = Math.max(0, Math.min((begin + end - length) / 2, pieces - length));
    to = from + length;
    repaint();
  };
  const zoom = (factor, middle = (from + to) / 2) =>
    look(middle - (middle - from) * factor, middle + (to - middle) * factor);
  const move = (part) => {
    const by = Math.max(-from, Math.min((to - from) * part, pieces - to));
    look(from + by, to + by);
  };
  const fold = (group) => {
    if (!open.delete(group)) open.add(group);
    repaint();
  };

  const words = (entry, piece) => {
    const when = `at ${time(piece * second)}`;
    if (entry.group !== undefined) {
      const counts = shares(entry.rows, piece, piece + 1, 1);
      return (
        `members ${entry.name.slice(2)} ${when}\n` +
        ORDER.filter((letter) => counts[letter][0])
          .map((letter) => `${counts[letter][0]} ${STATES[letter][0]}`)
          .join(", ") +
        `\nEnter or a click on the name: ${open.has(entry.group) ? "fold" : "unfold"}`
      );
    }
    const mark = markAt(entry.rows[0], piece);
    return (
      `member ${entry.rows[0].member} ${when}\n` +
      (mark
        ? `${STATES[mark[2]][0]} for ${time((mark[1] - mark[0]) * second)}, from ${time(mark[0] * second)}`
        : "between two batches, or not in the loop") +
      (entry.rows[0].preempted > 0 ? `\nin all it waited ${time(entry.rows[0].preempted)} for a processor` : "")
    );
  };
  const point = (aloud) => {
    row = Math.max(0, Math.min(row, entries.length - 1));
    at = Math.max(0, Math.min(at, pieces - 1));
    if (at < from || at >= to) look(at - (to - from) / 2, at + (to - from) / 2);
    const entry = entries[row],
      x = plot.left + ((at + 0.5 - from) * (plot.right - plot.left)) / (to - from),
      area = plot.svg.getBoundingClientRect(),
      factor = area.width / plot.width;
    plot.focus.setAttribute(
      "d",
      `M${plot.left} ${entry.top - 1}H${plot.right}v${entry.height}H${plot.left}zM${x.toFixed(1)} ${plot.top}V${plot.bottom}`
    );
    showTip(
      words(entry, Math.floor(at)),
      area.left + x * factor,
      area.top + (entry.top + entry.height / 2) * factor,
      aloud
    );
  };
  const forget = () => {
    hideTip();
    plot?.focus.setAttribute("d", "");
  };
  /// To the beginning of the next mark of the row, or a fiftieth of the visible time.
  const step = (direction) => {
    const entry = entries[row],
      leap = Math.max(1, (to - from) / 50);
    if (entry.group !== undefined) at += direction * leap;
    else if (direction > 0) at = entry.rows[0].marks.find((mark) => mark[0] > at)?.[0] ?? at;
    else at = entry.rows[0].marks.findLast((mark) => mark[0] < at)?.[0] ?? 0;
  };

  const place = (event) => {
    const area = plot.svg.getBoundingClientRect(),
      factor = plot.width / area.width,
      x = (event.clientX - area.left) * factor,
      y = (event.clientY - area.top) * factor;
    return {
      x,
      y,
      piece: Math.max(0, Math.min(pieces, from + ((x - plot.left) * (to - from)) / (plot.right - plot.left))),
      index: entries.findIndex((entry) => y >= entry.top && y < entry.top + entry.height)
    };
  };
  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const { x, piece, index } = place(event);
    if (x < plot.left && index >= 0 && entries[index].group !== undefined) return fold(entries[index].group);
    brush = { begin: piece, x };
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    const { x, piece, index } = place(event);
    if (brush) {
      const left = Math.max(plot.left, Math.min(brush.x, x)),
        right = Math.min(plot.right, Math.max(brush.x, x));
      plot.brush.setAttribute("x", left);
      plot.brush.setAttribute("width", Math.max(0, right - left));
    }
    if (index < 0 || x < plot.left) return forget();
    ((row = index), (at = Math.min(Math.floor(piece), pieces - 1)));
    point(false);
  });
  const release = (event) => {
    if (!brush) return;
    const { x, piece } = place(event),
      { begin, x: since } = brush;
    brush = null;
    plot.brush.setAttribute("width", 0);
    if (event.type === "pointerup" && Math.abs(x - since) > 5) look(Math.min(begin, piece), Math.max(begin, piece));
  };
  box.addEventListener("pointerup", release);
  box.addEventListener("pointercancel", release);
  box.addEventListener("pointerleave", () => {
    if (!brush) forget();
  });
  box.addEventListener("blur", forget);
  box.addEventListener("dblclick", () => look(0, pieces));
  box.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, place(event).piece);
    },
    { passive: false }
  );
  const slide = (event) => {
    if (!aim) return;
    const area = overview.getBoundingClientRect(),
      piece =
        ((((event.clientX - area.left) * plot.width) / area.width - plot.left) * pieces) / (plot.right - plot.left);
    look(piece - (to - from) / 2, piece + (to - from) / 2);
  };
  overview.addEventListener("pointerdown", (event) => {
    aim = true;
    overview.setPointerCapture(event.pointerId);
    slide(event);
  });
  overview.addEventListener("pointermove", slide);
  for (const kind of ["pointerup", "pointercancel"])
    overview.addEventListener(kind, () => {
      aim = false;
    });
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const actions = {
      ArrowUp: () => {
        --row;
      },
      ArrowDown: () => {
        ++row;
      },
      ArrowLeft: () => (event.shiftKey ? move(-0.25) : step(-1)),
      ArrowRight: () => (event.shiftKey ? move(0.25) : step(1)),
      "+": () => zoom(0.5, at),
      "=": () => zoom(0.5, at),
      "-": () => zoom(2, at),
      0: () => look(0, pieces),
      Home: () => {
        at = 0;
      },
      End: () => {
        at = pieces - 1;
      },
      Enter: () => {
        if (entries[row].group !== undefined) fold(entries[row].group);
      }
    };
    if (event.key === "Escape") return forget();
    if (!(event.key in actions)) return;
    event.preventDefault();
    actions[event.key]();
    if (event.shiftKey && event.key.startsWith("Arrow")) at = Math.max(from, Math.min(at, to - 1));
    point(true);
  });

  const buttons = [],
    tools = make("div", { class: "tools" });
  const tool = (text, name, works, action) => {
    const button = make("button", { type: "button", "aria-label": name, title: name }, text);
    button.addEventListener("click", action);
    buttons.push([button, works]);
    tools.append(button);
  };
  tool(
    "+",
    "Zoom in",
    () => to - from > 8,
    () => zoom(0.5)
  );
  tool(
    "−",
    "Zoom out",
    () => to - from < pieces,
    () => zoom(2)
  );
  tool(
    "◀",
    "Earlier",
    () => from > 0,
    () => move(-0.5)
  );
  tool(
    "▶",
    "Later",
    () => to < pieces,
    () => move(0.5)
  );
  tool(
    "Whole",
    "Show the whole execution",
    () => to - from < pieces,
    () => look(0, pieces)
  );
  if (folds) {
    tool(
      "Unfold all",
      "Unfold all threads",
      () => open.size * FOLDED < rows.length,
      () => {
        rows.forEach((_, i) => open.add(Math.floor(i / FOLDED)));
        repaint();
      }
    );
    tool(
      "Fold all",
      "Fold all threads",
      () => open.size > 0,
      () => {
        open.clear();
        repaint();
      }
    );
  }
  painted(box, paint);
  const more = line.members > rows.length ? `, the first ${rows.length} of ${line.members} threads` : "";
  return make(
    "figure",
    { class: "timeline" },
    make(
      "figcaption",
      {},
      make("h3", {}, "The longest execution, thread by thread"),
      make(
        "span",
        { class: "dim" },
        `${time(line.seconds)}${more}`,
        make("span", { class: "noprint" }, "; drag to zoom, double-click for the whole")
      )
    ),
    tools,
    box,
    overview,
    legend(ORDER.filter((letter) => rows.some(({ marks }) => marks.some((mark) => mark[2] === letter))))
  );
}
