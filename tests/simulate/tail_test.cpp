// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What batches and steals cost at the end of a loop, and that no batch swallows an expensive interval.
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

/// The worst of an interval of `part` of the iterations that cost a hundred times as much as the others, at
/// 16 places.
double worst_step(std::uint32_t members, std::uint64_t iterations, Time work, double part, double offset) {
  double worst = 0;
  for (int place = 0; place < 16; ++place) {
    const double begin = place / 16.0 + offset;
    const Workload loop("step", iterations, work, [&](std::uint64_t i) {
      const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(iterations);
      return at >= begin && at < begin + part ? 100.0 : 1.0;
    });
    worst = std::max(worst, ratio(with(loop, {Model::tree, 0}, members), 1));
  }
  return worst;
}

TEST(Tail, NoBatchSwallowsAnExpensiveInterval) {
  for (const double offset : {0.0, 0.017}) {
    EXPECT_LT(worst_step(2, 20'000, k_ms, 1.0 / 64, offset), 1.03) << offset;
    EXPECT_LT(worst_step(2, 200'000, k_ms, 1.0 / 64, offset), 1.032) << offset;
    EXPECT_LT(worst_step(8, 20'000, k_ms, 1.0 / 64, offset), 1.08) << offset;
  }
  EXPECT_LT(worst_step(2, 20'000, k_ms, 1.0 / 128, 0.017), 1.04);
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

TEST(Tail, AMemberAloneGetsAllIterations) {
  for (const auto name : simulate::shape_names()) {
    const Workload loop = workload(name, 16, 10 * k_ms);
    std::uint64_t iterations = 0;
    Job job = with(loop, {Model::tree, 0}, 1);
    job.seen = [&](std::uint32_t, std::uint32_t, const core::Range& range) {
      iterations += range.end - range.begin;
    };
    simulate::simulate(job);
    EXPECT_EQ(iterations, 16U) << name;
  }
}

} // namespace
} // namespace wstree::test
