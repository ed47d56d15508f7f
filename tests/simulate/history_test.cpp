// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that are executed again and again by a team that remembers them, and by one that does not.
#include "remembered.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string_view>

namespace wstree::test {
namespace {

/// Bounds for twelve workloads, in the steady state.
struct Steady {
  std::uint32_t members;
  std::uint64_t iterations;
  Time ideal;
  double mean;   ///< geometric, of time / ideal
  double worse;  ///< the worst of time with history / time without
  double steals; ///< the most for each member
  double moved;  ///< the largest part of the work that has changed its member
};

void expect_steady(const Steady& bound) {
  double logs = 0;
  const auto names = simulate::shape_names();
  for (const auto name : names) {
    const Workload loop = workload(name, bound.iterations, bound.ideal * bound.members);
    const auto always = [&](std::uint32_t) -> const Workload& { return loop; };
    const Executions with = executions(always, bound.members, 16, true);
    const Executions without = executions(always, bound.members, 16, false);
    const auto label = testing::Message() << name << ", " << bound.iterations << " iterations of "
                                          << bound.ideal / k_us << " us on " << bound.members;
    logs += std::log(settled(with.ratios));
    EXPECT_LE(settled(with.ratios), bound.worse * settled(without.ratios)) << label;
    EXPECT_LE(settled(with.steals), bound.steals * bound.members) << label;
    EXPECT_LE(settled(with.moved), bound.moved) << label;
  }
  EXPECT_LE(std::exp(logs / static_cast<double>(names.size())), bound.mean)
      << bound.iterations << " iterations of " << bound.ideal / k_us << " us on " << bound.members;
}

TEST(History, SettledLoopsOf200MicrosecondsAndMore) {
  expect_steady({2, 1'000, 200 * k_us, 1.040, 1.01, 2, 0.01});
  expect_steady({2, 100'000, 200 * k_us, 1.045, 1.01, 3, 0.01});
  expect_steady({8, 100'000, 200 * k_us, 1.050, 1.01, 1.5, 0.02});
  expect_steady({8, 100'000, 5'000 * k_us, 1.005, 1.01, 2.75, 0.01});
}
TEST(HistoryLongRun, SettledLoopsOfSixtyFour) {
  expect_steady({64, 1'000, 200 * k_us, 1.07, 1.01, 2, 0.75});
  expect_steady({64, 100'000, 200 * k_us, 1.04, 1.01, 2, 0.1});
}
TEST(HistoryLongRun, SettledLoopsOf20Microseconds) {
  expect_steady({2, 100'000, 20 * k_us, 1.09, 1.01, 1.5, 0.015});
  expect_steady({8, 100'000, 20 * k_us, 1.12, 1.01, 1.5, 0.015});
}
TEST(HistoryLongRun, SettledLoopsOfAFewLongIterationsForEach) {
  expect_steady({2, 16, 200 * k_us, 1.03, 1.01, 2, 0.01});
  expect_steady({8, 1'000, 200 * k_us, 1.06, 1.01, 2.5, 0.85});
}

/// The first execution after a change begins where the loop has cost something before; then the team gets
/// used to it.
TEST(History, AfterAnAbruptChangeItAdaptsWithinAFewExecutions) {
  for (const std::uint32_t members : {2U, 8U}) {
    const Workload before = workload("STEP_S", 100'000, 200 * k_us * members);
    const Workload after = workload("STEP_E", 100'000, 200 * k_us * members);
    const auto changes = [&](std::uint32_t round) -> const Workload& { return round < 8 ? before : after; };
    const Executions with = executions(changes, members, 24, true);
    const Executions without = executions(changes, members, 24, false);
    for (std::uint32_t round = 8; round < 14; ++round)
      EXPECT_LE(with.ratios[round], 1.04 * without.ratios[round]) << members << ", execution " << round;
    for (std::uint32_t round = 14; round < 24; ++round)
      EXPECT_LE(with.ratios[round], 1.011 * without.ratios[round]) << members << ", execution " << round;
    EXPECT_LE(settled(with.moved), 0.01) << members;
  }
}

/// What is cheap according to the plan must not be swallowed in one piece: it may be all of the work now.
TEST(History, CheapIterationsThatBecomeExpensiveAreStillStolen) {
  for (const std::uint32_t members : {2U, 8U}) {
    const Workload before = workload("EXP", 100'000, 200 * k_us * members);
    const Workload after = workload("STEP_S", 100'000, 200 * k_us * members);
    const auto changes = [&](std::uint32_t round) -> const Workload& { return round < 8 ? before : after; };
    const Executions with = executions(changes, members, 16, true);
    EXPECT_LE(largest(with.ratios), 1.09) << members;
  }
}

TEST(History, ALoopThatIsNeverTheSameIsSharedAsIfItWereNew) {
  for (const std::uint32_t members : {2U, 8U}) {
    const Workload even = workload("STEP_S", 1'000, 200 * k_us * members);
    const Workload odd = workload("STEP_E", 1'000, 200 * k_us * members);
    const auto alternates = [&](std::uint32_t round) -> const Workload& {
      return round % 2 == 0 ? even : odd;
    };
    const Executions with = executions(alternates, members, 24, true);
    const Executions without = executions(alternates, members, 24, false);
    for (std::uint32_t round = 0; round < 24; ++round)
      EXPECT_LE(with.ratios[round], 1.025 * without.ratios[round]) << members << ", execution " << round;
  }
}

TEST(History, OneDisturbedExecutionIsForgotten) {
  const Workload loop = workload("TRIANGLE", 100'000, 8 * 5'000 * k_us);
  const auto always = [&](std::uint32_t) -> const Workload& { return loop; };
  Job job = remembered(always, 8, 16, true);
  job.preemption = simulate::Preemption{8, 4, 2'000 * k_us, 4'000 * k_us};
  const Executions with = executions(job);
  EXPECT_GT(with.ratios[8], 1.05) << "nobody was disturbed";
  for (std::uint32_t round = 10; round < 16; ++round)
    EXPECT_LE(with.ratios[round], 1.01 * with.ratios[7]) << "execution " << round;
}

TEST(History, TheSameJobGivesTheSameTimes) {
  const Workload loop = workload("VALLEY", 1'000, 8 * 200 * k_us);
  const auto always = [&](std::uint32_t) -> const Workload& { return loop; };
  EXPECT_EQ(executions(always, 8, 6, true).ratios, executions(always, 8, 6, true).ratios);
}

TEST(Moves, CountWhatAnotherMemberHadBefore) {
  const Workload loop("1 to 4", 4, 10 * k_us, [](std::uint64_t i) { return static_cast<double>(i + 1); });
  simulate::Moves moves;
  moves.handed(1, {2, 4});
  moves.handed(0, {0, 2});
  EXPECT_EQ(moves.end_round(loop), 0U);
  moves.handed(0, {0, 3});
  moves.handed(1, {3, 4});
  EXPECT_EQ(moves.end_round(loop), 3 * k_us);
  moves.handed(1, {0, 4});
  EXPECT_EQ(moves.end_round(loop), 6 * k_us);
}

} // namespace
} // namespace wstree::test
