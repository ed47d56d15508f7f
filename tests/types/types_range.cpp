// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wstree::work_stealing_range: what the owner and thieves get, the ends of its numbers, all of it once.
#include "seed.h"
#include "threads.h"
#include "usual.h"

#include "wstree/types/work_stealing_range.h"

#include <stdexcept>

namespace wstree::types_range_test {
namespace {

constexpr std::int64_t k_lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t k_highest = std::numeric_limits<std::int64_t>::max();

TEST(WorkStealingRange, OwnerTakesFromTheLeftThievesTheLastQuarter) {
  work_stealing_range range(0, 8);
  EXPECT_EQ(range.size(), 8U);
  EXPECT_EQ(range.take(), 0);
  EXPECT_EQ(range.steal(), (index_range{6, 8}));
  EXPECT_EQ(range.take(2), (index_range{1, 3}));
  EXPECT_EQ(range.size(), 3U);
  EXPECT_EQ(range.take(9), (index_range{3, 6}));
  EXPECT_FALSE(range.take());
  EXPECT_FALSE(range.take(1));
  EXPECT_FALSE(range.steal());
  EXPECT_TRUE(range.empty());
}

/// A thief leaves at least twice what it takes, but of the last two numbers one.
TEST(WorkStealingRange, ThievesEmptyWhatItsOwnerHasLeft) {
  work_stealing_range range(-7, -4); // the published code hands out -4
  std::vector<std::int64_t> stolen;
  while (const auto part = range.steal())
    for (std::int64_t i = part->first; i != part->last; ++i) stolen.push_back(i);
  std::sort(stolen.begin(), stolen.end());
  EXPECT_EQ(stolen, (std::vector<std::int64_t>{-7, -6, -5}));
  EXPECT_FALSE(range.take());
}

TEST(WorkStealingRange, TakesAnyNumbersAndNotTooMany) {
  work_stealing_range none(5, 5);
  EXPECT_FALSE(none.take());
  EXPECT_FALSE(none.steal());
  EXPECT_TRUE(none.empty());
  work_stealing_range low(k_lowest, k_lowest + 2), high(k_highest - 1, k_highest);
  EXPECT_EQ(low.take(), k_lowest);
  EXPECT_EQ(low.steal(), (index_range{k_lowest + 1, k_lowest + 2}));
  EXPECT_EQ(high.take(), k_highest - 1);
  EXPECT_FALSE(high.take());
  work_stealing_range largest(-1, (std::int64_t{1} << 32) - 2);
  EXPECT_EQ(largest.size(), ~std::uint32_t{0});
  EXPECT_EQ(largest.take(~std::uint32_t{0}), (index_range{-1, (std::int64_t{1} << 32) - 2}));
  EXPECT_FALSE(largest.steal());
  EXPECT_THROW(work_stealing_range(1, 0), std::invalid_argument);
  EXPECT_THROW(work_stealing_range(0, std::int64_t{1} << 32), std::length_error);
  EXPECT_THROW(work_stealing_range(k_lowest, k_highest), std::length_error);
}

/// Thieves make ranges of what they steal, as the article's partitions do.
TEST(WorkStealingRange, HandsOutEveryNumberOnce) {
  core::Rng rng(test::seed());
  for (std::uint64_t round = 0; round < test::scaled(150); ++round) {
    const std::uint32_t size = 1 + rng.below(3000), thieves = 1 + rng.below(3);
    std::vector<std::atomic<std::uint8_t>> hits(size);
    work_stealing_range range(100, 100 + std::int64_t{size});
    test::in_parallel(thieves + 1, [&](std::uint32_t member) {
      const auto drain = [&](work_stealing_range& mine) {
        while (const auto i = mine.take()) hits[static_cast<std::size_t>(*i - 100)].fetch_add(1);
      };
      if (member == 0) return drain(range);
      while (!range.empty())
        if (const auto part = range.steal()) {
          work_stealing_range mine(*part);
          drain(mine);
        }
    });
    for (std::uint32_t i = 0; i < size; ++i) ASSERT_EQ(hits[i], 1) << i << " of " << size;
  }
}

} // namespace
} // namespace wstree::types_range_test
