// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What member 0 concludes from the many loops of a region, with a clock that the tests set.
#include "steps.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace wstree::loop::steps_test {
namespace {

constexpr std::uint64_t k_us = 2'500; // ticks, of the usual Settings

TEST(Steps, TheLastSizeHasNoEndAndIsNeverBrief) {
  Steps steps(Way::parts);
  const core::Settings settings;
  std::uint64_t now = 0;
  steps.begin(8);
  for (std::uint64_t loop = 8; loop < 400; ++loop) {
    steps.meet(loop, k_sizes - 1, 2, settings, [&] { return now += k_us; });
    ASSERT_LT(steps.largest(), k_sizes - 1);
  }
  EXPECT_EQ(steps.way(), Way::parts) << "for smaller ones";
}

/// Loops of a member 0 that executes `done` of its 40 iterations of `cost` in each, and then waits, until
/// they take `tree` or `parts` ticks. Returns how many went in parts.
int in_parts(Steps& steps, std::uint64_t& loop, std::uint64_t& now, std::uint64_t count, std::uint64_t cost,
             std::uint64_t tree, std::uint64_t parts, std::uint64_t done = 40) {
  const core::Settings settings;
  constexpr unsigned k_size = 6;
  int even = 0;
  for (const std::uint64_t end = loop + count; loop < end; ++loop) {
    steps.meet(loop, k_size, 8, settings, [&] { return now; });
    const Way way = k_size <= steps.largest() ? steps.way() : Way::tree;
    even += way == Way::parts ? 1 : 0;
    now += way == Way::parts ? parts : tree;
    if (way == Way::tree) steps.note(static_cast<float>(done * cost));
  }
  return even;
}

TEST(Steps, AreBriefByTheirWorkWhereThreadsWaitForProcessors) {
  Steps steps;
  steps.begin(8);
  std::uint64_t loop = 8, now = 0;
  in_parts(steps, loop, now, 400, k_us / 20, 200 * k_us, 100 * k_us);
  EXPECT_GE(in_parts(steps, loop, now, 400, k_us / 20, 200 * k_us, 100 * k_us), 300);
  // Work that has become long.
  EXPECT_LE(in_parts(steps, loop, now, 400, 200 * k_us, 8'000 * k_us, 10'000 * k_us), 32);
}

TEST(Steps, LongWorkStaysOnTheTree) {
  Steps steps;
  steps.begin(8);
  std::uint64_t loop = 8, now = 0;
  EXPECT_EQ(in_parts(steps, loop, now, 800, 2 * k_us, 80 * k_us, 40 * k_us), 0);
}

TEST(Steps, AreNotBriefBecauseMemberZeroComesTooLate) {
  Steps steps;
  steps.begin(8);
  std::uint64_t loop = 8, now = 0;
  EXPECT_EQ(in_parts(steps, loop, now, 800, k_us, 1'600 * k_us, 1'000 * k_us, 0), 0);
}

/// What member 0 works in loops that still go to the tree, after a change was said, is not that of later
/// ones.
TEST(Steps, LoopsOfTheWayBeforeSayNothing) {
  Steps steps(Way::parts);
  const core::Settings settings;
  std::uint64_t now = 0;
  const auto meet = [&](std::uint64_t loop) { steps.meet(loop, 6, 8, settings, [&] { return now; }); };
  steps.begin(16);
  for (std::uint64_t loop = 8; loop < 16; ++loop) {
    meet(loop);
    steps.note(k_us);
  }
  for (std::uint64_t loop = 16; loop <= 24; ++loop, now += 200 * k_us) meet(loop); // in parts
  EXPECT_EQ(steps.largest(), 0U) << "they were long";
}

TEST(Steps, APauseBetweenLoopsIsNotWaiting) {
  Steps steps(Way::parts);
  steps.begin(8);
  std::uint64_t loop = 8, now = 0;
  in_parts(steps, loop, now, 4, k_us / 20, 5 * k_us, 4 * k_us);
  now += 50'000 * k_us;
  in_parts(steps, loop, now, 400, k_us / 20, 5 * k_us, 4 * k_us);
  EXPECT_LE(in_parts(steps, loop, now, 400, 100 * k_us, 2'300 * k_us, 4'000 * k_us), 24);
}

} // namespace
} // namespace wstree::loop::steps_test
