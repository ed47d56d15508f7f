// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "step_chart.h"
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <string_view>

namespace bench {
namespace {

constexpr double k_left = 56, k_top = 72, k_width = 300, k_height = 260, k_gap = 56, k_bottom = 84;
/// Of one curve after the other in a panel.
constexpr const char* k_colours[] = {"#c0392b", "#7f8c9b", "#2e8b57"};

[[gnu::format(printf, 2, 3)]] void add(std::string& text, const char* format, ...) {
  char line[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(line, sizeof line, format, values);
  va_end(values);
  text += line;
}

void add_text(std::string& svg, double x, double y, const char* anchor, const std::string& text,
              int size = 12) {
  add(svg, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y, size, anchor,
      text.c_str());
}

void add_line(std::string& svg, double x1, double y1, double x2, double y2, const char* style) {
  add(svg, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style);
}

/// The curves of one number of threads, as multiples of ideal.
class Panel {
public:
  Panel(const StepFigure& figure, double left, double most) : figure_(figure), left_(left), most_(most) {}

  void draw_axes(std::string& svg, int threads) const {
    add_text(svg, left_, k_top - 14, "start",
             std::to_string(threads) + (threads == 1 ? " thread" : " threads"), 14);
    for (double ratio = 1; ratio <= most_; ratio *= 2) {
      add_line(svg, left_, y(ratio), left_ + k_width, y(ratio),
               ratio == 1 ? "stroke=\"#1a1a1a\" stroke-dasharray=\"4 3\"" : "stroke=\"#e0e0e0\"");
      add_text(svg, left_ - 6, y(ratio) + 4, "end", std::to_string(std::lround(ratio)));
    }
    for (std::size_t k = 0; k < figure_.steps.size(); k += 2)
      add_text(svg, x(figure_.steps[k]), k_top + k_height + 18, "middle", std::to_string(figure_.steps[k]));
  }

  void draw_curve(std::string& svg, const Curve& curve, const char* colour) const {
    const double ideal = figure_.whole_ms / curve.threads;
    add(svg, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (std::size_t k = 0; k < curve.ms.size(); ++k)
      if (curve.ms[k]) add(svg, "%.1f,%.1f ", x(figure_.steps[k]), y(*curve.ms[k] / ideal));
    add(svg, "\"><title>%s, %d</title></polyline>\n", curve.schedule.c_str(), curve.threads);
  }

private:
  double x(int step) const {
    return left_ + k_width * std::log2(step) / std::max(1.0, std::log2(figure_.steps.back()));
  }
  /// Half a step below ideal has room: noise and turbo clocks get there.
  double y(double ratio) const {
    const double height = (std::log2(std::clamp(ratio, 0.71, most_)) + 0.5) / (std::log2(most_) + 0.5);
    return k_top + k_height * (1 - height);
  }

  const StepFigure& figure_;
  double left_, most_;
};

/// The largest ratio to ideal, rounded up to a power of two.
double top_of(const StepFigure& figure) {
  double most = 2;
  for (const Curve& curve : figure.curves)
    for (const auto& ms : curve.ms)
      if (ms) most = std::max(most, *ms * curve.threads / figure.whole_ms);
  return std::exp2(std::ceil(std::log2(most)));
}

} // namespace

std::string draw(const StepFigure& figure) {
  std::string body;
  double left = k_left;
  int threads = 0;
  std::size_t colour = 0;
  const double most = top_of(figure);
  for (const Curve& curve : figure.curves) {
    if (threads != 0 && curve.threads != threads) left += k_width + k_gap;
    const Panel panel(figure, left, most);
    if (curve.threads != threads) {
      panel.draw_axes(body, curve.threads);
      threads = curve.threads, colour = 0;
    }
    const char* const stroke = k_colours[colour % std::size(k_colours)];
    panel.draw_curve(body, curve, stroke);
    // The names stand once, below the first panel.
    if (left == k_left) {
      const double at = k_left + 150 * static_cast<double>(colour), base = k_top + k_height + 62;
      add(body, "<rect x=\"%.1f\" y=\"%.1f\" width=\"18\" height=\"4\" fill=\"%s\"/>\n", at, base - 6,
          stroke);
      add_text(body, at + 24, base, "start", curve.schedule);
    }
    ++colour;
  }
  const double width = std::max(left + k_width + 24, 560.0), height = k_top + k_height + k_bottom;
  std::string svg;
  add(svg,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%.0f\" height=\"%.0f\" "
      "font-family=\"sans-serif\" fill=\"#1a1a1a\">\n<title>Time against STEP</title>\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
      width, height);
  add_text(svg, k_left, 24, "start",
           "Time as a multiple of ideal against STEP, " + std::to_string(figure.iterations) +
               " cheap iterations, " + figure.runtime,
           14);
  add_text(svg, k_left, k_top + k_height + 38, "start", "STEP, iterations in a batch");
  return svg + body + "</svg>\n";
}

} // namespace bench
