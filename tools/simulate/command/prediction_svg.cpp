// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A diagram for each loop: the part of the workers' time that is work against their number, a curve for each
// schedule. The grey line is the bound that no schedule exceeds.
#include "prediction.h"

#include "support/chart.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

std::string shortened(std::string_view text, std::size_t most) {
  return text.size() > most ? std::string(text.substr(0, most)) + "..." : std::string(text);
}

std::string headline(const Prediction& prediction, const Plan& plan) {
  const auto advice = advise(prediction, plan);
  if (!advice) return "";
  const auto workers = plan.threads[advice->threads];
  return fmt::format("{} of work; {} with {} worker{}: {}", duration(prediction.work),
                     name_of(plan.schedules[advice->schedule]), workers, workers == 1 ? "" : "s",
                     duration(advice->time));
}

Axis percent_axis() {
  Axis axis{"work in the workers' time", 0, 1};
  for (int percent = 0; percent <= 100; percent += 25)
    axis.ticks.push_back({percent / 100.0, fmt::format("{} %", percent)});
  return axis;
}

Curve ceiling(const Prediction& prediction, const Plan& plan) {
  Curve curve{"", {"#c8c8c8"}, {}, 6, false};
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    curve.marks.push_back({double(plan.threads[t]), efficiency(prediction, plan, t, prediction.ideals[t])});
  return curve;
}

/// Returns the curve through the numbers of workers that were simulated.
Curve curve_of(const Prediction& prediction, const Plan& plan, std::size_t schedule, const Pen& pen) {
  const auto name = name_of(plan.schedules[schedule]);
  Curve curve{name, pen, {}};
  for (std::size_t t = 0; t < plan.threads.size(); ++t) {
    const auto& time = prediction.times[t][schedule];
    if (!time) continue;
    const double part = efficiency(prediction, plan, t, *time);
    curve.marks.push_back(
        {double(plan.threads[t]), part, fmt::format("{}: {}, {:.0f} %", name, duration(*time), part * 100)});
  }
  return curve;
}

} // namespace

std::string prediction_svg(const Results& results) {
  const Plan& plan = results.plan();
  Picture picture{"Part of the workers' time that is work against their number",
                  fmt::format("{}; simulated on {}.", shortened(plan.profile, 200),
                              shortened(plan.machine.spec.name, 200)),
                  {},
                  2,
                  400,
                  260};
  picture.note = "Height: part of the workers' time that is work. Grey: what no schedule exceeds.";
  const auto pens = pens_of(names_of(plan.schedules));
  for (const Prediction& prediction : predictions(results)) {
    Diagram diagram{prediction.title, headline(prediction, plan), axis_of_threads(plan.threads, "workers"),
                    percent_axis()};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s)
      diagram.curves.push_back(curve_of(prediction, plan, s, pens[s]));
    diagram.curves.push_back(ceiling(prediction, plan));
    picture.diagrams.push_back(std::move(diagram));
  }
  return svg_of(picture);
}

} // namespace wstree::cli
