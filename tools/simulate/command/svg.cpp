// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small diagram for each workload: time / ideal against the number of threads, a line for each schedule.
#include "prediction.h"

#include "diagrams.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr Diagram k_diagram{3, 300, 210, 44, 30, 14, 34};
constexpr double k_highest = 16;

double part_of(double ratio) { return std::log2(std::clamp(ratio, 1.0, k_highest)) / std::log2(k_highest); }

void draw_axes(SvgPaper& paper, const Plan& plan, const std::string& title) {
  paper.text(k_diagram.left, 18, title, {13, "#1a1a1a", "start", true});
  for (double tick = 1; tick <= k_highest; tick *= 2)
    k_diagram.level(paper, part_of(tick), fmt::format("{:g}", tick), "#dddddd");
  k_diagram.threads(paper, plan.threads);
}

void draw_line(SvgPaper& paper, const Results& results, std::size_t workload, std::size_t schedule) {
  const auto count = results.plan().threads.size();
  std::vector<Marked> marks;
  for (std::size_t t = 0; t < count; ++t) {
    const double ratio = results.at(t, workload, schedule).ratio;
    marks.push_back({{k_diagram.place_of(t, count), k_diagram.height_of(part_of(ratio))},
                     fmt::format("{}: {:.2f}", name_of(results.plan().schedules[schedule]), ratio)});
  }
  draw_marked(paper, marks, pen_of(schedule));
}

} // namespace

std::string simulate_svg(const Results& results) {
  if (!results.plan().profile.empty()) return prediction_svg(results);
  const Plan& plan = results.plan();
  const auto count = plan.workloads.size();
  const int wide = std::clamp(static_cast<int>(count), 2, k_diagram.columns) * k_diagram.width;
  SvgPaper paper(0);
  for (std::size_t w = 0; w < count; ++w) {
    k_diagram.begin(paper, w);
    draw_axes(paper, plan, plan.workloads[w].name());
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) draw_line(paper, results, w, s);
  }
  paper.set_origin(0, 0);
  paper.reach(wide, draw_legend(paper, plan.schedules, wide, k_diagram.height_of_all(count) + 8));
  return paper.finish(
      "Time / ideal against the number of threads",
      fmt::format("{} iterations, {:g} ms of work; simulated. Ratios above {:g} are drawn at {:g}.",
                  plan.iterations, plan.work_ms, k_highest, k_highest));
}

} // namespace wstree::cli
