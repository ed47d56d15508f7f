// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "show.h"

#include "support/chart.h"
#include "support/loop_name.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

Bar bar_of(const std::string& name, const std::vector<double>& seconds, const Pen& pen) {
  const auto interval = median_interval(seconds);
  Bar bar{name, interval.middle, duration_text(interval.middle), pen, interval.low, interval.high};
  const auto outliers = outliers_of(seconds);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const bool is_far = std::ranges::find(outliers, i) != outliers.end();
    bar.runs.push_back({seconds[i], 0,
                        fmt::format("{}, round {}: {}{}", name, i + 1, duration_text(seconds[i]),
                                    is_far ? ", an outlier" : "")});
  }
  return bar;
}

/// Returns the chart, whose axis ends where the longest of these runs does.
BarChart chart_of(std::string title, std::vector<Bar> bars) {
  std::vector<double> ends;
  for (const auto& bar : bars)
    for (const auto& run : bar.runs) ends.push_back(run.x);
  return {std::move(title), axis_for("seconds", ends, false), std::move(bars)};
}

/// Returns bars for each loop, under the schedules whose runs have times of single loops.
std::vector<Bar> bars_of_loops(const Contest& comparison) {
  constexpr std::size_t k_most_loops = 12, k_widest = 36; // columns of a loop's name
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < std::min(comparison.loops.size(), k_most_loops); ++i) {
    const auto& loop = comparison.loops[i];
    for (const auto& samples : comparison.samples) {
      const auto& [name, role] = std::tie(samples.variant.name, samples.variant.role);
      const auto found = loop.seconds.find(name);
      if (found == loop.seconds.end() || (role != Role::tree && role != Role::per_loop)) continue;
      bars.push_back(bar_of(folded_name(loop.name, k_widest) + " " + name, found->second, pen_of(name, 1)));
    }
  }
  return bars;
}

} // namespace

std::string comparison_svg(const Contest& comparison, bool per_loop) {
  std::vector<Bar> bars;
  for (const auto& samples : comparison.samples) {
    if (!samples.is_usable()) continue;
    const std::string& name = samples.variant.name;
    const Pen pen = samples.variant.role == Role::cause ? Pen{"#bbbbbb"} : pen_of(name, 1);
    bars.push_back(bar_of(name, samples.seconds, pen));
  }
  std::vector<BarChart> charts = {chart_of(
      fmt::format("{}: medians of {} rounds, with the range that holds them ({:.0f} %), and each run",
                  comparison.program, comparison.rounds, k_confidence * 100),
      std::move(bars))};
  if (per_loop) charts.push_back(chart_of("The same of single loops", bars_of_loops(comparison)));
  return svg_of_bars(charts);
}

} // namespace wstree::cli
