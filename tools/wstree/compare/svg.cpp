// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "show.h"

#include "support/chart.h"

#include <fmt/format.h>

namespace wstree::cli {

std::string comparison_svg(const Contest& comparison) {
  std::vector<Bar> bars;
  std::vector<double> ends;
  for (const auto& samples : comparison.samples) {
    if (!samples.is_usable()) continue;
    const auto interval = median_interval(samples.seconds);
    const std::string& name = samples.variant.name;
    const Pen pen = samples.variant.role == Role::cause ? Pen{"#bbbbbb"} : pen_of(name, 1);
    bars.push_back({name, interval.middle, duration_text(interval.middle), pen, interval.low, interval.high});
    ends.push_back(interval.high);
  }
  return svg_of_bars(fmt::format("{}: medians of {} rounds, with the range that holds them ({:.0f} %)",
                                 comparison.program, comparison.rounds, k_confidence * 100),
                     axis_for("seconds", ends, false), bars);
}

} // namespace wstree::cli
