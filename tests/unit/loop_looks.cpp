// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which regions their opener looks at.
#include "looks.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace wstree::loop {
namespace {

constexpr int k_one_of = static_cast<int>(core::tuning::k_between_looks + 1) / 2;

TEST(Looks, ManyInARowAsLongAsSomethingMayBeNew) {
  Looks looks(1);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(looks.open()) << i;
    looks.look(0, 8);
  }
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(looks.open()) << i << " after the last surprise";
    looks.look(0, 0);
  }
}

TEST(Looks, ASmallerWishDoesNotShortenALargerOne) {
  Looks looks(1);
  looks.look(0, 64);
  looks.look(0, 8);
  for (int i = 0; i < 63; ++i) {
    ASSERT_TRUE(looks.open()) << i;
    looks.look(0, 0);
  }
}

TEST(Looks, ARareSizeIsWaitedForButNotForEver) {
  constexpr int k_every = 12; // every 12th region is of size 5
  Looks looks(1);
  looks.look(5, 8);
  for (int i = 0; i < 7 * k_every; ++i) {
    ASSERT_TRUE(looks.open()) << i;
    looks.look(i % k_every == k_every - 1 ? 5 : 0, 0);
  }
  looks.look(5, 0); // the eighth one
  Looks in_vain(1);
  in_vain.look(5, 8);
  for (const Looks& before : {looks, in_vain}) {
    Looks later = before;
    int seen = 0;
    for (int i = 0; i < 1'000; ++i)
      if (later.open()) {
        ++seen;
        later.look(0, 0);
      }
    EXPECT_LE(seen, 1'000 / k_one_of + 150);
  }
}

TEST(Looks, OneOfAFewWhereAllIsAsBefore) {
  Looks looks(1);
  constexpr int k_regions = 10'000;
  int seen = 0;
  std::uint32_t unseen = 0;
  for (int i = 0; i < k_regions; ++i) {
    if (!looks.open()) continue;
    ++seen;
    unseen += looks.unseen();
    ASSERT_LT(looks.unseen(), core::tuning::k_between_looks);
    looks.look(0, 0);
  }
  EXPECT_NEAR(seen, k_regions / k_one_of, k_regions / 30);
  EXPECT_NEAR(unseen, k_regions - seen, core::tuning::k_between_looks); // those that they stand for
}

TEST(Looks, NoPatternInTheRegionsEscapesThem) {
  for (int period = 2; period <= 16; ++period) {
    Looks looks(1);
    std::array<int, 16> seen{};
    constexpr int k_periods = 1'000;
    for (int i = 0; i < k_periods * period; ++i) {
      if (!looks.open()) continue;
      ++seen[static_cast<std::size_t>(i % period)];
      looks.look(0, 0);
    }
    for (int at = 0; at < period; ++at)
      EXPECT_NEAR(seen[static_cast<std::size_t>(at)], k_periods / k_one_of, k_periods / 12)
          << "number " << at << " of " << period;
  }
}

TEST(Looks, ARegionThatOpensAndIsNotSeenAfterAllIsLookedAtTheNextTime) {
  // Its team turned out to have one member, or it had no loops.
  Looks looks(1);
  for (int i = 0; i < 100; ++i) looks.open();
  EXPECT_TRUE(looks.open());
  looks.look(0, 0);
}

} // namespace
} // namespace wstree::loop
