// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of batches and steals at the end of a loop.
#include "simulated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace wstree::test {
namespace {

struct Figures {
  double mean = 1; ///< geometric
  double worst = 0;
};

/// Of time / ideal over all workloads with an ideal of `ideal`, as the command has it.
Figures over_workloads(std::uint32_t members, std::uint64_t iterations, Time ideal) {
  Figures figures;
  double logs = 0;
  const auto names = simulate::shape_names();
  for (const auto name : names) {
    const Workload loop = workload(name, iterations, ideal * members);
    Job job = with(loop, {Model::tree, 0}, members);
    job.machine = MachineSpec();
    const double value = ratio(job, 1);
    logs += std::log(value);
    figures.worst = std::max(figures.worst, value);
  }
  figures.mean = std::exp(logs / static_cast<double>(names.size()));
  return figures;
}

TEST(Tail, SmallTeamsLoseNothing) {
  const Figures two = over_workloads(2, 100'000, k_ms);
  EXPECT_LT(two.mean, 1.012);
  EXPECT_LT(two.worst, 1.02);
  const Figures eight = over_workloads(8, 100'000, k_ms);
  EXPECT_LT(eight.mean, 1.014);
  EXPECT_LT(eight.worst, 1.02);
}

TEST(Tail, SixtyFourMembersOnLoopsOf200MicrosecondsAndMore) {
  const Figures figures = over_workloads(64, 100'000, k_ms / 5);
  EXPECT_LT(figures.mean, 1.08);
  EXPECT_LT(figures.worst, 1.17); // RANDIF: an iteration is 6 % of the ideal
  EXPECT_LT(over_workloads(64, 1'000'000, k_ms).worst, 1.05);
}

} // namespace
} // namespace wstree::test
