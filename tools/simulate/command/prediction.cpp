// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prediction.h"

#include "support/few_chunks.h"
#include "support/user_text.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace wstree::cli {

namespace {

using simulate::in_ns;

constexpr double k_pays = 0.5;     // part of the workers' time
constexpr double k_as_good = 1.02; // differences below are none
constexpr double k_short = 20'000; // ns of work for each worker
constexpr double k_much_lost = 1.25;
constexpr double k_coarse = 0.25; // part of a worker's share

Prediction of_loop(const Results& results, std::size_t w) {
  const Plan& plan = results.plan();
  const auto& workload = plan.workloads[w];
  Prediction prediction;
  prediction.title = workload.name();
  prediction.work = in_ns(workload.cost(0, workload.iterations()));
  prediction.longest = in_ns(workload.longest());
  prediction.recorded = plan.recordings[w].schedule;
  prediction.clause = plan.recordings[w].clause;
  prediction.chunk = plan.recordings[w].chunk;
  prediction.iterations = workload.iterations();
  for (std::size_t t = 0; t < plan.threads.size(); ++t) {
    prediction.ideals.push_back(in_ns(results.at(t, w, 0).ideal));
    auto& times = prediction.times.emplace_back();
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
      const auto& outcome = results.at(t, w, s);
      // A machine that charges nothing for a loop without work: 1 ps, so that there are ratios.
      times.push_back(outcome.simulated ? std::optional(std::max(in_ns(outcome.round.time), 0.001))
                                        : std::nullopt);
    }
  }
  return prediction;
}

/// Returns "dynamic", or "runtime,dynamic" if they differ.
std::string clauses_of(const std::vector<Prediction>& loops) {
  std::vector<std::string> clauses;
  for (const auto& loop : loops) {
    auto kind = loop.clause.empty() ? "runtime" : loop.clause.substr(0, loop.clause.find(','));
    if (std::ranges::find(clauses, kind) == clauses.end()) clauses.push_back(std::move(kind));
  }
  const bool all_same =
      std::ranges::all_of(loops, [&](const Prediction& loop) { return loop.clause == loops.front().clause; });
  return all_same ? loops.front().clause : fmt::format("{}", fmt::join(clauses, ","));
}

/// Returns the prediction for all loops one after the other, each as often as it ran.
Prediction together(const std::vector<Prediction>& loops, const Plan& plan) {
  Prediction sum;
  sum.title = fmt::format("all {} loops, as often as they ran", loops.size());
  sum.recorded = loops.front().recorded;
  sum.clause = clauses_of(loops);
  sum.ideals.resize(plan.threads.size());
  sum.times.assign(plan.threads.size(), std::vector<std::optional<double>>(plan.schedules.size(), 0.0));
  for (std::size_t w = 0; w < loops.size(); ++w) {
    const auto often = static_cast<double>(plan.recordings[w].seen);
    sum.work += often * loops[w].work;
    if (loops[w].recorded != sum.recorded) sum.recorded.clear();
    for (std::size_t t = 0; t < plan.threads.size(); ++t) {
      sum.ideals[t] += often * loops[w].ideals[t];
      for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
        auto& time = sum.times[t][s];
        const auto& one = loops[w].times[t][s];
        time = time && one ? std::optional(*time + often * *one) : std::nullopt;
      }
    }
  }
  return sum;
}

/// Returns whether the user can have the schedule without touching the source.
bool is_choice(const Prediction& prediction, const simulate::Schedule& schedule) {
  if (prediction.clause.empty()) return can_be_set(schedule);
  return is_own(schedule) || name_of(schedule) == prediction.clause;
}

/// Returns the best schedule; among schedules that are as good as each other, the program's own, else
/// the first.
std::optional<std::size_t> best_schedule(const Prediction& prediction, const Plan& plan, std::size_t t) {
  std::optional<std::size_t> best;
  for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
    const auto& time = prediction.times[t][s];
    if (time && is_choice(prediction, plan.schedules[s]) && (!best || *time < *prediction.times[t][*best]))
      best = s;
  }
  if (!best) return best;
  const auto is_as_good = [&](std::size_t s) {
    const auto& time = prediction.times[t][s];
    return time && is_choice(prediction, plan.schedules[s]) &&
           *time <= k_as_good * *prediction.times[t][*best];
  };
  std::optional<std::size_t> first;
  for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
    if (!is_as_good(s)) continue;
    if (name_of(plan.schedules[s]) == prediction.recorded) return s;
    if (!first) first = s;
  }
  return first;
}

