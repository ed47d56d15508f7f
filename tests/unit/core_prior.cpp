// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a member concludes from the loops that it has seen at one code location.
#include "wstree/core/batch.h"
#include "wstree/core/prior.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace wstree::core {
namespace {

constexpr float k_units = 100; // units

/// A prior that has seen `cost` ticks per unit, twice.
Prior known(float cost) {
  Prior prior;
  prior.learn(cost);
  prior.learn(cost);
  return prior;
}

TEST(Prior, NothingIsBelievedThatWasSeenOnce) {
  const Settings settings;
  Prior prior;
  EXPECT_EQ(prior.begin(k_units, settings), Course::explore);
  prior.learn(1);
  EXPECT_EQ(prior.begin(k_units, settings), Course::explore);
  prior.learn(1.5F);
  EXPECT_EQ(prior.begin(k_units, settings), Course::quarter);
}

TEST(Prior, LongSharesAreExploredWhateverIsKnown) {
  const Settings settings;
  const auto longest = static_cast<float>(settings.shortest_target) * tuning::k_brief / k_units;
  EXPECT_EQ(known(longest * 0.99F).begin(k_units, settings), Course::quarter);
  EXPECT_EQ(known(longest * 1.01F).begin(k_units, settings), Course::explore);
  EXPECT_EQ(known(longest * 1.01F).begin(k_units / 2, settings), Course::quarter)
      << "the trip count is another one";
}

TEST(Prior, OneDisturbedExecutionChangesNothingAndTwoDo) {
  Prior prior = known(1);
  prior.learn(100);
  EXPECT_FLOAT_EQ(prior.cost(), 1);
  prior.learn(1);
  prior.learn(100);
  prior.learn(100);
  EXPECT_FLOAT_EQ(prior.cost(), 100);
  const Settings settings;
  EXPECT_EQ(prior.begin(10, settings), Course::explore) << "the new cost was seen once";
}

TEST(Prior, SmallChangesAreFollowed) {
  Prior prior = known(1);
  for (int i = 0; i < 20; ++i) prior.learn(3);
  EXPECT_NEAR(prior.cost(), 3, 0.1);
}

TEST(Prior, AMemberThatWasBadlyWrongBelievesNothingForAsLongAsThatCost) {
  const Settings settings;
  const auto steal = static_cast<float>(settings.steal_cost);
  Prior prior = known(1);
  constexpr int k_owed = 50;
  // Now and then the place has expensive iterations, which nobody may expect of it.
  prior.compare(k_units, k_units + k_owed * steal, steal);
  prior.learn(1 + k_owed * steal / k_units);
  EXPECT_FLOAT_EQ(prior.cost(), 1);
  for (int execution = 0; execution < k_owed; ++execution) {
    EXPECT_EQ(prior.dearest(), __builtin_inff());
    ASSERT_EQ(prior.begin(k_units, settings), Course::explore) << execution;
    prior.compare(k_units, k_units, steal);
    prior.learn(1);
  }
  EXPECT_EQ(prior.begin(k_units, settings), Course::quarter);
  EXPECT_FLOAT_EQ(prior.dearest(), 1);
}

TEST(Prior, AMemberThatWasWrongByLittleGoesOnBelieving) {
  const Settings settings;
  const auto steal = static_cast<float>(settings.steal_cost);
  Prior prior = known(1);
  prior.compare(k_units, k_units + steal, steal); // no more than believing saves
  EXPECT_EQ(prior.begin(k_units, settings), Course::quarter);
  prior.compare(10 * steal, tuning::k_like_before * 10 * steal, steal); // alike
  EXPECT_EQ(prior.begin(k_units, settings), Course::quarter);
}

TEST(Prior, AnotherCostDoesNotMakeAMemberForgetThatItWasWrong) {
  const Settings settings;
  const auto steal = static_cast<float>(settings.steal_cost);
  Prior prior = known(1);
  for (int i = 0; i < 2; ++i) {
    prior.compare(k_units, k_units * 1'000 * steal, steal);
    prior.learn(1'000 * steal);
  }
  for (int i = 0; i < 3; ++i) prior.learn(1);
  EXPECT_FLOAT_EQ(prior.cost(), 1);
  EXPECT_EQ(prior.begin(k_units, settings), Course::explore);
}

TEST(Priors, ACodeLocationKeepsItsOwnUntilItsPlaceIsTaken) {
  Priors priors;
  static const char code[4'096] = {};
  priors.at(code).learn(7);
  EXPECT_FLOAT_EQ(priors.at(code).cost(), 7);
  int forgotten = 0;
  for (const char& other : code) {
    if (&other == code) continue;
    EXPECT_FLOAT_EQ(priors.at(&other).cost(), 0);
    priors.at(&other).learn(1);
    const bool is_forgotten = priors.at(code).cost() == 0;
    EXPECT_EQ(priors.at(code).take_displaced(), is_forgotten) << "the other one had taken its place";
    EXPECT_FALSE(priors.at(code).take_displaced()) << "it was told once";
    if (is_forgotten) ++forgotten;
    priors.at(code) = known(7);
  }
  EXPECT_GT(forgotten, 0);
  EXPECT_LT(forgotten, 64);
}

/// Units of the batches that a share of `units` is handed out in; each unit takes `cost` ticks, and
/// `expected`.
std::vector<std::uint32_t> batches(std::uint32_t units, float expected, std::uint64_t cost) {
  const Settings settings;
  Batcher batcher;
  std::uint64_t now = 1;
  batcher.enter(settings, 1, 0, static_cast<float>(units), now);
  batcher.expect(expected, static_cast<float>(units));
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

TEST(BriefShare, IsHandedOutInAFewPieces) {
  const auto sizes = batches(1'000, 2, 2);
  EXPECT_LE(sizes.front() * 2, Settings{}.tail_batch / 8) << "a short first batch";
  EXPECT_LE(sizes.size(), 8U);
}

TEST(BriefShare, ThatTurnsOutLongIsExplored) {
  // A hundred times as long: 80 us instead of 0.8.
  const auto sizes = batches(1'000, 2, 200);
  EXPECT_GT(sizes.size(), 20U);
  for (const std::uint32_t units : sizes) EXPECT_LE(units * 200, 10 * Settings{}.shortest_target);
}

} // namespace
} // namespace wstree::core
