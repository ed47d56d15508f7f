// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Far steals of a team that knows where its members are, and of one that does not. 2 packages of 4 NUMA nodes
// of 16 cores; a line from another package costs five times what one from the same node costs.
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace wstree::test {
namespace {

using simulate::Distance;
using simulate::VirtualMachine;

MachineSpec two_packages(std::uint32_t threads_per_core = 1) {
  MachineSpec spec;
  spec.levels = {{"node", 16, 45 * k_ns}, {"package", 64, 110 * k_ns}};
  if (threads_per_core > 1) spec.levels.insert(spec.levels.begin(), {"core", threads_per_core, 15 * k_ns});
  spec.across = 225 * k_ns;
  return spec;
}

struct Run {
  double steals = 0; ///< from members at distance `far` or more
  double time = 0;
};
Run run(const Workload& loop, const MachineSpec& machine, std::uint32_t members, bool aware, std::uint32_t far) {
  Job job;
  job.workload = &loop;
  job.members = members;
  job.machine = machine;
  job.machine.aware = aware;
  const Round round = simulate::simulate(job).front();
  Run result{0, static_cast<double>(round.time)};
  for (std::size_t level = far; level < round.travel.steals.size(); ++level)
    result.steals += static_cast<double>(round.travel.steals[level]);
  return result;
}

/// Over all workloads, in loops that take `ideal` without any cost.
struct Comparison {
  double fewer = 0; ///< times as many far steals without distances as with them, all workloads together
  double time = 0;  ///< with distances / without, geometric mean
  double worst = 0; ///< the largest
};
Comparison compare(std::uint64_t iterations, Time ideal, std::uint32_t members = 128,
                   const MachineSpec& machine = two_packages(), std::uint32_t far = 1) {
  Run blind;
  Run aware;
  Comparison result;
  for (const auto shape : simulate::shape_names()) {
    const Workload loop = workload(shape, iterations, ideal * members);
    const Run without = run(loop, machine, members, false, far);
    const Run with = run(loop, machine, members, true, far);
    blind.steals += without.steals;
    aware.steals += with.steals;
    result.time += std::log(with.time / without.time) / static_cast<double>(simulate::shape_names().size());
    result.worst = std::max(result.worst, with.time / without.time);
  }
  result.time = std::exp(result.time);
  result.fewer = blind.steals / aware.steals;
  return result;
}

} // namespace
} // namespace wstree::test