std::vector<Comparison> comparisons(const Prediction& prediction, const Plan& plan, const Advice& advice) {
  std::vector<Comparison> found;
  const auto add = [&](std::string_view name, std::string_view remark) {
    for (std::size_t s = 0; s < plan.schedules.size(); ++s) {
      const auto& time = prediction.times[advice.threads][s];
      if (s == advice.schedule || !time || name_of(plan.schedules[s]) != name ||
          std::ranges::find(found, name, &Comparison::schedule) != found.end())
        continue;
      found.push_back({std::string(name), *time / advice.time, remark});
    }
  };
  add(prediction.clause, "which its source says");
  add(prediction.recorded, "with which it was recorded");
  for (const auto* name : {"static", "dynamic", "guided"}) add(name, "");
  return found;
}

/// Returns a text on what limits the loop, with the number of workers in place `last` of the plan.
std::string limit_of(const Prediction& prediction, const Plan& plan, std::size_t last) {
  const auto workers = plan.threads[last];
  const double share = prediction.work / workers;
  if (has_few_chunks(prediction.chunk, prediction.iterations, 1, workers))
    return fmt::format(
        "the chunk in its source: whole chunks of {} iterations are handed out, {} in all. Write a "
        "smaller one, or try the rule 'FILE:LINE wstree chunk=1' if the program does not count on "
        "whole chunks.",
        prediction.chunk, with_commas((prediction.iterations + prediction.chunk - 1) / prediction.chunk));
  if (prediction.longest > share)
    return fmt::format(
        "the longest iterations take {} each: more than {} workers cannot make the loop shorter.",
        duration(prediction.longest),
        with_commas(static_cast<std::uint64_t>(std::max(prediction.work / prediction.longest, 1.0))));
  if (prediction.ideals[last] > 1.02 * share && prediction.longest == 0)
    return "some of the loops have iterations that take longer than the share of a worker.";
  if (share < k_short && prediction.longest != 0)
    return fmt::format(
        "with {} workers {} of work are left for each, which is little beside what it takes to share "
        "it out.",
        with_commas(workers), duration(share));
  const auto best = best_schedule(prediction, plan, last);
  const bool much_lost = best && *prediction.times[last][*best] > k_much_lost * prediction.ideals[last];
  if (much_lost && prediction.longest > k_coarse * share)
    return fmt::format("with {} workers the longest iterations take {} where {} of work are left for each, "
                       "which cannot be shared evenly.",
                       with_commas(workers), duration(prediction.longest), duration(share));
  if (much_lost)
    return fmt::format("with {} workers it is sharing the work out that takes time; there is enough of it.",
                       with_commas(workers));
  return fmt::format("nothing in the loop itself, up to {} worker{}.", with_commas(workers),
                     workers == 1 ? "" : "s");
}

std::string factor_of(const Comparison& other) {
  if (other.factor > k_as_good)
    return fmt::format("{:.{}f} times as fast as {}", other.factor,
                       other.factor < 9.95 ? (other.factor < 1.095 ? 2 : 1) : 0, other.schedule);
  if (other.factor * k_as_good < 1)
    return fmt::format("slower than {} by {:.0f} %", other.schedule, (1 / other.factor - 1) * 100);
  return fmt::format("as fast as {}", other.schedule);
}

std::string percent(double part) { return fmt::format("{:.0f} %", part * 100); }

/// Returns "dynamic" for "dynamic,4"; a list of kinds stays as it is.
std::string without_chunk(const std::string& clause) {
  const auto comma = clause.find(',');
  return comma != std::string::npos && whole_number(clause.substr(comma + 1)) ? clause.substr(0, comma)
                                                                              : clause;
}

