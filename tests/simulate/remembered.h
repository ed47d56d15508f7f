// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop that a virtual team executes again and again.
#pragma once

#include "moves.h"
#include "simulated.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace wstree::test {

inline constexpr Time k_us = 1'000 * k_ns;

using WorkloadOf = std::function<const Workload&(std::uint32_t round)>;

/// By execution.
struct Executions {
  std::vector<double> ratios; ///< time / ideal
  std::vector<double> steals;
  std::vector<double> moved; ///< part of the work that another member had before
};

inline Job remembered(const WorkloadOf& workload_of, std::uint32_t members, std::uint32_t rounds,
                      bool history) {
  Job job = with(workload_of(0), {Model::tree, 0}, members);
  job.machine = {}; // arrivals within a microsecond
  job.rounds = rounds;
  job.settings.history = history;
  job.workload_of = workload_of;
  job.follows = true;
  return job;
}

inline Executions executions(const Job& job) {
  Executions all;
  const auto rounds = simulate::simulate(job);
  for (std::uint32_t r = 0; r < job.rounds; ++r) {
    const Workload& loop = job.workload_of(r);
    const auto work = static_cast<double>(loop.cost(0, loop.iterations()));
    all.ratios.push_back(static_cast<double>(rounds[r].time) / static_cast<double>(loop.ideal(job.members)));
    all.steals.push_back(static_cast<double>(rounds[r].counts.steals));
    all.moved.push_back(static_cast<double>(rounds[r].moved) / work);
  }
  return all;
}
inline Executions executions(const WorkloadOf& workload_of, std::uint32_t members, std::uint32_t rounds,
                             bool history) {
  return executions(remembered(workload_of, members, rounds, history));
}

/// The median of the second half.
inline double settled(const std::vector<double>& values) {
  std::vector<double> half(values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  std::ranges::sort(half);
  return half[half.size() / 2];
}
inline double largest(const std::vector<double>& values) { return *std::ranges::max_element(values); }

} // namespace wstree::test
