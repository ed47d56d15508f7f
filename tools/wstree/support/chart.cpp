// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chart.h"

#include "svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr std::array<std::string_view, 7> k_hues{"#d55e00", "#0072b2", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#000000"};
constexpr std::array<std::string_view, 3> k_dashes{"none", "6 3", "2 3"};

/// Relatives have one hue.
struct Known {
  std::string_view name;
  std::size_t hue, dashes;
};
constexpr std::array k_known{
    Known{"wstree", 0, 0},      Known{"static", 6, 0},       Known{"dyn1", 1, 0},
    Known{"dynamic", 1, 0},     Known{"dynamic,1", 1, 0},    Known{"dyn64", 1, 1},
    Known{"dynamic,64", 1, 1},  Known{"guided", 2, 0},       Known{"trapez", 2, 1},
    Known{"steal1", 3, 0},      Known{"static_steal", 3, 0}, Known{"steal64", 3, 1},
    Known{"wsrange", 4, 0},     Known{"wsqueue", 4, 1},      Known{"wsfixed", 4, 2},
    Known{"tbb_auto", 5, 0},    Known{"tbb_affinity", 5, 1}, Known{"tbb_static", 5, 2},
    Known{"one thread", 6, 1},  Known{"wsstatic", 6, 2},     Known{"wsguided", 2, 2},
    Known{"wstrapezoid", 2, 1}, Known{"wsfac2", 3, 2},       Known{"wsqueue_lock", 0, 2},
    Known{"tbb_simple", 1, 2}};

constexpr std::string_view k_grey = "#555555", k_grid = "#dddddd", k_dark = "#1a1a1a";
constexpr int k_top = 54, k_bottom = 44, k_right = 14, k_legend_line = 20;

double scaled(double value, bool logarithmic) { return logarithmic ? std::log2(value) : value; }

/// Returns 1, 2 or 5 times a power of ten, so that some four steps make up `range`.
double round_step(double range) {
  const double rough = range / 4, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power) return factor * power;
  return 10 * power;
}

/// One diagram and where it stands on the paper.
class Plot {
public:
  Plot(SvgPaper& paper, const Diagram& diagram, int width, int height) : paper_(paper), diagram_(diagram) {
    int widest = 0;
    for (const auto& tick : diagram.y.ticks) widest = std::max(widest, text_width(tick.text, 10));
    left_ = widest + 18, right_ = width - k_right, bottom_ = height - k_bottom;
    top_ = diagram.subtitle.empty() ? k_top - 14 : k_top;
  }

  void draw() const {
    const std::size_t letters = static_cast<std::size_t>(right_ - left_) / 7;
    paper_.text(left_, 18, diagram_.title.substr(0, letters), {13, k_dark, "start", true});
    paper_.text(left_, 33, diagram_.subtitle.substr(0, letters * 5 / 4), {11, k_grey});
    paper_.text(left_, top_ - 7, diagram_.y.label, {10, k_grey});
    paper_.text((left_ + right_) / 2.0, bottom_ + 29, diagram_.x.label, {10, k_grey, "middle"});
    draw_ticks();
    for (auto curve = diagram_.curves.rbegin(); curve != diagram_.curves.rend(); ++curve) draw_curve(*curve);
  }

private:
  [[nodiscard]] double x_of(double value) const {
    return left_ + diagram_.x.part_of(value) * (right_ - left_);
  }
  [[nodiscard]] double y_of(double value) const {
    return bottom_ - diagram_.y.part_of(value) * (bottom_ - top_);
  }

  void draw_ticks() const {
    for (const auto& tick : diagram_.y.ticks) {
      const double y = y_of(tick.at);
      paper_.line({double(left_), y}, {double(right_), y}, {k_grid});
      paper_.text(left_ - 6, y + 3, tick.text, {10, k_dark, "end"});
    }
    double free = left_ - 20; // texts do not overlap
    for (const auto& tick : diagram_.x.ticks) {
      const double x = x_of(tick.at), half = text_width(tick.text, 10) / 2.0;
      paper_.line({x, double(top_)}, {x, double(bottom_)}, {k_grid});
      if (x - half < free) continue;
      free = x + half + 3;
      paper_.text(x, bottom_ + 14, tick.text, {10, k_dark, "middle"});
    }
    paper_.line({double(left_), double(top_)}, {double(left_), double(bottom_)}, {k_grey});
    paper_.line({double(left_), double(bottom_)}, {double(right_), double(bottom_)}, {k_grey});
  }

