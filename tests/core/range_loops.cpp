// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whole loops on work-stealing ranges, one call at a time.
#include "once.h"
#include "range_support.h"
#include "seed.h"

#include "wstree/core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace wstree::range_loops_test {
namespace {

using core::BatchMode;
using core::Range;
using core::Settings;
using P = test::HookPlatform;
using Team = test::RangeTeam<P>;

/// Runs one loop, the members called in random order, some of them late.
void run_in_random_order(Team& team, std::uint64_t n, std::uint64_t number, const Settings& settings,
                         std::uint64_t smallest, core::Rng& random,
                         const std::function<void(std::uint32_t, const Range&)>& seen) {
  team.enter_all(n, number, settings, smallest);
  std::vector<std::uint32_t> busy;
  for (std::uint32_t m = 0; m < team.members(); ++m) busy.push_back(m);
  const std::uint32_t late =
      random.below(team.members() + 1); // this one is called once all others are through
  std::uint64_t handed_out = 0;
  while (!busy.empty()) {
    const std::uint32_t at = random.below(static_cast<std::uint32_t>(busy.size()));
    const std::uint32_t member = busy[at];
    if (member == late && busy.size() > 1) continue;
    P::now += random.below(1000);
    Range range;
    if (!team.worker(member).next(range)) {
      busy.erase(busy.begin() + at);
      continue;
    }
    seen(member, range);
    handed_out += range.end - range.begin;
    ASSERT_EQ(team.unclaimed(n, number, settings), n - handed_out);
  }
}

TEST(RangeLoops, WhatACancelledLoopLeavesBehindIsNotTaken) {
  core::Rng random(test::seed());
  Settings settings;
  settings.batch = BatchMode::fixed;
  settings.limit = 2;
  Team team(4);
  for (std::uint64_t number = 1; number < 600; number += 2) {
    team.enter_all(200, number, settings);
    Range range;
    for (std::uint32_t calls = random.below(80); calls > 0; --calls) team.worker(random.below(4)).next(range);
    const std::uint64_t n = 1 + random.below(60);
    test::Once once(n, 4);
    run_in_random_order(team, n, number + 1, settings, 1, random,
                        [&](std::uint32_t m, const Range& piece) { once.see(m, piece); });
    once.expect_done(n);
  }
}

TEST(RangeLoops, HugeLoopsAreCountedInUnits) {
  core::Rng random(test::seed());
  for (const std::uint32_t members : {1U, 2U, 7U, 200U})
    for (const std::uint64_t n : {1ULL << 33, (1ULL << 40) + 12345, 1ULL << 62, ~0ULL >> 1}) {
      Settings settings;
      settings.batch = BatchMode::exponential;
      settings.limit = n / 64 + 1;
      Team team(members);
      std::vector<Range> pieces;
      run_in_random_order(team, n, 1, settings, n / 100'000, random,
                          [&](std::uint32_t, const Range& range) { pieces.push_back(range); });
      std::sort(pieces.begin(), pieces.end(), [](auto& a, auto& b) { return a.begin < b.begin; });
      std::uint64_t next = 0;
      for (const Range& piece : pieces) {
        ASSERT_EQ(piece.begin, next);
        ASSERT_EQ(piece.last, piece.end == n);
        next = piece.end;
      }
      EXPECT_EQ(next, n);
    }
}

TEST(RangeLoops, NoBatchIsSmallerThanAskedFor) {
  core::Rng random(test::seed());
  for (const BatchMode mode : {BatchMode::timed, BatchMode::exponential, BatchMode::fixed}) {
    Settings settings;
    settings.batch = mode;
    settings.limit = 256;
    Team team(3);
    std::uint64_t small = 0;
    run_in_random_order(team, 100'000, 1, settings, 50, random,
                        [&](std::uint32_t, const Range& range) { small += range.end - range.begin < 50; });
    std::uint64_t steals = 0;
    for (std::uint32_t m = 0; m < 3; ++m) steals += team.worker(m).counts().steals;
    EXPECT_LE(small, steals + 3 + 1) << "ends of ranges, and the last iteration; mode "
                                     << static_cast<int>(mode);
  }
}

} // namespace
} // namespace wstree::range_loops_test
