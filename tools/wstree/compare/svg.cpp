// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "show.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr double k_row = 28, k_names = 280, k_bars = 420, k_figures = 110, k_top = 44;

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

} // namespace

std::string comparison_svg(const Contest& comparison) {
  double most = 0;
  std::size_t rows = 0;
  for (const auto& samples : comparison.samples) {
    if (!samples.is_usable()) continue;
    most = std::max(most, median_interval(samples.seconds).high);
    ++rows;
  }
  if (most <= 0) most = 1;
  const double width = k_names + k_bars + k_figures, height = k_top + k_row * static_cast<double>(rows) + 16;
  auto svg =
      fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"
                  R"(font-family="sans-serif" font-size="13" role="img">
<title>Times of {2} under each schedule</title>
<rect width="100%" height="100%" fill="white"/>
<text x="16" y="26" font-size="15">{2}: medians of {3} rounds, with the range that holds them ({4:.0f} %)</text>
)",
                  width, height, escaped(comparison.program), comparison.rounds, k_confidence * 100);
  double y = k_top;
  for (const auto& samples : comparison.samples) {
    if (!samples.is_usable()) continue;
    const auto interval = median_interval(samples.seconds);
    const auto x = [&](double seconds) { return k_names + seconds / most * k_bars; };
    const char* const colour = samples.variant.role == Role::tree       ? "#1b7837"
                               : samples.variant.role == Role::cause    ? "#bbbbbb"
                               : samples.variant.role == Role::as_it_is ? "#333333"
                                                                        : "#5a8fc4";
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", k_names - 8, y + 17,
                       escaped(samples.variant.name));
    svg += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="14" fill="{}"/>)", k_names,
                       y + 5, x(interval.middle) - k_names, colour);
    svg += fmt::format(
        R"(<path d="M{0:.1f} {2:.1f}H{1:.1f}M{0:.1f} {3:.1f}v8M{1:.1f} {3:.1f}v8" stroke="black"/>)",
        x(interval.low), x(interval.high), y + 12, y + 8);
    svg += fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)"
                       "\n",
                       k_names + k_bars + 8, y + 17, duration_text(interval.middle));
    y += k_row;
  }
  return svg + "</svg>\n";
}

} // namespace wstree::cli