  void draw_curve(const Curve& curve) const {
    std::vector<Point> points;
    for (const auto& mark : curve.marks) points.push_back({x_of(mark.x), y_of(mark.y)});
    if (curve.width > 0) paper_.line(points, {curve.pen.colour, curve.width, curve.pen.dashes});
    if (!curve.has_dots) return;
    const bool is_hollow = curve.pen.dashes != "none";
    for (std::size_t i = 0; i < points.size(); ++i)
      paper_.dot(points[i], curve.width > 0 ? 2.4 : 3.4,
                 {is_hollow ? "#ffffff" : curve.pen.colour, curve.pen.colour}, curve.marks[i].hint);
  }

  SvgPaper& paper_;
  const Diagram& diagram_;
  int left_, right_, top_, bottom_;
};

/// Draws every name once, from `top` on. Returns where the legend ends.
int draw_legend(SvgPaper& paper, const std::vector<Diagram>& diagrams, int width, int top) {
  std::vector<const Curve*> curves;
  int room = 120;
  for (const auto& diagram : diagrams)
    for (const auto& curve : diagram.curves) {
      if (curve.name.empty() ||
          std::ranges::any_of(curves, [&](const Curve* known) { return known->name == curve.name; }))
        continue;
      curves.push_back(&curve);
      room = std::max(room, text_width(curve.name, 12) + 44);
    }
  const int per_line = std::max(width / room, 1), count = static_cast<int>(curves.size());
  for (int i = 0; i < count; ++i) {
    const auto& curve = *curves[static_cast<std::size_t>(i)];
    const double x = 16 + i % per_line * room, y = top + i / per_line * k_legend_line;
    if (curve.width > 0) paper.line({x, y}, {x + 26, y}, {curve.pen.colour, 2.4, curve.pen.dashes});
    if (curve.has_dots)
      paper.dot({x + 13, y}, 3, {curve.pen.dashes == "none" ? curve.pen.colour : "#ffffff", curve.pen.colour},
                "");
    paper.text(x + 32, y + 4, curve.name, {});
  }
  return top + (count + per_line - 1) / per_line * k_legend_line;
}

} // namespace

Pen pen_of(std::size_t index) {
  return {k_hues[index % k_hues.size()], k_dashes[index / k_hues.size() % k_dashes.size()]};
}

Pen pen_of(std::string_view name, std::size_t index) {
  for (const auto& known : k_known)
    if (known.name == name) return {k_hues[known.hue], k_dashes[known.dashes]};
  return pen_of(index);
}

std::vector<Pen> pens_of(const std::vector<std::string>& names) {
  const auto are_alike = [](const Pen& a, const Pen& b) {
    return a.colour == b.colour && a.dashes == b.dashes;
  };
  std::vector<Pen> pens;
  for (const auto& name : names) {
    Pen pen = pen_of(name, 0);
    for (std::size_t i = 0; i < k_hues.size() * k_dashes.size(); ++i) {
      if (std::ranges::none_of(pens, [&](const Pen& other) { return are_alike(other, pen); })) break;
      pen = pen_of(i);
    }
    pens.push_back(pen);
  }
  return pens;
}

double Axis::part_of(double value) const {
  if (high <= low) return 0.5;
  const double from = scaled(low, logarithmic), to = scaled(high, logarithmic);
  return (scaled(std::clamp(value, low, high), logarithmic) - from) / (to - from);
}

Axis axis_for(std::string label, const std::vector<double>& values, bool logarithmic) {
  Axis axis{std::move(label), 0, 1, logarithmic};
  if (values.empty()) return axis;
  const auto [least, most] = std::ranges::minmax(values);
  if (logarithmic) {
    constexpr double k_tiny = 1e-9;
    const int from = static_cast<int>(std::floor(std::log2(std::max(least, k_tiny)) + 0.01));
    const int to = std::max(from + 1, static_cast<int>(std::ceil(std::log2(std::max(most, k_tiny)) - 0.01)));
    axis.low = std::exp2(from), axis.high = std::exp2(to);
    const int step = (to - from + 7) / 8;
    for (int power = from; power <= to; power += step)
      axis.ticks.push_back({std::exp2(power), fmt::format("{:.4g}", std::exp2(power))});
    return axis;
  }
  const double step = round_step(most > 0 ? most : 1);
  axis.high = std::max(1.0, std::ceil(most / step)) * step;
  for (int i = 0; i * step <= axis.high * 1.001; ++i)
    axis.ticks.push_back({i * step, fmt::format("{:.4g}", i * step)});
  return axis;
}

