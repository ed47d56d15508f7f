// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A diagram for each loop: the part of the workers' time that is work against their number, a line for each
// schedule. The grey line is what no schedule exceeds.
#include "prediction.h"

#include "diagrams.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr Diagram k_loop_diagram{2, 400, 250, 48, 46, 16, 42};

Point point_of(const Plan& plan, std::size_t threads, double part) {
  return {k_loop_diagram.place_of(threads, plan.threads.size()),
          k_loop_diagram.height_of(std::clamp(part, 0.0, 1.0))};
}

std::string headline(const Prediction& prediction, const Plan& plan) {
  const auto advice = advise(prediction, plan);
  if (!advice) return "";
  const auto workers = plan.threads[advice->threads];
  return fmt::format("{} of work; {} with {} worker{}: {}", duration(prediction.work),
                     name_of(plan.schedules[advice->schedule]), workers, workers == 1 ? "" : "s",
                     duration(advice->time));
}

void draw_axes(SvgPaper& paper, const Plan& plan, const Prediction& prediction) {
  constexpr std::size_t k_title = 46, k_headline = 60; // letters that fit
  paper.text(k_loop_diagram.left, 18, shortened(prediction.title, k_title), {13, "#1a1a1a", "start", true});
  paper.text(k_loop_diagram.left, 34, shortened(headline(prediction, plan), k_headline), {11, k_grey});
  for (int percent = 0; percent <= 100; percent += 25)
    k_loop_diagram.level(paper, percent / 100.0, fmt::format("{} %", percent),
                         percent == 50 ? "#999999" : "#dddddd");
  k_loop_diagram.threads(paper, plan.threads);
  paper.text((k_loop_diagram.left + k_loop_diagram.width - k_loop_diagram.right) / 2,
             k_loop_diagram.height - k_loop_diagram.bottom + 28, "workers", {10, k_grey, "middle"});
}

void draw_ceiling(SvgPaper& paper, const Plan& plan, const Prediction& prediction) {
  std::vector<Point> points;
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    points.push_back(point_of(plan, t, efficiency(prediction, plan, t, prediction.ideals[t])));
  paper.line(points, {"#c8c8c8", 6});
}

/// Through the numbers of workers that were simulated.
void draw_schedule(SvgPaper& paper, const Plan& plan, const Prediction& prediction, std::size_t schedule) {
  std::vector<Marked> marks;
  for (std::size_t t = 0; t < plan.threads.size(); ++t) {
    const auto& time = prediction.times[t][schedule];
    if (!time) continue;
    const double part = efficiency(prediction, plan, t, *time);
    marks.push_back(
        {point_of(plan, t, part),
         fmt::format("{}: {}, {:.0f} %", name_of(plan.schedules[schedule]), duration(*time), part * 100)});
  }
  draw_marked(paper, marks, pen_of(schedule));
}

} // namespace

std::string prediction_svg(const Results& results) {
  const Plan& plan = results.plan();
  const auto loops = predictions(results);
  const int columns = std::min(k_loop_diagram.columns, static_cast<int>(loops.size()));
  const int wide = std::max(columns * k_loop_diagram.width, 560);
  SvgPaper paper(0);
  for (std::size_t p = 0; p < loops.size(); ++p) {
    k_loop_diagram.begin(paper, p);
    draw_axes(paper, plan, loops[p]);
    draw_ceiling(paper, plan, loops[p]);
    // Those that were named first on top.
    for (std::size_t s = plan.schedules.size(); s-- > 0;) draw_schedule(paper, plan, loops[p], s);
  }
  paper.set_origin(0, 0);
  const int note = draw_legend(paper, plan.schedules, wide, k_loop_diagram.height_of_all(loops.size()) + 8);
  paper.text(16, note + 4, "Height: part of the workers' time that is work. Grey: what no schedule exceeds.",
             {11, k_grey});
  paper.reach(wide, note + 14);
  return paper.finish("Part of the workers' time that is work against their number",
                      fmt::format("{}; simulated on {}. No schedule exceeds the grey line.",
                                  shortened(plan.profile, 200), shortened(plan.machine.spec.name, 200)));
}

} // namespace wstree::cli
