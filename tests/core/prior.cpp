// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a member concludes from the loops that it has seen at one code location.
#include "wstree/core/prior.h"
#include "wstree/core/reduction/pacing.h"
#include "wstree/core/shape.h"

#include "usual.h"

namespace wstree::core {
namespace {

constexpr std::uint64_t k_units = 100;
constexpr std::uint32_t k_team = 2;

/// A prior that has seen `cost` ticks per unit, twice.
Prior known(std::uint64_t cost) {
  Prior prior;
  prior.learn(k_units, k_units * cost);
  prior.learn(k_units, k_units * cost);
  return prior;
}
std::uint64_t cost_of(const Prior& prior) { return prior.cost() >> Prior::k_fraction; }

TEST(Prior, NothingIsBelievedThatWasSeenOnce) {
  const Settings settings;
  Prior prior;
  EXPECT_FALSE(prior.begin(k_units, k_team, settings));
  prior.learn(k_units, 100);
  EXPECT_FALSE(prior.begin(k_units, k_team, settings));
  prior.learn(k_units, 150);
  EXPECT_TRUE(prior.begin(k_units, k_team, settings));
}

TEST(Prior, LongSharesAreNotBriefWhateverIsKnown) {
  const Settings settings;
  const std::uint64_t longest = settings.shortest_target * tuning::k_brief * k_team / k_units;
  EXPECT_TRUE(known(longest).begin(k_units, k_team, settings));
  EXPECT_FALSE(known(longest + 1).begin(k_units, k_team, settings));
  EXPECT_TRUE(known(longest + 1).begin(k_units / 2, k_team, settings)) << "the trip count has changed";
  EXPECT_TRUE(known(longest + 1).begin(k_units, 2 * k_team, settings)) << "the team has changed";
  EXPECT_FALSE(known(1).begin(std::uint64_t{1} << 40, k_team, settings));
  Settings longest_settings;
  longest_settings.shortest_target = setting_of(~std::uint64_t{0});
  EXPECT_TRUE(known(1).begin(k_units, 1U << 19, longest_settings)) << "no product runs over";
}

TEST(Prior, OneDisturbedExecutionChangesNothingAndTwoDo) {
  Prior prior = known(1);
  prior.learn(k_units, 100 * k_units);
  EXPECT_EQ(cost_of(prior), 1U);
  prior.learn(k_units, k_units);
  prior.learn(k_units, 100 * k_units);
  prior.learn(k_units, 100 * k_units);
  EXPECT_EQ(cost_of(prior), 100U);
  EXPECT_FALSE(prior.begin(10, k_team, Settings{})) << "the new cost was seen once";
}

TEST(Prior, SmallChangesAreFollowedUpAndDown) {
  Prior prior = known(100);
  for (int i = 0; i < 30; ++i) prior.learn(k_units, 300 * k_units);
  EXPECT_NEAR(static_cast<double>(cost_of(prior)), 300, 3);
  for (int i = 0; i < 30; ++i) prior.learn(7, 100 * 7);
  EXPECT_NEAR(static_cast<double>(cost_of(prior)), 100, 3);
}

TEST(Prior, ARobbedMemberDoesNotConcludeThatItsShareIsCheap) {
  Prior prior = known(100);
  for (int i = 0; i < 10; ++i) prior.learn(k_units / 2, 10 * k_units / 2, true);
  EXPECT_EQ(cost_of(prior), 100U);
  for (int i = 0; i < 30; ++i) prior.learn(k_units / 2, 200 * k_units / 2, true);
  EXPECT_NEAR(static_cast<double>(cost_of(prior)), 200, 3);
}

TEST(Prior, TimesBeyondAllBoundsAreCounted) {
  Prior prior = known(1);
  prior.learn(1, ~std::uint64_t{0});
  prior.learn(1, ~std::uint64_t{0});
  EXPECT_GT(prior.cost(), 0U);
  EXPECT_LT(prior.cost() >> 31, 1U);
  EXPECT_GT(known(0).cost(), 0U) << "0 says that nothing is known";
}

TEST(Prior, WhatABeliefHasLostIsPaidBackAndNoMore) {
  const Settings settings;
  Prior prior = known(1);
  constexpr std::uint64_t k_owed = 50;
  prior.regret(k_owed * tuning::k_brief_steals * settings.steal_cost, settings);
  for (std::uint64_t execution = 0; execution < k_owed; ++execution) {
    EXPECT_EQ(prior.dearest(), 0U) << "batches are those of a member without memory";
    ASSERT_FALSE(prior.begin(k_units, k_team, settings)) << execution;
    prior.learn(k_units, k_units);
  }
  EXPECT_TRUE(prior.begin(k_units, k_team, settings));
  EXPECT_EQ(prior.dearest(), prior.cost());
  prior.regret(~std::uint64_t{0}, settings);
  std::uint64_t most = 0;
  while (!prior.begin(k_units, k_team, settings)) ++most;
  EXPECT_EQ(most, tuning::k_most_debt);
  EXPECT_LE(most, 5'000U) << "debt ends within some thousand executions";
}

/// So that every unit of a brief loop is one iteration, whatever a unit costs.
TEST(Prior, LongLoopsAreNotBrief) {
  Settings settings;
  settings.shortest_target = std::uint64_t{1} << 30;
  EXPECT_TRUE(known(1).begin(Prior::k_most_units - 1, k_team, settings));
  EXPECT_FALSE(known(1).begin(Prior::k_most_units, k_team, settings));
  EXPECT_EQ(Shape(Prior::k_most_units, 1).shift(), 0U);
}

TEST(Prior, AChangedCostDoesNotMakeAMemberForgetWhatItHasLost) {
  const Settings settings;
  Prior prior = known(1);
  prior.regret(1'000'000 * settings.steal_cost, settings);
  for (int i = 0; i < 2; ++i) prior.learn(k_units, 1'000 * k_units);
  for (int i = 0; i < 3; ++i) prior.learn(k_units, k_units);
  EXPECT_EQ(cost_of(prior), 1U);
  EXPECT_FALSE(prior.begin(k_units, k_team, settings));
}

/// Executes the loops at `count` code locations so many bytes apart, a few times. Returns how many are known.
int known_of(const char* code, int count, int distance) {
  Priors priors;
  int result = 0;
  for (int execution = 0; execution < 5; ++execution) {
    result = 0;
    for (int loop = 0; loop < count; ++loop) {
      Prior& prior = priors.at(code + loop * distance);
      if (prior.dearest() == prior.cost()) ++result;
      prior.learn(k_units, k_units);
    }
  }
  return result;
}

TEST(Priors, LoopsAreKnownHoweverFarApartTheyAre) {
  static const char code[4'096] = {};
  for (int distance = 1; distance < 4'096; ++distance) EXPECT_EQ(known_of(code, 2, distance), 2) << distance;
  for (const int distance : {233, 377, 610, 987}) // with which the first places are mostly equal
    EXPECT_EQ(known_of(code, 4, distance), 4) << distance;
}

TEST(Priors, ACodeLocationKeepsItsOwnUntilItsPlaceIsTaken) {
  Priors priors;
  static const char earlier[4'096] = {};
  for (const char& each : earlier) priors.at(&each); // all places are taken
  static const char code[4'096] = {};
  priors.at(code) = known(7);
  EXPECT_EQ(cost_of(priors.at(code)), 7U);
  int forgotten = 0;
  for (const char& other : code) {
    if (&other == code) continue;
    EXPECT_EQ(priors.at(&other).cost(), 0U);
    priors.at(&other).learn(1, 1);
    const bool is_forgotten = priors.at(code).cost() == 0;
    EXPECT_EQ(priors.at(code).take_displaced(), is_forgotten) << "the other one had taken its place";
    EXPECT_FALSE(priors.at(code).take_displaced()) << "it was told once";
    forgotten += is_forgotten;
    priors.at(code) = known(7);
  }
  EXPECT_GT(forgotten, 0);
  EXPECT_LT(forgotten, 64);
}

/// Units of the batches that a share of `units` is handed out in; each unit takes `cost` ticks, and
/// `expected`.
std::vector<std::uint32_t> batches(std::uint32_t units, std::uint64_t expected, std::uint64_t cost) {
  const Settings settings;
  ExpectedBatcher batcher;
  std::uint64_t now = 1;
  batcher.enter(settings, 1, 0, units, now);
  batcher.expect(unit_cost(expected), units);
  batcher.start_node();
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t left = units; left != 0; left -= sizes.back()) {
    sizes.push_back(batcher.size(left));
    now += sizes.back() * cost;
    if (batcher.may_skip() != 0)
      batcher.skip(sizes.back());
    else
      batcher.finished(sizes.back(), sizes.back() * cost, now);
  }
  return sizes;
}

TEST(ExpectedShare, IsHandedOutInAFewPiecesUnlessItTurnsOutLong) {
  const auto sizes = batches(1'000, 2, 2);
  EXPECT_LE(sizes.front() * 2, Settings{}.tail_batch / 8) << "a short first batch";
  EXPECT_LE(sizes.size(), 8U);
  const auto explored = batches(1'000, 2, 200); // a hundred times as long: 80 us instead of 0.8
  EXPECT_GT(explored.size(), 20U);
  for (const std::uint32_t units : explored) EXPECT_LE(units * 200, 10 * Settings{}.shortest_target);
}

TEST(BoundedBatches, AreNotClockedOneByOneBecauseTheyCannotGrow) {
  const Settings settings;
  ExpectedBatcher batcher;
  std::uint64_t now = 1, before = now;
  unsigned looks = 0;
  batcher.enter(settings, 1, 0, 100'000, now);
  batcher.bound(1);
  for (unsigned batch = 0; batch < 10'000; ++batch) {
    now += 2;
    if (batcher.may_skip() != 0) {
      batcher.skip(1);
    } else {
      batcher.finished(1, now - before, now);
      before = now, ++looks;
    }
  }
  EXPECT_LT(looks, 2'000U);
}

} // namespace
} // namespace wstree::core
