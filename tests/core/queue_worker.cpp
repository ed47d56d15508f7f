// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members with work-stealing queues, one call at a time.
#include "queue_support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace wstree::queue_worker_test {
namespace {

using core::BatchMode;
using core::Counts;
using core::Item;
using core::Range;
using core::Settings;
using P = test::QueuePlatform;

constexpr BatchMode k_modes[] = {BatchMode::timed, BatchMode::exponential, BatchMode::fixed,
                                 BatchMode::random};

Settings of_mode(BatchMode mode, std::uint64_t limit) {
  Settings settings;
  settings.batch = mode;
  settings.limit = limit;
  return settings;
}

std::uint64_t never_late(std::uint32_t) { return 0; }

template <class Team> class CoreQueueWorker : public testing::Test {};
using Teams =
    testing::Types<test::QueueTeam<P, core::LockFreeQueue>, test::QueueTeam<P, core::LockedQueue>,
                   test::QueueTeam<P, test::TinyLockFreeQueue>, test::QueueTeam<P, test::TinyLockedQueue>>;
struct Names {
  template <class Team> static std::string GetName(int i) {
    constexpr const char* k_names[] = {"LockFree", "Locked", "LockFreeOfTwo", "LockedOfTwo"};
    return k_names[i];
  }
};
TYPED_TEST_SUITE(CoreQueueWorker, Teams, Names);

template <class Team>
void expect_exactly_once(Team& team, std::uint64_t n, const Settings& settings, std::uint32_t members,
                         std::uint64_t per_iteration) {
  test::Once once(n, members);
  const Counts total = team.run(
      n, settings, [=](auto begin, auto end) { return (end - begin) * per_iteration + begin % 7; },
      [](std::uint32_t m) { return m * 431ULL % 2000; },
      [&](std::uint32_t m, const Range& range) { once.see(m, range); });
  once.expect_done(total.iterations);
  EXPECT_EQ(team.unclaimed(), 0U);
}

TYPED_TEST(CoreQueueWorker, LoopsThatAreTooLongToCount) {
  for (const BatchMode mode : {BatchMode::fixed, BatchMode::exponential})
    for (const std::uint32_t members : {1U, 300U})
      for (const std::uint64_t n : {1ULL << 32, (1ULL << 40) + 12'345, (1ULL << 62) + 1, (1ULL << 63) - 1}) {
        TypeParam team(members, mode == BatchMode::exponential ? n / 2'000 : 1);
        test::Cover cover;
        const Counts total = team.run(
            n, of_mode(mode, n / 1'000), [](auto begin, auto end) { return (end - begin) >> 30; }, never_late,
            [&](std::uint32_t, const Range& range) { cover.see(range); });
        cover.expect_all(n);
        EXPECT_EQ(total.iterations, n);
      }
}

TYPED_TEST(CoreQueueWorker, WhatALoopLeftBehindIsNoWorkForTheNext) {
  TypeParam team(3);
  Range range;
  for (int loop = 0; loop < 5; ++loop) {
    team.begin(1000, of_mode(BatchMode::fixed, 1));
    for (const std::uint32_t m : {0U, 1U}) ASSERT_TRUE(team.enter(m).next(range)); // cancelled: no more calls
    test::Once once(100, 3);
    const Counts total = team.run(
        100, of_mode(BatchMode::fixed, 1), [](auto begin, auto end) { return (end - begin) * 50; },
        [](std::uint32_t m) { return m == 2 ? 0 : 1'000'000; }, // it meets the queues as they were
        [&](std::uint32_t m, const Range& piece) { once.see(m, piece); });
    once.expect_done(total.iterations);
  }
}

TYPED_TEST(CoreQueueWorker, TheOldestItemIsTheLongestAndThievesGetIt) {
  TypeParam team(2);
  team.begin(2001, of_mode(BatchMode::fixed, 1)); // shares of 1001 and 999 units
  auto& owner = team.enter(0);
  Range range;
  ASSERT_TRUE(owner.next(range));
  EXPECT_EQ(range.begin, 0U) << "from front to back";
  std::vector<Item> items;
  const auto list = [&] {
    items.clear();
    team.loop().cells[0].queue.each([&](std::uint64_t word) { items.push_back(Item::of(word)); });
  };
  list();
  ASSERT_EQ(items.size(), 9U); // 501, 250, 125, 63, 31, 16, 8, 4, 2 (less the halves before)
  for (std::size_t i = 1; i < items.size(); ++i) {
    EXPECT_GE(items[i - 1].size(), items[i].size());
    EXPECT_EQ(items[i].end, items[i - 1].begin) << "they follow one another";
  }
  EXPECT_EQ(items.front(), (Item{500, 1001}));
  EXPECT_EQ(items.back().begin, 1U);
  auto& thief = team.enter(1);
  for (int i = 0; i < 999; ++i) ASSERT_TRUE(thief.next(range));
  EXPECT_EQ(thief.counts().steals, 0U);
  ASSERT_TRUE(thief.next(range));
  EXPECT_EQ(thief.counts().steals, 1U);
  EXPECT_EQ(range.begin, 500U) << "the first unit of the longest item";
  ASSERT_TRUE(owner.next(range));
  EXPECT_EQ(range.begin, 1U);
}

TYPED_TEST(CoreQueueWorker, NoBatchIsSmallerThanAskedFor) {
  for (const BatchMode mode : k_modes) {
    TypeParam team(2, 50);
    std::uint64_t small = 0;
    std::uint64_t batches = 0;
    const Counts total = team.run(
        100'000, of_mode(mode, 256), [](auto begin, auto end) { return (end - begin) * 3; }, never_late,
        [&](std::uint32_t, const Range& range) {
          small += range.end - range.begin < 50;
          ++batches;
        });
    EXPECT_EQ(total.batches, batches);
    EXPECT_LT(small * 10, batches) << static_cast<int>(mode); // ends of items
  }
}

TYPED_TEST(CoreQueueWorker, LoopsAllocateNothingOnceTheQueuesHaveGrown) {
  TypeParam team(2);
  expect_exactly_once(team, 5'000, of_mode(BatchMode::fixed, 1), 2, 10);
  const std::uint64_t before = P::allocations;
  for (int loop = 0; loop < 20; ++loop) expect_exactly_once(team, 5'000, of_mode(BatchMode::fixed, 1), 2, 10);
  EXPECT_EQ(P::allocations, before);
}

TYPED_TEST(CoreQueueWorker, WithoutMemoryEveryIterationStillRunsOnce) {
  P::poor = true;
  for (const BatchMode mode : k_modes)
    for (const std::uint32_t members : {1U, 2U, 5U}) {
      TypeParam team(members);
      for (const std::uint64_t n : {1ULL, 10ULL, 1000ULL})
        expect_exactly_once(team, n, of_mode(mode, mode == BatchMode::fixed ? 3 : 64), members, 20);
    }
  P::poor = false;
}

} // namespace
} // namespace wstree::queue_worker_test
