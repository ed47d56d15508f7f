// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop's record makes of what its executions cost.
#include "loop_history_support.h"
#include "seed.h"

#include "wstree/core/rng.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace wstree::loop::record_test {
namespace {

using P = HandClockPlatform;

constexpr std::uint64_t k_units = 2'000;
constexpr double k_iteration = 1'000; // ticks

TEST(LoopRecord, KnowsNothingBeforeTheFirstExecution) {
  RepeatedLoop loop(k_units, 4);
  loop.run(even(k_units, k_iteration));
  EXPECT_EQ(loop.plan(), nullptr);
  EXPECT_TRUE(loop.was_measured());
}

TEST(LoopRecord, LeavesAnEvenLoopInEqualShares) {
  for (const std::uint32_t members : {2U, 3U, 8U, 64U}) {
    RepeatedLoop loop(k_units, members);
    for (int i = 0; i < 20; ++i) {
      loop.run(even(k_units, k_iteration));
      ASSERT_TRUE(loop.is_equal()) << members << " members, execution " << i;
      ASSERT_EQ(loop.busy(), members);
    }
    ASSERT_NE(loop.plan(), nullptr) << "what it costs is known";
    EXPECT_NEAR(loop.plan()->cost_at(k_units / 2), k_iteration, 1);
    EXPECT_NEAR(loop.plan()->last, k_iteration, 1);
    EXPECT_TRUE(loop.plan()->is_sure);
  }
}

TEST(LoopRecord, CutsWhatIsUneven) {
  for (const std::uint32_t members : {2U, 3U, 8U})
    for (const double begin : {0.0, 0.4, 0.9}) {
      RepeatedLoop loop(k_units, members);
      const Profile costs = step(k_units, begin, 0.1, k_iteration, 50 * k_iteration);
      loop.run(6, costs);
      EXPECT_LE(loop.imbalance(costs), 1.02) << members << " members, from " << begin << " on";
      EXPECT_EQ(loop.begins().front(), 0U);
      EXPECT_EQ(loop.begins().back(), k_units);
    }
}

TEST(LoopRecord, GivesALongLastIterationAMemberOfItsOwn) {
  RepeatedLoop loop(64, 4);
  Profile costs = even(64, 10'000);
  costs.back() = 1e6;
  loop.run(8, costs);
  EXPECT_EQ(loop.begins()[3], 64U) << "member 3 has nothing else";
  EXPECT_NEAR(loop.plan()->last, 1e6, 1);
  EXPECT_DOUBLE_EQ(loop.imbalance(costs), 1);
}

TEST(LoopRecord, DoesNotRunAfterNoise) {
  core::Rng random(test::seed());
  RepeatedLoop loop(k_units, 4);
  int cut = 0;
  for (int i = 0; i < 60; ++i) {
    loop.run(step(k_units, random.below(90) / 100.0, 0.1, k_iteration, 20 * k_iteration));
    if (i >= 12) cut += loop.is_equal() ? 0 : 1;
  }
  EXPECT_LE(cut, 16) << "of 48 executions each of which was expensive elsewhere";
}

/// What is measured of a loop of a microsecond is mostly the measuring.
TEST(LoopRecord, ATinyLoopSettlesInSpiteOfWhatMeasuringAdds) {
  constexpr std::uint64_t k_few = 100;
  core::Rng random(test::seed());
  RepeatedLoop loop(k_few, 2);
  std::uint64_t measured = 0;
  for (int i = 0; i < 2'000; ++i) {
    Profile costs = even(k_few, 15);
    for (double& each : costs) each += random.below(8) == 0 ? 60 : random.below(8);
    loop.run(costs);
    if (i < 20) continue;
    measured += loop.was_measured() ? 1 : 0;
    ASSERT_NE(loop.plan(), nullptr) << "execution " << i;
    ASSERT_TRUE(loop.plan()->is_short) << "execution " << i;
  }
  EXPECT_LE(measured, 40U) << "looking takes as long as five to ten of its executions";
}

TEST(LoopRecord, OneDisturbedExecutionChangesNothing) {
  const Profile usual = step(k_units, 0, 0.2, 10 * k_iteration, 100 * k_iteration);
  RepeatedLoop loop(k_units, 4);
  loop.run(10, usual);
  const auto before = loop.begins();
  ASSERT_LE(loop.imbalance(usual), 1.02);
  Profile disturbed = usual;
  for (std::uint64_t u = 1000; u < 1200; ++u) disturbed[u] *= 8;
  loop.run(disturbed);
  for (int i = 0; i < 6; ++i) {
    loop.run(usual);
    EXPECT_EQ(loop.begins(), before) << i;
  }
}

TEST(LoopRecord, WhatChangesForGoodIsFollowed) {
  const Profile first = step(k_units, 0, 0.3, k_iteration, 20 * k_iteration);
  const Profile second = step(k_units, 0.7, 0.3, k_iteration, 20 * k_iteration);
  RepeatedLoop loop(k_units, 4);
  loop.run(10, first);
  ASSERT_LE(loop.imbalance(first), 1.02);
  loop.run(3, second); // as before, and then it has been seen twice
  loop.run(4, second);
  EXPECT_LE(loop.imbalance(second), 1.05);
}

TEST(LoopRecord, FollowsSlowChanges) {
  RepeatedLoop loop(k_units, 4);
  double worst = 0;
  for (int i = 0; i < 80; ++i) {
    const Profile now = step(k_units, i / 200.0, 0.3, k_iteration, 20 * k_iteration);
    loop.run(now);
    if (i >= 8) worst = std::max(worst, loop.imbalance(now));
  }
  EXPECT_LE(worst, 1.35) << "half a percent of the loop at a time; equal shares: 2.6";
}

TEST(LoopRecord, LeavesALoopOfNextToNothingToFewMembers) {
  core::Settings settings;
  RepeatedLoop loop(100, 8, settings);
  const double grain = static_cast<double>(settings.steal_cost);
  loop.run(8, even(100, 2.5 * grain / 101));
  EXPECT_GE(loop.busy(), 1U);
  EXPECT_LE(loop.busy(), 2U);
  for (std::uint32_t m = loop.busy(); m <= 8; ++m) EXPECT_EQ(loop.begins()[m], 100U);
  ASSERT_NE(loop.plan(), nullptr);
  EXPECT_TRUE(loop.plan()->is_short);
}

TEST(LoopRecord, BringsThemBackWhenTheLoopGrows) {
  core::Settings settings;
  RepeatedLoop loop(100, 8, settings);
  loop.run(40, even(100, 4));
  ASSERT_LE(loop.busy(), 1U);
  bool unmeasured = false;
  for (int i = 0; i < 8; ++i) {
    loop.run(even(100, 4));
    unmeasured |= !loop.was_measured();
  }
  EXPECT_TRUE(unmeasured) << "to look at so little each time would cost more than it is";
  loop.run(6, even(100, 10'000)); // longer than the limit: looked at from the next one on
  EXPECT_EQ(loop.busy(), 8U);
}

TEST(LoopRecord, LooksRarelyAtShortLoopsAndAlwaysAtLongOnes) {
  const auto measured = [](double ticks) {
    RepeatedLoop loop(1'000, 4);
    std::uint32_t count = 0;
    for (int i = 0; i < 100; ++i) {
      loop.run(even(1'000, ticks));
      count += loop.was_measured() ? 1U : 0U;
    }
    return count;
  };
  EXPECT_LE(measured(20), 20U);
  EXPECT_EQ(measured(100'000), 100U);
}

TEST(LoopRecord, LooksEverMoreRarelyAtAShortLoopThatStaysTheSame) {
  RepeatedLoop loop(1'000, 4);
  const auto measured = [&] {
    std::uint32_t count = 0;
    for (int i = 0; i < 1'000; ++i) {
      loop.run(even(1'000, 200));
      count += loop.was_measured() ? 1U : 0U;
    }
    return count;
  };
  measured();
  EXPECT_LE(measured(), 10U) << "40 at the first pace";
  bool seen = false; // some 140 executions after the latest look, if nothing told it
  for (int i = 0; i < 4; ++i) {
    loop.run(even(1'000, 600));
    seen |= loop.was_measured();
  }
  EXPECT_TRUE(seen);
}

TEST(LoopRecord, OfTheExecutionInWhichItWasMadeItBelievesNothing) {
  RepeatedLoop loop(k_units, 4);
  loop.run(step(k_units, 0, 0.5, k_iteration, 90 * k_iteration)); // not all members knew of the record
  const Profile costs = step(k_units, 0.7, 0.3, k_iteration, 20 * k_iteration);
  loop.run(3, costs);
  EXPECT_LE(loop.imbalance(costs), 1.02);
}

/// An execution inside a region, of which all members have left the loops before `left` when the planner
/// comes.
void run_inside(RepeatedLoop& loop, const Profile& costs, std::uint64_t left, std::uint64_t farthest) {
  ++loop.loop();
  if (loop.record().wants_look())
    loop.record().enter(loop.loop(), left, farthest);
  else
    loop.record().enter(loop.loop());
  loop.take_part(costs);
}

TEST(LoopRecord, InsideARegionAPlanIsInForceWhereNobodyCanBeYet) {
  const Profile costs = step(k_units, 0, 0.3, k_iteration, 20 * k_iteration);
  RepeatedLoop loop(k_units, 2);
  run_inside(loop, costs, 0, 0);
  run_inside(loop, costs, loop.loop() + 1, loop.loop() + 20); // what the first one cost is not believed
  run_inside(loop, costs, loop.loop() + 1, loop.loop() + 20); // looks, and has nothing to compare with
  const std::uint64_t first = loop.loop();
  run_inside(loop, costs, first + 1, first + 20); // looks, and publishes from first + 21 on
  for (std::uint64_t number = first + 1; number <= first + 20; ++number) {
    EXPECT_EQ(loop.record().learned(number).plan, nullptr) << number - first;
  }
  const core::Plan* const plan = loop.record().learned(first + 21).plan;
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(loop.record().learned(first + 1'000'000).plan, plan);
}

TEST(LoopRecord, InsideARegionAPlanStaysUntilAllAreInLoopsThatItIsFor) {
  const Profile some = step(k_units, 0, 0.3, k_iteration, 20 * k_iteration);
  const Profile others = step(k_units, 0.7, 0.3, k_iteration, 20 * k_iteration);
  RepeatedLoop loop(k_units, 2);
  run_inside(loop, some, 0, 0);
  run_inside(loop, some, loop.loop() + 1, loop.loop() + 8);
  run_inside(loop, some, loop.loop() + 1, loop.loop() + 8);
  const std::uint64_t first = loop.loop();
  run_inside(loop, some, first + 1, first + 8); // a plan from first + 9 on
  const core::Plan* const plan = loop.record().learned(first + 9).plan;
  ASSERT_NE(plan, nullptr);
  const core::Plan was = *plan;
  while (loop.loop() < first + 8) run_inside(loop, others, loop.loop() + 1, loop.loop() + 8);
  EXPECT_EQ(loop.record().learned(first + 9).plan, plan) << "it is not in force yet, so nothing replaces it";
  EXPECT_EQ(plan->begins, was.begins);
  EXPECT_EQ(plan->share, was.share);
  EXPECT_EQ(loop.record().learned(first + 8).plan, nullptr) << "nor is what was before";
  for (int i = 0; i < 30; ++i) {
    const std::uint64_t now = loop.loop();
    const core::Plan* const next = loop.record().learned(now + 1).plan;
    run_inside(loop, i % 4 == 3 ? some : others, now + 1, now + 9);
    ASSERT_EQ(loop.record().learned(now + 1).plan, next) << "whoever came early and whoever comes late";
  }
}

TEST(LoopRecord, InsideARegionItLooksOnlyWhenAllHaveLeft) {
  const Profile costs = step(k_units, 0, 0.3, k_iteration, 20 * k_iteration);
  RepeatedLoop loop(k_units, 2);
  for (int i = 0; i < 10; ++i) run_inside(loop, costs, 8, 1'000); // somebody is in the first execution
  EXPECT_EQ(loop.record().learned(1'000'000).plan, nullptr);
}

TEST(LoopRecord, OfTheLongestLoopOfALargeTeam) {
  const std::uint64_t iterations = (std::uint64_t{1} << 63) - 1;
  core::Settings settings;
  LoopRecord<P>* record = LoopRecord<P>::create({&settings, 0, iterations, 1024}, settings);
  ASSERT_NE(record, nullptr);
  core::Shape shape(iterations, 1024);
  for (std::uint64_t loop = 8; loop < 20; ++loop) {
    record->enter(loop);
    const core::Learned<P> learned = record->learned(loop);
    if (learned.plan != nullptr) {
      shape.lay_out(learned.plan->begins);
      ASSERT_EQ(shape.root_begin(0), 0U);
      ASSERT_EQ(shape.root_begin(1024), shape.units());
      for (std::uint32_t m = 0; m < 1024; ++m) {
        ASSERT_LE(shape.root_begin(m), shape.root_begin(m + 1));
        ASSERT_LE(shape.root_begin(m + 1) - shape.root_begin(m), core::k_max_share)
            << "a word can count them";
      }
    }
    for (std::uint64_t u = 0; u + 1'000'000 < shape.units(); u += shape.units() / 5'000)
      learned.bins->add(u, 1'000'000, u < shape.units() / 2 ? 1'000'000'000'000 : 1'000);
    record->close(loop + 1);
  }
  LoopRecord<P>::destroy(record);
}

TEST(LoopRecord, WantsNoneOfALoopOfOneIteration) {
  EXPECT_EQ(LoopRecord<P>::create({nullptr, 0, 1, 4}, {}), nullptr) << "it has no units";
}

} // namespace
} // namespace wstree::loop::record_test
