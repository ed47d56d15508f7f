// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The elements of all pictures: numbers as text, axes, and a cursor that mouse and keys move.
"use strict";
const SVG = "http://www.w3.org/2000/svg";
const fill = (node, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
};
const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

/// A path's data: an oblong from its upper left corner.
const oblong = (x, y, width, height) =>
  `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;

const UNITS = [
  ["s", 1],
  ["ms", 1e-3],
  ["µs", 1e-6],
  ["ns", 1e-9]
];
const unitOf = (seconds) => UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS[3];
const time = (seconds) => {
  if (seconds === null || seconds === undefined) return "";
  if (seconds === 0) return "0";
  const [unit, size] = unitOf(seconds);
  return (seconds / size).toFixed(size < 1e-6 ? 0 : 2) + " " + unit;
};
const count = (n) => (n === null ? "" : n.toLocaleString("en-US"));
const short = (n) =>
  n >= 1e9
    ? +(n / 1e9).toPrecision(4) + "G"
    : n >= 1e6
      ? +(n / 1e6).toPrecision(4) + "M"
      : n >= 1e4
        ? +(n / 1e3).toPrecision(4) + "k"
        : String(+n.toPrecision(4));
const percent = (part) => (100 * part).toFixed(1) + " %";

/// Round numbers between `low` and `high`, about `wanted` of them.
function ticks(low, high, wanted, least = 0) {
  const rough = (high - low) / Math.max(wanted, 3),
    power = 10 ** Math.floor(Math.log10(rough || 1));
  const step =
    [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= Math.max(rough * 0.999, least)) ?? 1;
  const result = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) result.push(i * step);
  return result;
}
/// An axis of time: its label names the unit.
function timeAxis(what, low, high) {
  const [unit, size] = unitOf(Math.max(Math.abs(low), Math.abs(high)));
  return { label: `${what} (${unit})`, low, high, scale: size, text: (v) => String(+(v / size).toPrecision(6)) };
}
const numberAxis = (label, low, high) => ({ label, low, high, text: short, least: 1 });

/// Paper with two axes. An axis with `names` has one place for each of them. `margin`: at the right edge.
function paper(width, height, x, y, margin = 14) {
  const rounded = (axis, room) =>
    axis.names
      ? []
      : ticks(axis.low / (axis.scale ?? 1), axis.high / (axis.scale ?? 1), room, axis.least).map(
          (v) => v * (axis.scale ?? 1)
        );
  const yTicks = rounded(y, height / 45),
    texts = y.names ?? yTicks.map(y.text);
  const left = Math.min(width * 0.4, 12 + 7 * Math.max(2, ...texts.map((text) => String(text).length)));
  const plot = { left, right: width - margin, top: 22, bottom: height - (x.label ? 40 : 22), width, height };
  const across = plot.right - plot.left,
    down = plot.bottom - plot.top;
  plot.x = (v) => plot.left + across * (x.names ? (v + 0.5) / x.names.length : (v - x.low) / (x.high - x.low || 1));
  plot.y = (v) =>
    y.names
      ? plot.top + (down * (v + 0.5)) / y.names.length
      : plot.bottom - (down * (v - y.low)) / (y.high - y.low || 1);
  plot.step = across / (x.names?.length ?? 1);
  plot.row = down / (y.names?.length ?? 1);
  const svg = (plot.svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }));
  for (const v of yTicks)
    svg.append(
      draw("path", { class: "grid", d: `M${plot.left} ${plot.y(v)}H${plot.right}` }),
      draw("text", { x: left - 6, y: plot.y(v) + 4, "text-anchor": "end" }, y.text(v))
    );
  (y.names ?? []).forEach((name, i) => {
    if (i % Math.ceil(13 / plot.row) === 0)
      svg.append(draw("text", { x: left - 6, y: plot.y(i) + 4, "text-anchor": "end" }, String(name)));
  });
  for (const v of rounded(x, across / 90))
    svg.append(
      draw("path", { class: "grid", d: `M${plot.x(v)} ${plot.top}V${plot.bottom}` }),
      draw("text", { x: plot.x(v), y: plot.bottom + 16, "text-anchor": "middle" }, x.text(v))
    );
  const wide = 10 + 7 * Math.max(1, ...(x.names ?? []).map((name) => String(name).length));
  (x.names ?? []).forEach((name, i) => {
    if (i % Math.ceil(wide / plot.step) === 0)
      svg.append(draw("text", { x: plot.x(i), y: plot.bottom + 16, "text-anchor": "middle" }, String(name)));
  });
  svg.append(draw("path", { class: "axis", d: `M${plot.left} ${plot.top}V${plot.bottom}H${plot.right}` }));
  svg.append(
    draw("text", { x: 0, y: 12 }, y.label ?? ""),
    draw("text", { x: plot.right, y: height - 6, "text-anchor": "end" }, x.label ?? "")
  );
  return plot;
}

const tip = document.getElementById("tip"),
  said = document.getElementById("said");
function hideTip() {
  tip.hidden = true;
}
/// Shows `text` beside a place of the window; with `aloud` screen readers say it.
function showTip(text, x, y, aloud) {
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - width - 4)) + "px";
  tip.style.top = (y + 18 + height > innerHeight ? y - height - 12 : y + 18) + "px";
  if (aloud) said.textContent = text;
}

/// Calls `paint(width)` when the room is known and when it changes, and for the printer.
const painters = new Set();
const PRINTED = 1030; // A4 landscape without its margins
function painted(box, paint) {
  let width = 0;
  const again = (wanted) => {
    if (wanted < 1 || wanted === width) return;
    width = wanted;
    paint(width);
  };
  // In a frame of its own, because it changes the observed sizes.
  new ResizeObserver(() => requestAnimationFrame(() => again(Math.floor(box.clientWidth)))).observe(box);
  painters.add((printing) =>
    again(Math.floor(!printing ? box.clientWidth : box.closest(".pair") ? PRINTED / 2 - 16 : PRINTED))
  );
}
addEventListener("afterprint", () => painters.forEach((paint) => paint(false)));

/// A picture with a heading. `paint(width)` returns its paper and its marks: {x, y, text} and, if they have an extent,
/// {w, h} from there; arrow keys go through them in their order.
function picture(title, note, summary, paint) {
  const box = make("div", {
    class: "plot",
    tabindex: "0",
    role: "application",
    "aria-roledescription": "picture",
    "aria-label": `${title}: ${summary}`
  });
  let plot = null,
    marks = [],
    at = -1,
    cursor = null;
  const repaint = (width) => {
    ({ plot, marks } = paint(width));
    cursor = draw("path", { class: "cursor" });
    plot.svg.append(cursor);
    box.replaceChildren(plot.svg);
    hide();
  };
  const hide = () => {
    at = -1;
    hideTip();
    cursor?.setAttribute("d", "");
  };
  const show = (index, aloud) => {
    if (!marks.length) return;
    at = Math.max(0, Math.min(index, marks.length - 1));
    const mark = marks[at],
      area = plot.svg.getBoundingClientRect(),
      factor = area.width / plot.width;
    cursor.setAttribute("class", mark.w === undefined ? "cursor" : "chosen");
    cursor.setAttribute(
      "d",
      mark.w === undefined
        ? `M${mark.x} ${plot.top}V${plot.bottom}M${plot.left} ${mark.y}H${plot.right}`
        : `M${mark.x} ${mark.y}h${mark.w}v${mark.h}h${-mark.w}z`
    );
    showTip(
      mark.text,
      area.left + (mark.x + (mark.w ?? 0) / 2) * factor,
      area.top + (mark.y + (mark.h ?? 0) / 2) * factor,
      aloud
    );
  };
  const distance = (mark, x, y) =>
    Math.max(mark.x - x, x - mark.x - (mark.w ?? 0), 0) +
    (mark.h === undefined ? 0 : 3 * Math.max(mark.y - y, y - mark.y - mark.h, 0));
  box.addEventListener("pointermove", (event) => {
    const area = plot.svg.getBoundingClientRect(),
      x = ((event.clientX - area.left) * plot.width) / area.width,
      y = ((event.clientY - area.top) * plot.width) / area.width;
    let best = 0;
    marks.forEach((mark, i) => {
      if (distance(mark, x, y) < distance(marks[best], x, y)) best = i;
    });
    show(best, false);
  });
  box.addEventListener("pointerleave", hide);
  box.addEventListener("blur", hide);
  box.addEventListener("keydown", (event) => {
    const steps = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: Math.max(at, 0) - 1,
      ArrowUp: Math.max(at, 0) - 1,
      PageDown: at + 10,
      PageUp: at - 10,
      Home: 0,
      End: marks.length - 1
    };
    if (event.key === "Escape") hide();
    else if (event.key in steps && !event.altKey && !event.ctrlKey && !event.metaKey)
      (show(steps[event.key], true), event.preventDefault());
  });
  painted(box, repaint);
  return make(
    "figure",
    {},
    make("figcaption", {}, make("h3", {}, title), note ? make("span", { class: "dim" }, note) : null),
    box
  );
}
