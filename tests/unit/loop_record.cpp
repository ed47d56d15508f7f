// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop's record makes of what its executions cost.
#include "loop_history_support.h"
#include "seed.h"

#include "wstree/core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  EXPECT_FALSE(loop.was_measured()) << "some members may not know of the record";
}

TEST(LoopRecord, LeavesAnEvenLoopInEqualShares) {
  for (const std::uint32_t members : {2U, 3U, 8U, 64U}) {
    RepeatedLoop loop(k_units, members);
    for (int i = 0; i < 20; ++i) {
      loop.run(even(k_units, k_iteration));
      ASSERT_TRUE(loop.is_equal()) << members << " members, execution " << i;
    }
    ASSERT_NE(loop.plan(), nullptr) << "what it costs is known";
    EXPECT_NEAR(loop.plan()->cost_at(k_units / 2), k_iteration, 1);
    EXPECT_TRUE(loop.plan()->is_sure);
  }
}

TEST(LoopRecord, CutsWhatIsUneven) {
  for (const std::uint32_t members : {2U, 3U, 8U})
    for (const double begin : {0.0, 0.3, 0.6}) {
      RepeatedLoop loop(k_units, members);
      const Profile costs = step(k_units, begin, 0.4, k_iteration, 1.8 * k_iteration);
      loop.run(6, costs);
      EXPECT_LE(loop.imbalance(costs), 1.02) << members << " members, from " << begin << " on";
      EXPECT_EQ(loop.begins().front(), 0U);
      EXPECT_EQ(loop.begins().back(), k_units);
    }
}

/// Once it was the same, and then it is another one each time.
TEST(LoopRecord, ALoopThatBecomesRandomEndsWithoutAPlan) {
  core::Rng random(test::seed());
  RepeatedLoop loop(k_units, 4);
  const auto somewhere = [&] {
    return step(k_units, random.below(60) / 100.0, 0.4, k_iteration, 2.2 * k_iteration);
  };
  loop.run(12, step(k_units, 0, 0.4, k_iteration, 2.2 * k_iteration));
  ASSERT_FALSE(loop.is_equal());
  int cut = 0;
  for (int i = 0; i < 300; ++i) {
    loop.run(somewhere());
    if (i >= 20) cut += loop.is_equal() ? 0 : 1;
  }
  EXPECT_LE(cut, 30) << "of 280 executions";
}

/// A loop that somebody cancels: what was not executed is not free.
TEST(LoopRecord, WhatWasNeverExecutedIsUnknown) {
  RepeatedLoop loop(k_units, 4);
  Profile cancelled = even(k_units, k_iteration);
  std::fill(cancelled.begin() + k_units / 10, cancelled.end(), 0.0);
  for (int i = 0; i < 20; ++i) {
    loop.run(cancelled);
    ASSERT_EQ(loop.plan(), nullptr) << i;
  }
}

TEST(LoopRecord, FewIterationsAreNotCut) {
  RepeatedLoop loop(64, 4);
  for (int i = 0; i < 10; ++i) {
    loop.run(step(64, 0.5, 0.5, k_iteration, 3 * k_iteration));
    EXPECT_TRUE(loop.is_equal()) << i;
  }
}

TEST(LoopRecord, GivesALongLastIterationAMemberOfItsOwn) {
  RepeatedLoop loop(600, 4);
  Profile costs = even(600, 10'000);
  costs.back() = 1e7;
  loop.run(8, costs);
  EXPECT_EQ(loop.begins()[3], 600U) << "member 3 has nothing else";
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
  const Profile usual = step(k_units, 0, 0.4, 10 * k_iteration, 18 * k_iteration);
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
  const Profile first = step(k_units, 0, 0.4, k_iteration, 2.2 * k_iteration);
  const Profile second = step(k_units, 0.6, 0.4, k_iteration, 2.2 * k_iteration);
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
    const Profile now = step(k_units, i / 200.0, 0.4, k_iteration, 2.2 * k_iteration);
    loop.run(now);
    if (i >= 8) worst = std::max(worst, loop.imbalance(now));
  }
  EXPECT_LE(worst, 1.1) << "half a percent of the loop at a time; equal shares: 1.5";
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
  EXPECT_EQ(measured(100'000), 99U) << "all but the first one";
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
  const Profile costs = step(k_units, 0.6, 0.4, k_iteration, 2.2 * k_iteration);
  loop.run(4, costs);
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

/// The planner is the first to come to each loop, so that the others have left all but the one before.
TEST(LoopRecord, InsideARegionWhatOthersMayHaveReadStays) {
  constexpr std::uint64_t k_ahead = 8;
  const Profile some = step(k_units, 0, 0.4, k_iteration, 2.2 * k_iteration);
  const Profile others = step(k_units, 0.6, 0.4, k_iteration, 2.2 * k_iteration);
  RepeatedLoop loop(k_units, 2);
  int changes = 0;
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t next = loop.loop() + 1;
    std::vector<core::Learned<P>> before;
    for (std::uint64_t number = next; number < next + k_ahead; ++number)
      before.push_back(loop.record().learned(number));
    const core::Plan* const later = loop.record().learned(next + k_ahead).plan;
    const core::Plan now = before[0].plan != nullptr ? *before[0].plan : core::Plan{};
    run_inside(loop, i % 100 < 50 ? some : others, next - 1, next + k_ahead - 1);
    for (std::uint64_t ahead = 0; ahead < k_ahead; ++ahead) {
      const core::Learned<P> known = loop.record().learned(next + ahead);
      ASSERT_EQ(known.plan, before[ahead].plan) << "execution " << i << ", " << ahead << " loops on";
      ASSERT_EQ(known.bins, before[ahead].bins) << "execution " << i << ", " << ahead << " loops on";
    }
    if (before[0].plan != nullptr) {
      ASSERT_EQ(before[0].plan->begins, now.begins);
      ASSERT_EQ(before[0].plan->share, now.share);
    }
    changes += loop.record().learned(next + k_ahead).plan != later ? 1 : 0;
  }
  EXPECT_GE(changes, 8) << "each time that the loop has changed";
}

TEST(LoopRecord, InsideARegionAWrongPlanDoesNotStay) {
  const Profile some = step(k_units, 0, 0.4, k_iteration, 2.2 * k_iteration);
  const Profile others = step(k_units, 0.6, 0.4, k_iteration, 2.2 * k_iteration);
  RepeatedLoop loop(k_units, 2);
  const auto run = [&](const Profile& costs) { run_inside(loop, costs, loop.loop(), loop.loop() + 8); };
  for (int i = 0; i < 80; ++i) run(some);
  ASSERT_LE(loop.imbalance(some), 1.02);
  for (int i = 0; i < 80; ++i) run(others);
  EXPECT_LE(loop.imbalance(others), 1.02);
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
    for (std::uint64_t u = 0; learned.bins != nullptr && u + 1'000'000 < shape.units();
         u += shape.units() / 5'000)
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
