// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules of others in virtual time against what was measured of them (published.h), and where each of
// them fails.
#include "published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace wstree::test {
namespace {

using Ratios = std::vector<std::array<double, k_published>>;

/// Of all published loops and schedules, with two members.
const Ratios& simulated() {
  static const Ratios ratios = [] {
    Ratios all;
    for (const auto& published : k_published_loops) {
      const auto work = static_cast<Time>(std::llround(published.sequential_ms * 1e3)) * 1'000 * k_ns;
      const Workload loop = workload(published.shape, published.iterations, work);
      auto& row = all.emplace_back();
      for (std::size_t s = 0; s < k_published; ++s) {
        Job job = with(loop, k_published_schedules[s].schedule, 2);
        job.machine = k_published_schedules[s].machine();
        row[s] = ratio(job);
      }
    }
    return all;
  }();
  return ratios;
}

std::vector<double> errors(std::size_t schedule) {
  std::vector<double> found;
  for (std::size_t l = 0; l < simulated().size(); ++l)
    found.push_back(std::abs(simulated()[l][schedule] / k_published_loops[l].ratios[schedule] - 1));
  return found;
}

double tolerance(const PublishedLoop& loop, std::string_view schedule) {
  const std::string_view shape = loop.shape;
  // Sixteen numbers, or ten expensive iterations: that others were drawn matters.
  if ((shape == "GAUSSIAN" && loop.iterations == 16) || (shape == "RANDIF" && loop.iterations == 1'000))
    return 0.12;
  // As many transfers as iterations. What one costs when the members do not meet each time is between the two
  // prices that were measured.
  if (schedule.ends_with("dynamic,1") && loop.iterations == 100'000) return 0.15;
  // Short chains of the kernel overlap, so that with iterations of a few steps the cheap half of a slope is
  // cheaper than it should be: static and libgomp's guided, which give that half away, look worse.
  if (loop.iterations == 100'000) return 0.08;
  return 0.04;
}

TEST(Published, EachCellIsMet) {
  for (std::size_t l = 0; l < simulated().size(); ++l)
    for (std::size_t s = 0; s < k_published; ++s) {
      const auto& loop = k_published_loops[l];
      const double measured = loop.ratios[s];
      EXPECT_NEAR(simulated()[l][s] / measured, 1, tolerance(loop, k_published_schedules[s].name))
          << k_published_schedules[s].name << " of " << loop.shape << " with " << loop.iterations
          << " iterations: measured " << measured << ", simulated " << simulated()[l][s];
    }
}

TEST(Published, TheMedianErrorOfEachScheduleIsOnePercent) {
  for (std::size_t s = 0; s < k_published; ++s) {
    auto found = errors(s);
    std::nth_element(found.begin(), found.begin() + found.size() / 2, found.end());
    EXPECT_LT(found[found.size() / 2], 0.0125) << k_published_schedules[s].name;
  }
}

TEST(Published, EachScheduleIsWorstWhereItWas) {
  for (std::size_t s = 0; s < k_published; ++s) {
    std::size_t measured = 0;
    double worst = 0;
    for (std::size_t l = 0; l < simulated().size(); ++l) {
      if (k_published_loops[l].ratios[s] > k_published_loops[measured].ratios[s]) measured = l;
      worst = std::max(worst, simulated()[l][s]);
    }
    EXPECT_GT(simulated()[measured][s], 0.9 * worst)
        << k_published_schedules[s].name << ": " << k_published_loops[measured].shape;
  }
}

/// Ten million iterations of 0.67 ns, of which there are a tenth here: the ratio is one of prices per
/// iteration. clang's loop takes 1.39 times as long in a parallel region, whatever the schedule.
TEST(Published, IterationsOfLessThanANanosecond) {
  constexpr std::uint64_t k_iterations = 1'000'000;
  constexpr Time k_sequential = 670'000 * k_ns;
  const Workload by_clang = workload("UNIFORM", k_iterations, k_sequential * 139 / 100);
  const auto ratio_of = [&](Peer peer, std::uint64_t chunk) {
    Job job = with(by_clang, {peer, chunk}, 2);
    job.machine = published_libomp();
    job.machine.skew = 100 * k_ns;
    return 1.39 * ratio(job, 1);
  };
  EXPECT_NEAR(ratio_of(Peer::static_, 0), 1.40, 0.02);
  EXPECT_NEAR(ratio_of(Peer::guided, 0), 1.41, 0.04);
  EXPECT_NEAR(ratio_of(Peer::dynamic, 64), 3.42, 0.35);
  EXPECT_NEAR(ratio_of(Peer::static_steal, 64), 1.78, 0.18);
  EXPECT_NEAR(ratio_of(Peer::static_steal, 1), 18.0, 1.8);
  // Measured between 39 and 117.
  EXPECT_GT(ratio_of(Peer::dynamic, 1), 39);
  EXPECT_LT(ratio_of(Peer::dynamic, 1), 260);
}

double ratio_at(std::uint32_t members, const Workload& loop, Schedule schedule) {
  Job job = with(loop, schedule, members);
  job.machine.skew = 1'000 * k_ns;
  return ratio(job);
}

TEST(AtScale, ACounterIsAllThereIsWhenTransfersTakeLongerThanChunks) {
  // Chunks of 100 ns for 64 members: one has to be handed out each 1.6 ns.
  const Workload loop = workload("UNIFORM", 100'000, 10 * k_ms);
  EXPECT_GT(ratio_at(64, loop, {Peer::dynamic, 1}), 20);
  EXPECT_LT(ratio_at(64, loop, {Peer::dynamic, 256}), 1.5);
  EXPECT_LT(ratio_at(64, loop, {Peer::static_steal, 1}), 1.6);
  EXPECT_LT(ratio_at(64, loop, {Peer::tbb_auto, 0}), 1.3);
  EXPECT_LT(ratio_at(64, loop, {Peer::cilk_for, 0}), 1.25);
  EXPECT_LT(ratio_at(64, loop, {Model::tree, 0}), 1.15);
}

TEST(AtScale, StaticStealSpreadsAnExpensiveBlockByManySmallSteals) {
  // All work is in the blocks of the first quarter of the members.
  const Workload loop = workload("STEP_S", 10'000, 100 * k_ms);
  const auto steals = [&](Schedule schedule) {
    return simulate::simulate(with(loop, schedule, 64)).front().counts.steals;
  };
  EXPECT_GT(steals({Peer::static_steal, 1}), 2 * steals({Model::tree, 0}));
  EXPECT_LT(ratio_at(64, loop, {Peer::static_steal, 1}), 1.25);
}

} // namespace
} // namespace wstree::test
