// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops on virtual machines, in the few words that the tests need.
#pragma once

#include "simulate.h"
#include "usual.h"
#include "workload.h"

namespace wstree::test {

using core::Model;
using simulate::Job;
using simulate::k_ns;
using simulate::MachineSpec;
using simulate::Round;
using simulate::Schedule;
using simulate::Time;
using simulate::Workload;

inline constexpr Time k_us = 1'000 * k_ns, k_ms = 1'000 * k_us;
inline constexpr Model k_models[] = {Model::tree,       Model::range,     Model::queue,
                                     Model::queue_lock, Model::fixed,     Model::guided,
                                     Model::factoring,  Model::trapezoid, Model::static_};

/// One of the benchmark's.
inline Workload workload(std::string_view shape, std::uint64_t iterations, Time work) {
  return simulate::make_workload(shape, iterations, work).value();
}

/// The machine as it is assumed, its members at the loop at the same time.
inline MachineSpec machine() {
  MachineSpec spec;
  spec.skew = 0;
  return spec;
}

/// Batches of `step` in the models that adapt, and as the chunk in the others.
inline Job fixed_steps(const Workload& loop, Model model, std::uint32_t members, std::uint64_t step) {
  Job job;
  job.workload = &loop;
  job.schedule = {model, step};
  job.members = members;
  job.settings.batch = core::BatchMode::fixed;
  job.settings.limit = step;
  job.machine = machine();
  return job;
}

inline Job with(const Workload& loop, Schedule schedule, std::uint32_t members) {
  Job job;
  job.workload = &loop;
  job.schedule = schedule;
  job.members = members;
  job.machine = machine();
  return job;
}

/// Time / ideal of the median.
inline double ratio(Job job, std::uint32_t rounds = 3) {
  job.rounds = rounds;
  const auto result = simulate::simulate(job);
  return static_cast<double>(simulate::median(result).time) /
         static_cast<double>(job.workload->ideal(job.members));
}
inline double speedup(const Job& job) {
  const auto work = job.workload->cost(0, job.workload->iterations());
  return static_cast<double>(work) / (ratio(job) * static_cast<double>(job.workload->ideal(job.members)));
}

/// Ratios of times, of many loops.
struct Figures {
  double logs = 0, worst = 0;
  std::size_t count = 0;
  std::string at; ///< the worst

  void add(double value, const std::string& where = {}) {
    logs += std::log(value);
    ++count;
    if (value <= worst) return;
    worst = value;
    at = where;
  }
  /// Geometric.
  double mean() const { return std::exp(logs / static_cast<double>(count)); }
};

/// One loop that a virtual team executes again and again.
inline Job remembered(const std::function<const Workload&(std::uint32_t round)>& workload_of,
                      std::uint32_t members, std::uint32_t rounds, bool history) {
  Job job = with(workload_of(0), {Model::tree, 0}, members);
  job.machine = {}; // arrivals within a microsecond
  job.rounds = rounds;
  job.settings.history = history;
  job.workload_of = workload_of;
  return job;
}

} // namespace wstree::test
