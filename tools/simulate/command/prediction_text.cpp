// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prediction.h"

#include "support/table.h"
#include "support/user_text.h"

#include <fmt/format.h>
#include <iterator>

namespace wstree::cli {

namespace {

std::string prediction_head(const Plan& plan) {
  auto out =
      fmt::format("{}: {} loop{} recorded", plan.profile, plan.recorded, plan.recorded == 1 ? "" : "s");
  if (plan.workloads.size() < plan.recorded)
    fmt::format_to(std::back_inserter(out), "; {} of them, with {:.0f} % of the work", plan.workloads.size(),
                   plan.covered * 100);
  fmt::format_to(std::back_inserter(out), "\nmachine: {}\n", machine_text(plan.machine.spec));
  if (const auto beyond = beyond_the_machine(plan); !beyond.empty())
    fmt::format_to(std::back_inserter(out),
                   "  has {} cores; {} workers have more packages of the same kind\n",
                   with_commas(plan.machine.cores), beyond);
  return out;
}

std::string facts(const Plan& plan, const Prediction& prediction, std::size_t w) {
  const auto& recording = plan.recordings[w];
  const auto& workload = plan.workloads[w];
  const auto with = recording.clause.empty()
                        ? recording.schedule
                        : fmt::format("{} (its source says {})", recording.schedule, recording.clause);
  return fmt::format("loop {}: {}\n"
                     "  {} iteration{}, {} of work, the longest {}; recorded with {} on {} thread{} in {}\n"
                     "  ran {} time{}, {} recorded; this is the one with the median of the work\n",
                     recording.number, prediction.title, with_commas(workload.iterations()),
                     workload.iterations() == 1 ? "" : "s", duration(prediction.work),
                     duration(prediction.longest), with, recording.members, recording.members == 1 ? "" : "s",
                     duration(static_cast<double>(recording.elapsed) / simulate::k_ns),
                     with_commas(recording.seen), recording.seen == 1 ? "" : "s", recording.kept);
}

/// Returns a table of the time, time to ideal, and the part of the workers' time that is work.
std::string table_of(const Plan& plan, const Prediction& prediction) {
  Table table;
  Table::Row row{"  schedule"};
  for (const auto threads : plan.threads)
    row.insert(row.end(),
               {fmt::format("{} worker{}", with_commas(threads), threads == 1 ? "" : "s"), "", ""});
  table.add(row);
  row = {"  ideal"};
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    row.insert(row.end(),
               {duration(prediction.ideals[t]), "",
                fmt::format("{:.0f} %", efficiency(prediction, plan, t, prediction.ideals[t]) * 100)});
  table.add(row);
  for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
    row = {"  " + name_of(plan.schedules[s])};
    for (std::size_t t = 0; t < plan.threads.size(); ++t) {
      const auto& time = prediction.times[t][s];
      if (!time) {
        row.insert(row.end(), {"-", "", ""});
        continue;
      }
      const double ratio = *time / prediction.ideals[t];
      row.insert(row.end(), {duration(*time), fmt::format("{:.{}f}", ratio, ratio < 99.995 ? 2 : 0),
                             fmt::format("{:.0f} %", efficiency(prediction, plan, t, *time) * 100)});
    }
    table.add(row);
  }
  return table.text();
}

} // namespace

std::string prediction_text(const Results& results) {
  const Plan& plan = results.plan();
  auto out = prediction_head(plan);
  out += "For each number of workers: time, time / ideal, part of the workers' time that is work; ideal is\n"
         "max(work / workers, longest iteration).\n";
  const auto loops = predictions(results);
  bool left_out = false;
  for (std::size_t p = 0; p < loops.size(); ++p) {
    out += '\n';
    out += p < plan.workloads.size() ? facts(plan, loops[p], p) : loops[p].title + '\n';
    out += table_of(plan, loops[p]);
    if (const auto advice = advise(loops[p], plan))
      for (const auto& line : sentences(*advice, loops[p], plan)) out += "  " + line + '\n';
    for (const auto& times : loops[p].times)
      for (const auto& time : times) left_out |= !time.has_value();
  }
  out += "\nNot in these figures: memory bandwidth, and what it costs to move the data of the iterations. "
         "Where the\n"
         "recording knows only several iterations together, they count as equally long.\n";
  if (left_out) out += fmt::format("-: more than {} batches; not simulated.\n", with_commas(k_most_batches));
  return out;
}

} // namespace wstree::cli
