// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include "on_all_cpus.h"
#include "recorded.h"
#include "support/progress.h"
#include "support/user_text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <mutex>

namespace wstree::cli {

namespace {

using simulate::k_ns;
using simulate::Time;

constexpr std::uint32_t k_most_threads = 1024;
/// Default schedules for a loop of the user's.
constexpr const char* k_compared = "wstree,wsrange,wsqueue,wsfac2,static,dynamic,guided,static_steal";
constexpr std::uint64_t k_many_batches = 200'000; // from here on one round has to do

std::optional<std::string> take_workloads(const std::string& text, Plan& plan) {
  std::vector<std::string> names;
  if (text == "all")
    for (const auto known : simulate::shape_names()) names.emplace_back(known);
  else
    names = parts_of(text, ',');
  const auto work = static_cast<Time>(std::llround(plan.work_ms * 1e6)) * k_ns;
  for (const auto& name : names) {
    auto workload = simulate::make_workload(name, plan.iterations, work);
    if (!workload)
      return fmt::format("--workload '{}' is not understood (accepted: all, or a list of {})", name,
                         fmt::join(simulate::shape_names(), ", "));
    plan.workloads.push_back(std::move(*workload));
  }
  return std::nullopt;
}

std::optional<std::string> take_threads(const std::string& text, Plan& plan) {
  for (const auto& part : parts_of(text, ',')) {
    const auto threads = whole_number(part);
    if (!threads || *threads == 0 || *threads > k_most_threads)
      return fmt::format(
          "--threads or --workers '{}' is not understood (accepted: a list of numbers from 1 to {})", part,
          k_most_threads);
    plan.threads.push_back(static_cast<std::uint32_t>(*threads));
  }
  return std::nullopt;
}

std::optional<std::string> take_strategy(const std::string& text, Plan& plan) {
  const auto strategy = config::parse_strategy(text);
  if (!strategy)
    return fmt::format("--strategy '{}' is not understood (accepted: {})", text,
                       config::text_of(config::Option::strategy).accepted);
  plan.strategy = *strategy;
  plan.settings.strategy = *strategy;
  return std::nullopt;
}

std::optional<std::string> take_batch(const std::string& text, Plan& plan) {
  const auto batch = config::parse_batch(text);
  if (!batch)
    return fmt::format("--batch '{}' is not understood (accepted: {})", text,
                       config::text_of(config::Option::batch).accepted);
  plan.batch = *batch;
  plan.settings.batch = batch->mode;
  if (batch->mode != config::BatchMode::timed) {
    plan.settings.limit = batch->value;
  } else if (batch->value != 0) {
    const std::uint64_t ticks = core::setting_of(core::scaled(batch->value, 5, 2)); // 2.5 GHz
    plan.settings.shortest_target = plan.settings.longest_target = ticks;
  }
  return std::nullopt;
}

/// Adds the schedule that each recorded loop ran with, and that in its source, if it can be simulated and is
/// not there yet.
void add_recorded_schedules(Plan& plan) {
  for (const auto& recording : plan.recordings)
    for (const auto& name : {recording.schedule, recording.clause}) {
      const auto schedule = schedule_named(name);
      if (schedule && std::ranges::find(plan.schedules, *schedule) == plan.schedules.end())
        plan.schedules.push_back(*schedule);
    }
}

/// Simulates a workload of the plan. A user's loop with very many batches has only one round, or is left out,
/// because the user waits for it; a workload of the benchmark has as many rounds as the plan.
Outcome outcome_of(const Plan& plan, std::size_t w, simulate::Schedule schedule, std::uint32_t threads) {
  Outcome outcome;
  outcome.ideal = simulate::ideal(plan.workloads[w], threads, plan.machine.spec);
  // The library hands out whole chunks of the source; the chunk of a runtime's schedule is part of the
  // schedule in the source.
  const auto* const recording = plan.recordings.empty() || !is_own(schedule) ? nullptr : &plan.recordings[w];
  const bool in_chunks = recording != nullptr && recording->chunks.has_value();
  const auto& workload = in_chunks ? *recording->chunks : plan.workloads[w];
  if (in_chunks) schedule.chunk = (schedule.chunk + recording->chunk - 1) / recording->chunk;
  const auto batches = plan.profile.empty() ? 0 : batches_of(schedule, workload.iterations());
  if (batches > k_most_batches) return outcome;
  const auto rounds = simulate::simulate({&workload, schedule, threads, plan.settings, plan.machine.spec,
                                          plan.seed, batches > k_many_batches ? 1 : plan.rounds});
  outcome.simulated = true;
  outcome.first = rounds.front().time;
  outcome.round = simulate::median(rounds);
  if (!in_chunks) outcome.ideal = outcome.round.ideal;
  outcome.ratio = static_cast<double>(outcome.round.time) / static_cast<double>(outcome.ideal);
  return outcome;
}

} // namespace

std::optional<std::string> make_plan(const SimulateRequest& request, Plan& plan) {
  if (!request.profile) return make_plan(request, {}, plan);
  const auto loops = read_recorded(*request.profile);
  if (const auto* const problem = std::get_if<std::string>(&loops)) return *problem;
  return make_plan(request, std::get<std::vector<simulate::RecordedLoop>>(loops), plan);
}

std::optional<std::string> make_plan(const SimulateRequest& request,
                                     const std::vector<simulate::RecordedLoop>& loops, Plan& plan) {
  plan.settings = simulate::unmeasured();
  plan.settings.roots = request.roots;
  plan.iterations = request.iterations;
  plan.work_ms = request.work_ms;
  plan.seed = request.seed;
  plan.rounds = request.rounds;
  plan.profile = request.profile.value_or("");
  auto problem =
      take_schedules(request.schedules.value_or(request.profile ? k_compared : "all"), plan.schedules);
  if (!problem)
    problem =
        request.profile ? take_recorded(loops, request.loop, plan) : take_workloads(request.workloads, plan);
  if (!problem)
    problem = take_threads(request.threads.value_or(request.profile ? "8,64,256,1024" : "4,16,64"), plan);
  if (!problem && request.machine) problem = parse_machine(*request.machine, plan.machine);
  if (!problem && request.strategy) problem = take_strategy(*request.strategy, plan);
  if (!problem && request.batch) problem = take_batch(*request.batch, plan);
  if (problem) return problem;
  if (!request.schedules) add_recorded_schedules(plan);
  const auto fewest = std::ranges::min(plan.threads);
  if (plan.settings.roots > fewest)
    return fmt::format("--roots {} is more than {} threads; the tree has at most one root per thread",
                       plan.settings.roots, fewest);
  return std::nullopt;
}

std::string beyond_the_machine(const Plan& plan) {
  std::vector<std::string> beyond;
  for (const auto threads : plan.threads)
    if (plan.machine.cores != 0 && threads > plan.machine.cores) beyond.push_back(with_commas(threads));
  return fmt::format("{}", fmt::join(beyond, ", "));
}

std::uint64_t far_steals(const simulate::Round& round) {
  return round.counts.steals == 0 ? 0 : round.travel.far_steals();
}

double far_work(const simulate::Round& round, const simulate::Workload& workload) {
  const auto work = static_cast<double>(workload.cost(0, workload.iterations()));
  return work == 0 ? 0 : static_cast<double>(round.travel.far_work()) / work;
}

Results::Results(const Plan& plan, const std::function<bool()>& stop)
    : plan_(&plan), outcomes_(plan.threads.size() * plan.workloads.size() * plan.schedules.size()) {
  const auto schedules = plan.schedules.size();
  const auto each = plan.workloads.size() * schedules;
  double work = 0; // about as the times: more members take longer
  for (const auto threads : plan.threads) work += static_cast<double>(threads) * static_cast<double>(each);
  Progress progress;
  std::mutex mutex;
  double done = 0;
  const auto compute = [&](std::size_t i) {
    const auto threads = plan.threads[i / each];
    const auto w = i % each / schedules;
    if (stop()) {
      outcomes_[i].ideal = simulate::ideal(plan.workloads[w], threads, plan.machine.spec);
      const std::lock_guard lock(mutex);
      ++missing_;
      return;
    }
    outcomes_[i] = outcome_of(plan, w, plan.schedules[i % schedules], threads);
    const std::lock_guard lock(mutex);
    done += threads;
    progress.show_part(fmt::format("simulated {:.0f} %", 100 * done / work), done / work);
  };
  // The last ones first: most members come last, and the longest simulations should not be left for the end.
  for_each_on_all_cpus(outcomes_.size(), [&](std::size_t i) { compute(outcomes_.size() - 1 - i); });
}

double Results::geometric_mean(std::size_t threads, std::size_t schedule) const {
  double logs = 0;
  for (std::size_t w = 0; w < plan_->workloads.size(); ++w) {
    if (!at(threads, w, schedule).simulated) return std::nan("");
    logs += std::log(at(threads, w, schedule).ratio);
  }
  return std::exp(logs / static_cast<double>(plan_->workloads.size()));
}

double Results::worst(std::size_t threads, std::size_t schedule) const {
  double most = 0;
  for (std::size_t w = 0; w < plan_->workloads.size(); ++w)
    most = at(threads, w, schedule).simulated ? std::max(most, at(threads, w, schedule).ratio) : std::nan("");
  return most;
}

} // namespace wstree::cli