std::string what_to_do(const std::string& schedule, const Prediction& prediction) {
  const auto* const verb = schedule == prediction.recorded ? "Keep" : "Use";
  if (prediction.clause.empty()) return fmt::format("{} OMP_SCHEDULE={}", verb, schedule);
  if (schedule == prediction.clause)
    return fmt::format("Leave it to the OpenMP runtime ({}, as its source says)", schedule);
  return fmt::format("{} OMP_SCHEDULE={} and WSTREE_LOOPS={}", verb, schedule,
                     without_chunk(prediction.clause));
}

} // namespace

std::string duration(double ns) {
  static constexpr std::array<std::pair<double, const char*>, 4> k_units{
      {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  const auto* unit = k_units.begin();
  // 999.6 us are 1.00 ms.
  while (unit + 1 != k_units.end() && ns < unit->first * 0.9995) ++unit;
  const double value = ns / unit->first;
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, unit->second);
}

std::vector<Prediction> predictions(const Results& results) {
  std::vector<Prediction> loops;
  for (std::size_t w = 0; w < results.plan().workloads.size(); ++w) loops.push_back(of_loop(results, w));
  if (loops.size() > 1) loops.push_back(together(loops, results.plan()));
  return loops;
}

double efficiency(const Prediction& prediction, const Plan& plan, std::size_t threads, double time) {
  return prediction.work / (time * plan.threads[threads]);
}

std::optional<Advice> advise(const Prediction& prediction, const Plan& plan) {
  Advice advice;
  bool found = false;
  std::size_t fewest = 0;
  const auto efficiency_of = [&](std::size_t t, std::size_t s) {
    return efficiency(prediction, plan, t, *prediction.times[t][s]);
  };
  for (std::size_t t = 0; t < plan.threads.size(); ++t) {
    if (plan.threads[t] < plan.threads[fewest]) fewest = t;
    const auto best = best_schedule(prediction, plan, t);
    if (!best || efficiency_of(t, *best) < k_pays) continue;
    if (!found || plan.threads[t] > plan.threads[advice.threads]) {
      advice.threads = t;
      advice.schedule = *best;
      found = true;
    }
  }
  if (!found) {
    const auto best = best_schedule(prediction, plan, fewest);
    if (!best) return std::nullopt;
    advice.threads = fewest;
    advice.schedule = *best;
  }
  advice.time = *prediction.times[advice.threads][advice.schedule];
  advice.others = comparisons(prediction, plan, advice);
  for (std::size_t t = 0; t < plan.threads.size(); ++t) {
    const auto best = best_schedule(prediction, plan, t);
    if (!best || plan.threads[t] <= plan.threads[advice.threads]) continue;
    if (advice.too_many && plan.threads[*advice.too_many] <= plan.threads[t]) continue;
    advice.too_many = t;
    advice.wasted = efficiency_of(t, *best);
  }
  advice.limit = limit_of(prediction, plan, advice.too_many.value_or(advice.threads));
  return advice;
}

std::vector<std::string> sentences(const Advice& advice, const Prediction& prediction, const Plan& plan) {
  const auto workers = plan.threads[advice.threads];
  const auto name = name_of(plan.schedules[advice.schedule]);
  const double speedup = prediction.work / advice.time;
  std::vector<std::string> lines;
  lines.push_back(fmt::format(
      "{} with {} worker{}: {}, {:.{}f} times as fast as one alone; {} of the workers' time is work.",
      what_to_do(name, prediction), with_commas(workers), workers == 1 ? "" : "s", duration(advice.time),
      speedup, speedup < 9.95 ? 1 : 0, percent(efficiency(prediction, plan, advice.threads, advice.time))));
  std::vector<std::string> factors;
  for (const auto& other : advice.others)
    factors.push_back(factor_of(other) + (other.remark.empty() ? "" : fmt::format(", {}", other.remark)));
  if (!factors.empty())
    lines.push_back(fmt::format("With so many workers it is {}.", fmt::join(factors, "; ")));
  if (advice.too_many)
    lines.push_back(fmt::format("More workers do not pay: with {} only {} of the workers' time is work.",
                                with_commas(plan.threads[*advice.too_many]), percent(advice.wasted)));
  lines.push_back("What limits it: " + advice.limit);
  return lines;
}

} // namespace wstree::cli
