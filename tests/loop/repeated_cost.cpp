// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Into how many pieces regions are cut, and which regions are not.
#include "repeated_cost.h"

#include "usual.h"

#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

namespace wstree::loop {
namespace {

namespace tuning = core::tuning;
const core::Settings k_usual;
constexpr std::uint32_t k_team_size = 4;
constexpr std::uint64_t k_loop_length = 10'000;
constexpr std::uint64_t k_shortest = 2'500; // ticks, the shortest one of the settings
constexpr std::uint64_t k_wall = 200'000;   // in pieces
constexpr std::uint64_t k_a_little_slower = k_wall + k_wall / 4;

/// Executes regions of a loop that takes `share` shortest targets of each member, until they are whole.
/// Returns how many were cut before.
std::uint32_t cut_before_whole(RepeatedCost& cost, std::uint64_t share, bool is_even = true) {
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    if (cost.is_whole(k_usual)) return i;
    cost.learn(share * k_shortest * k_team_size, k_loop_length, is_even, k_team_size, k_wall, k_usual);
  }
  return 10'000;
}
/// Executes regions whole, each of which takes `wall`, until they are cut. Returns how many those were.
std::uint32_t whole_before_cut(RepeatedCost& cost, std::uint64_t wall) {
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    if (!cost.is_whole(k_usual)) return i;
    cost.check_whole(wall, k_usual);
  }
  return 10'000;
}

TEST(RepeatedCost, BriefAndEvenRegionsBecomeWhole) {
  RepeatedCost brief, uneven, lasting;
  EXPECT_EQ(cut_before_whole(brief, tuning::k_whole), tuning::k_calm);
  EXPECT_EQ(cut_before_whole(uneven, 5, false), 10'000U);
  EXPECT_EQ(cut_before_whole(lasting, tuning::k_whole + 1), 10'000U);
}

TEST(RepeatedCost, RegionsStayWholeForLongWhileThatTakesNoLonger) {
  for (const std::uint64_t wall : {k_wall / 2, k_wall, k_wall + k_wall / (2 * tuning::k_slower_part)}) {
    RepeatedCost cost;
    cut_before_whole(cost, 5);
    EXPECT_EQ(whole_before_cut(cost, wall), tuning::k_most_whole) << wall;
    EXPECT_EQ(cut_before_whole(cost, 5), tuning::k_calm) << wall;
  }
}

TEST(RepeatedCost, ARegionThatWasPreemptedCountsNoMoreThanTwice) {
  RepeatedCost cost;
  cut_before_whole(cost, 5);
  // Among many others: a tenth of them takes longer by half.
  for (std::uint32_t i = 0; i < 1000; ++i) {
    ASSERT_TRUE(cost.is_whole(k_usual)) << i;
    cost.check_whole(i % 10 == 5 ? k_wall * 3 / 2 : k_wall - k_wall / 16, k_usual);
  }
}

TEST(RepeatedCost, ADisappointmentDoublesTheTimeUntilTheNextOneAndIsForgottenAfterManyRegions) {
  RepeatedCost cost;
  std::uint32_t expected = tuning::k_calm;
  for (std::uint32_t times = 0; times < 10; ++times) {
    EXPECT_EQ(cut_before_whole(cost, 5), expected);
    const std::uint32_t judged = whole_before_cut(cost, k_a_little_slower);
    EXPECT_TRUE(times > 0 || judged == tuning::k_judged + 1) << judged << " that are a little slower";
    expected = std::min(expected * 2, tuning::k_most_doubled);
  }
  EXPECT_EQ(cut_before_whole(cost, 5), expected);
  whole_before_cut(cost, k_wall);
  EXPECT_EQ(cut_before_whole(cost, 5), tuning::k_calm);
}

TEST(RepeatedCost, VeryDearRegionsAgainAndAgainAreSoonCut) {
  RepeatedCost cost;
  std::uint32_t dear = 0;
  for (std::uint32_t i = 0; i < 300 * 50; ++i) {
    const bool is_dear = i % 300 == 299;
    const std::uint64_t times = is_dear ? 1000 : 1;
    if (cost.is_whole(k_usual)) {
      dear += is_dear ? 1 : 0;
      cost.check_whole(times * k_wall, k_usual);
    } else
      cost.learn(5 * times * k_shortest * k_team_size, k_loop_length, !is_dear, k_team_size,
                 is_dear ? times * k_wall / 2 : k_wall, k_usual);
  }
  EXPECT_EQ(dear, 2U);
}

TEST(RepeatedCost, RegionsOfOtherLengthsAreNotDear) {
  RepeatedCost cost;
  std::uint32_t whole = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint64_t wall = i % 2 == 0 ? k_wall : k_wall / 10;
    if (cost.is_whole(k_usual)) {
      cost.check_whole(wall, k_usual);
      ++whole;
    } else
      cost.learn(5 * k_shortest * k_team_size, k_loop_length, true, k_team_size, wall, k_usual);
  }
  EXPECT_GT(whole, 1500U);
}

TEST(RepeatedCost, PiecesAreNoMoreThanIterationsOrThanAreWorthwhile) {
  for (const std::uint64_t work : {std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 62})
    for (const std::uint64_t n :
         {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1} << 20, ~std::uint64_t{0} >> 1})
      for (const bool is_even : {false, true}) {
        RepeatedCost cost;
        cost.learn(work, n, is_even, k_team_size, k_wall, k_usual);
        const std::uint64_t each = cost.known().pieces_each(n, k_team_size, k_usual);
        EXPECT_GE(each, 1U);
        EXPECT_LE(each, tuning::k_most_calls);
        EXPECT_LE(each, n != 0 ? n / k_team_size : each);
      }
}

TEST(RepeatedCost, UnevenLoopsAreCutFiner) {
  RepeatedCost even, uneven;
  even.learn(1000 * k_shortest * k_team_size, k_loop_length, true, k_team_size, k_wall, k_usual);
  uneven.learn(1000 * k_shortest * k_team_size, k_loop_length, false, k_team_size, k_wall, k_usual);
  EXPECT_GT(uneven.known().pieces_each(k_loop_length, k_team_size, k_usual),
            even.known().pieces_each(k_loop_length, k_team_size, k_usual));
}

} // namespace
} // namespace wstree::loop
