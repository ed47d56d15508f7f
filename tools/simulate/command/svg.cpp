// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small diagram for each workload: time / ideal against the number of threads, a curve for each schedule.
#include "prediction.h"

#include "support/chart.h"

#include <fmt/format.h>

namespace wstree::cli {

Axis axis_of_threads(const std::vector<std::uint32_t>& threads, std::string label) {
  Axis axis = axis_for(std::move(label), {threads.begin(), threads.end()}, true);
  axis.low = threads.front(), axis.high = threads.back();
  axis.ticks.clear();
  for (const auto count : threads) axis.ticks.push_back({double(count), std::to_string(count)});
  return axis;
}

std::string simulate_svg(const Results& results) {
  if (!results.plan().profile.empty()) return prediction_svg(results);
  constexpr double k_highest = 16;
  const Plan& plan = results.plan();
  Picture picture{
      "Time / ideal against the number of threads",
      fmt::format("{} iterations, {:g} ms of work; simulated. Ratios above {:g} are drawn at {:g}.",
                  plan.iterations, plan.work_ms, k_highest, k_highest),
      {}};
  picture.width = 300, picture.height = 230;
  const auto pens = pens_of(names_of(plan.schedules));
  for (std::size_t w = 0; w < plan.workloads.size(); ++w) {
    Diagram diagram{plan.workloads[w].name(), "", axis_of_threads(plan.threads, "threads"),
                    axis_for("time / ideal", {1, k_highest}, true)};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
      const auto name = name_of(plan.schedules[s]);
      Curve curve{name, pens[s], {}};
      for (std::size_t t = 0; t < plan.threads.size(); ++t) {
        const double ratio = results.at(t, w, s).ratio;
        curve.marks.push_back({double(plan.threads[t]), ratio, fmt::format("{}: {:.2f}", name, ratio)});
      }
      diagram.curves.push_back(std::move(curve));
    }
    picture.diagrams.push_back(std::move(diagram));
  }
  picture.note = picture.description;
  return svg_of(picture);
}

} // namespace wstree::cli
