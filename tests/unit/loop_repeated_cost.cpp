// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Into how many pieces regions are cut, and which regions are not.
#include "repeated_cost.h"

#include "wstree/core/tuning.h"

#include <cstdint>
#include <gtest/gtest.h>

namespace wstree::loop {
namespace {

namespace tuning = core::tuning;
const core::Settings k_settings;
constexpr std::uint32_t k_members = 4;
constexpr std::uint64_t k_n = 10'000;

/// Executes regions of a loop that takes `share` shortest targets of each member, until they are whole. Returns how
/// many were cut before.
std::uint32_t cut_before_whole(RepeatedCost& cost, std::uint64_t share, bool is_even = true) {
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    if (cost.known().cut(k_n, k_members, k_settings).is_whole) return i;
    cost.learn(share * k_settings.shortest_target * k_members, k_n, is_even, k_members, k_settings);
  }
  return 10'000;
}

TEST(RepeatedCost, BriefAndEvenRegionsBecomeWhole) {
  RepeatedCost brief, uneven, lasting;
  EXPECT_EQ(cut_before_whole(brief, 5), tuning::k_calm);
  EXPECT_EQ(cut_before_whole(uneven, 5, false), 10'000U);
  EXPECT_EQ(cut_before_whole(lasting, tuning::k_whole + 5), 10'000U);
}

TEST(RepeatedCost, ADisappointmentDoublesTheTimeUntilTheNextOne) {
  RepeatedCost cost;
  std::uint32_t expected = tuning::k_calm;
  for (std::uint32_t times = 0; times <= tuning::k_most_doubled + 2; ++times) {
    EXPECT_EQ(cut_before_whole(cost, 5), expected);
    cost.regret();
    if (times < tuning::k_most_doubled) expected *= 2;
  }
}

TEST(RepeatedCost, LongerLoopsOfABriefPlaceAreCut) {
  RepeatedCost cost;
  cut_before_whole(cost, 5);
  EXPECT_TRUE(cost.known().cut(k_n, k_members, k_settings).is_whole);
  EXPECT_FALSE(cost.known().cut(k_n * 10, k_members, k_settings).is_whole);
}

TEST(RepeatedCost, AsManyIterationsAsMembersAreNeverCut) {
  const RepeatedCost cost;
  EXPECT_TRUE(cost.known().cut(k_members, k_members, k_settings).is_whole);
  EXPECT_FALSE(cost.known().cut(k_members + 1, k_members, k_settings).is_whole);
}

TEST(RepeatedCost, NoLoopHasMorePiecesThanIterationsOrThanAreWorthwhile) {
  for (const std::uint64_t work : {std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 62})
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1} << 20, ~std::uint64_t{0} >> 1})
      for (const bool is_even : {false, true}) {
        RepeatedCost cost;
        cost.learn(work, n, is_even, k_members, k_settings);
        const Cut cut = cost.known().cut(n, k_members, k_settings);
        if (cut.is_whole) continue;
        EXPECT_GE(cut.pieces, n == 0 ? k_members : 1U);
        EXPECT_LE(cut.pieces, n == 0 ? tuning::k_most_calls * k_members : n);
        EXPECT_LE(cut.pieces, tuning::k_most_calls * k_members);
      }
}

} // namespace
} // namespace wstree::loop
