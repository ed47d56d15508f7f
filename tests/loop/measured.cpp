// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: loop/measured.h: what makes a loop uneven, and what does not.
#include "member.h"
#include "team.h"
#include "track.h"

#include "wstree/core/platform.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace wstree::loop {
namespace {

/// A clock that tells what the test wants.
struct ToldClock : core::StdPlatform {
  static std::uint64_t ticks() noexcept { return now; }
  static inline thread_local std::uint64_t now = 0;
};

TEST(team_measure, AMemberWithoutAProcessorMakesNoLoopUneven) {
  core::Settings settings = {};
  settings.clocked = true;
  for (const std::uint64_t preempted : {0U, 30U}) {
    Team<ToldClock> team;
    team.open();
    std::uint64_t uneven = 0, told = 0;
    // One after the other: equal parts, of which the second takes 30 ticks more.
    for (std::uint32_t m = 0; m < 2; ++m) {
      Member<ToldClock> member(&team, m, 2);
      ToldClock::now = 1'000;
      ASSERT_TRUE(member.enter(10, settings, 0, core::Model::static_));
      core::Range range;
      ASSERT_TRUE(member.next(range));
      ToldClock::now += 100 + 30 * m;
      ASSERT_FALSE(member.next(range));
      member.leave(
          [&](const Execution& execution) {
            uneven = execution.most_uneven_ticks;
            told = execution.preempted_ticks;
          },
          m == 1 ? preempted : 0);
      member.depart();
    }
    team.close();
    EXPECT_EQ(uneven, preempted == 0 ? 15U : 0U);
    EXPECT_EQ(told, preempted);
  }
}

TEST(team_measure, ATraceSaysHowLongAMemberHadNoProcessor) {
  core::Settings settings = {};
  settings.clocked = true;
  std::array<Event, 64> memory{};
  Track track(memory.data(), memory.size());
  Team<ToldClock> team;
  team.open();
  for (std::uint32_t m = 0; m < 2; ++m) {
    Member<ToldClock> member(&team, m, 2);
    ASSERT_TRUE(member.enter(10, settings, 0, core::Model::static_));
    if (m == 1) member.trace(track, Event{}, 0);
    core::Range range;
    ASSERT_TRUE(member.next(range));
    ToldClock::now += 100;
    ASSERT_FALSE(member.next(range));
    member.leave([](const Execution&) {}, 30);
    member.depart();
  }
  team.close();
  const Event& last = track.at(track.total() - 1);
  EXPECT_EQ(last.kind, Event::Kind::loop);
  EXPECT_EQ(last.member, 1U);
  EXPECT_EQ(last.first, 30U);
}

} // namespace
} // namespace wstree::loop