std::string svg_of(const Picture& picture) {
  SvgPaper paper(0);
  const int count = static_cast<int>(picture.diagrams.size());
  const int columns = std::clamp(count, 1, picture.columns);
  const int width = std::max(columns * picture.width, 560), title = picture.title.empty() ? 0 : 26;
  paper.text(16, 20, picture.title, {15, k_dark, "start", true});
  for (int i = 0; i < count; ++i) {
    paper.set_origin(i % columns * picture.width, title + i / columns * picture.height);
    paper.reach(picture.width, picture.height);
    Plot(paper, picture.diagrams[static_cast<std::size_t>(i)], picture.width, picture.height).draw();
  }
  paper.set_origin(0, 0);
  const int below = title + (count + columns - 1) / columns * picture.height;
  int end = draw_legend(paper, picture.diagrams, width, below + 12);
  if (!picture.note.empty()) end = paper.paragraph(16, end + 4, width - 16, picture.note, {11, k_grey});
  paper.reach(width, end);
  return paper.finish(picture.title.empty() ? picture.description : picture.title, picture.description);
}

namespace {

/// Draws one chart whose bars begin at `left`; returns where it ends.
int draw_bars(SvgPaper& paper, const BarChart& chart, int left, const std::optional<Tick>& reference) {
  constexpr int k_row = 28, k_first = 48, k_long = 420;
  const auto& title = chart.title;
  const auto& axis = chart.axis;
  const auto& bars = chart.bars;
  const auto x_of = [&](double value) { return left + k_long * axis.part_of(value); };
  const int bottom = k_first + k_row * static_cast<int>(bars.size()) + 4;
  paper.text(16, 26, title, {15, k_dark, "start", true});
  for (const auto& tick : axis.ticks) {
    const double x = x_of(tick.at);
    paper.line({x, double(k_first - 6)}, {x, double(bottom)}, {k_grid});
    paper.text(x, bottom + 14, tick.text, {10, k_dark, "middle"});
  }
  int y = k_first;
  for (const auto& bar : bars) {
    const double middle = y + 9;
    paper.text(left - 8, y + 14, bar.name, {13, k_dark, "end"});
    paper.rectangle({left, y + 2, static_cast<int>(std::lround(x_of(bar.value))) - left, 15},
                    {bar.pen.colour}, 0, "bar", fmt::format("{}: {}", bar.name, bar.text));
    double end = x_of(bar.value);
    if (bar.low && bar.high) {
      end = std::max(end, x_of(*bar.high));
      paper.line({x_of(*bar.low), middle}, {x_of(*bar.high), middle}, {k_dark, 1.5});
      for (const double edge : {*bar.low, *bar.high})
        paper.line({x_of(edge), middle - 5}, {x_of(edge), middle + 5}, {k_dark, 1.5});
    }
    for (std::size_t i = 0; i < bar.runs.size(); ++i) {
      // Runs of equal length lie beside each other.
      constexpr int k_lanes = 5, k_lane = 3;
      const double x = x_of(bar.runs[i].x), lane = static_cast<double>(i % k_lanes) - (k_lanes - 1) / 2.0;
      paper.dot({x, middle + k_lane * lane}, 2, {"#ffffff", k_dark}, bar.runs[i].hint);
      end = std::max(end, x);
    }
    paper.text(end + 8, y + 14, bar.text, {13});
    y += k_row;
  }
  paper.line({double(left), double(k_first - 6)}, {double(left), double(bottom)}, {k_grey});
  paper.text(left + k_long / 2.0, bottom + 30, axis.label, {11, k_grey, "middle"});
  if (reference) {
    const double x = x_of(reference->at);
    paper.line({x, double(k_first - 6)}, {x, double(bottom)}, {k_dark, 1.2, "4 3"});
    paper.text(x + 4, k_first - 9, reference->text, {11, k_dark});
  }
  return bottom + 40;
}

int left_of(const std::vector<Bar>& bars) {
  int left = 60;
  for (const auto& bar : bars) left = std::max(left, text_width(bar.name, 13) + 24);
  return left;
}

} // namespace

std::string svg_of_bars(const std::vector<BarChart>& charts) {
  SvgPaper paper(16);
  int left = 0, top = 0;
  for (const auto& chart : charts) left = std::max(left, left_of(chart.bars));
  for (const auto& chart : charts) {
    paper.set_origin(0, top);
    top += draw_bars(paper, chart, left, std::nullopt);
  }
  return charts.empty() ? paper.finish("", "") : paper.finish(charts[0].title, charts[0].axis.label);
}

std::string svg_of_bars(const std::string& title, const Axis& axis, const std::vector<Bar>& bars,
                        const std::optional<Tick>& reference) {
  SvgPaper paper(16);
  draw_bars(paper, {title, axis, bars}, left_of(bars), reference);
  return paper.finish(title, axis.label);
}

} // namespace wstree::cli
