// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prediction.h"

#include "support/table.h"
#include "support/user_text.h"

#include <cmath>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

/// Returns the ratio as text; without a simulation it is not a number.
std::string ratio(double value) {
  if (std::isnan(value)) return "-";
  return fmt::format("{:.{}f}", value, value < 99.995 ? 2 : 0);
}

std::string head(const Plan& plan) {
  auto out = fmt::format("{} iterations, {:g} ms of work, median of {} round{}; batches {}, strategy {}",
                         with_commas(plan.iterations), plan.work_ms, plan.rounds, plan.rounds == 1 ? "" : "s",
                         config::to_text(plan.batch).view(), config::to_text(plan.strategy));
  if (plan.settings.roots != 0)
    out += fmt::format(", {} root{}", plan.settings.roots, plan.settings.roots == 1 ? "" : "s");
  out += fmt::format("\nmachine: {}\n", machine_text(plan.machine.spec));
  if (const auto beyond = beyond_the_machine(plan); !beyond.empty())
    out += fmt::format("  has {} cores; {} threads have more packages of the same kind\n",
                       with_commas(plan.machine.cores), beyond);
  return out + "time / ideal; ideal is max(work / threads, longest iteration)\n";
}

std::string matrix(const Results& results, std::size_t t) {
  const Plan& plan = results.plan();
  Table table;
  const auto threads = plan.threads[t];
  Table::Row row{fmt::format("{} thread{}", threads, threads == 1 ? "" : "s")};
  for (const auto& schedule : plan.schedules) row.push_back(name_of(schedule));
  table.add(row);
  for (std::size_t w = 0; w < plan.workloads.size(); ++w) {
    row = {plan.workloads[w].name()};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
      const auto& outcome = results.at(t, w, s);
      row.push_back(ratio(outcome.simulated ? outcome.ratio : std::nan("")));
    }
    table.add(row);
  }
  if (plan.workloads.size() > 1) {
    row = {"geometric mean"};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s)
      row.push_back(ratio(results.geometric_mean(t, s)));
    table.add(row);
    row = {"worst"};
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) row.push_back(ratio(results.worst(t, s)));
    table.add(row);
  }
  return table.text();
}

std::string details_of(const Results& results, std::size_t t) {
  const Plan& plan = results.plan();
  Table table;
  table.add({fmt::format("{} thread{}", plan.threads[t], plan.threads[t] == 1 ? "" : "s"), "schedule",
             "time/ideal", "time us", "first us", "batches", "steals", "far", "far work", "nodes",
             "transfers", "waiting us"});
  for (std::size_t w = 0; w < plan.workloads.size(); ++w)
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
      const auto& outcome = results.at(t, w, s);
      if (!outcome.simulated) continue;
      const auto& round = outcome.round;
      const auto us = [](simulate::Time time) {
        return fmt::format("{:.1f}", static_cast<double>(time) / (1'000 * simulate::k_ns));
      };
      table.add(
          {plan.workloads[w].name(), name_of(plan.schedules[s]), ratio(outcome.ratio), us(round.time),
           us(outcome.first), with_commas(round.counts.batches), with_commas(round.counts.steals),
           with_commas(far_steals(round)), fmt::format("{:.0f} %", 100 * far_work(round, plan.workloads[w])),
           with_commas(round.counts.nodes), with_commas(round.traffic.transfers), us(round.traffic.waiting)});
    }
  return table.text();
}

} // namespace

std::string simulate_text(const Results& results, bool details) {
  const bool is_prediction = !results.plan().profile.empty();
  if (is_prediction && !details) return prediction_text(results);
  auto out = is_prediction ? prediction_text(results) : head(results.plan());
  for (std::size_t t = 0; t < results.plan().threads.size(); ++t) {
    out += '\n';
    out += details ? details_of(results, t) : matrix(results, t);
  }
  return out;
}

} // namespace wstree::cli
