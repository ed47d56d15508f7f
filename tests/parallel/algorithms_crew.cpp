// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library's own threads, and when calls ask them instead of an OpenMP team.
#include "algorithms_support.h"

#include <atomic>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <omp.h>

namespace wstree::algorithms_test {
namespace {

void busy_for(std::uint64_t us) {
  const std::uint64_t begin = detail::Clock::ticks();
  const double ticks = static_cast<double>(us) * detail::Clock::ticks_per_us();
  while (static_cast<double>(detail::Clock::ticks() - begin) < ticks) {
  }
}

/// While every thread of the crew is held up in a call, other callers get their calls done.
TEST(Crew, CallsDoNotWaitForBusyThreads) {
  std::atomic<bool> released{false};
  std::atomic<int> held{0};
  const detail::Place& crew = resident_crew.place();
  const auto all = static_cast<int>(crew.most_members(crew)); // with the caller
  std::thread holder([&] {
    for_each(par().on(resident_crew).max_chunk(1), 0, 64 + all, [&](int i) {
      if (i == 0) return busy_for(100); // long enough for the call to ask for members
      ++held;
      while (!released.load()) std::this_thread::yield();
    });
  });
  while (held.load() < all) std::this_thread::yield();
  const std::vector<int> ones(300'000, 1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sum(par().on(resident_crew), ones), 300'000);
  std::vector<std::string> words(5'000, "ab");
  EXPECT_EQ(reduce(par().on(resident_crew), words, std::string(), std::plus<>()).size(), 10'000U);
  released = true;
  holder.join();
}

TEST(Crew, CallsWithinCallsAndExceptions) {
  std::atomic<int> done{0};
  for_each(par().on(resident_crew), 0, 200, [&](int) {
    done += static_cast<int>(count_if(par().on(resident_crew), 0, 500, [](int i) { return i % 5 == 0; }));
  });
  EXPECT_EQ(done.load(), 20'000);
  for (int i = 0; i < 20; ++i) {
    try {
      for_each(par().on(resident_crew), 0, 50'000, [&](int at) {
        if (at == 30'000 || at == 40'000) throw at;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (int at) {
      EXPECT_TRUE(at == 30'000 || at == 40'000) << at;
    }
  }
}

/// Many callers at a time: each call is complete, whichever threads help it.
TEST(Crew, ManyCallersAtATime) {
  std::vector<int> numbers(40'000);
  std::iota(numbers.begin(), numbers.end(), 0);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        if (sum(par().on(resident_crew), numbers, 0L) != 799'980'000L) ++wrong;
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

/// A program ends in the midst of a call, whatever the other members of the call wait for.
TEST(CrewDeathTest, ExitWaitsForNoCall) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exit_in_call = [] {
    const detail::Place* const crew = &resident_crew.place();
    std::atomic<bool> is_accompanied{crew->most_members(*crew) == 1};
    detail::Control control;
    const auto work = [&](std::uint32_t member, std::uint32_t) {
      if (member != 0) is_accompanied = true;
      while (member != 0 || !is_accompanied) std::this_thread::yield();
      std::exit(7);
    };
    detail::on_members(2, control, work, crew);
  };
  EXPECT_EXIT(exit_in_call(), ::testing::ExitedWithCode(7), "");
}

/// A call of a thread whose team was late is executed by threads that are no members of a region.
TEST(Crew, ExecutesTheCallsThatAvoidTeams) {
  const detail::Place& crew = resident_crew.place();
  if (crew.most_members(crew) < 2) GTEST_SKIP() << "there is one processor";
  const auto us = static_cast<std::uint64_t>(detail::Clock::ticks_per_us());
  const std::uint64_t then = detail::Clock::ticks() - 500'000 * us;
  detail::t_team_trust.note({then, then, then, then});
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> in_regions{0}, by_the_crew{0};
  for_each(par().threads(2).max_chunk(1), 0, 64, [&](int i) {
    if (i == 0) return busy_for(100);
    if (omp_in_parallel() != 0) ++in_regions;
    if (std::this_thread::get_id() != caller) ++by_the_crew;
    while (by_the_crew.load() == 0 && in_regions.load() == 0) std::this_thread::yield();
  });
  detail::t_team_trust = {};
  EXPECT_EQ(in_regions.load(), 0);
  EXPECT_GT(by_the_crew.load(), 0);
}

/// A team that kept one call waiting is not asked for 32 times as long.
TEST(Crew, IsAskedWhileTeamsAreLate) {
  using detail::Clock;
  const auto us = static_cast<std::uint64_t>(Clock::ticks_per_us());
  const auto ago = [&](std::uint64_t microseconds) { return Clock::ticks() - microseconds * us; };
  const auto at_once = [&](std::uint64_t since) {
    return detail::TeamTrust::Region{since, since, since, since};
  };
  detail::TeamTrust trust;
  EXPECT_FALSE(trust.avoids_teams());
  trust.note(at_once(ago(0)));
  EXPECT_FALSE(trust.avoids_teams()) << "a region that ended at once";
  trust.note(at_once(ago(500'000)));
  EXPECT_TRUE(trust.avoids_teams()) << "half a second late: sixteen seconds";

  detail::TeamTrust beside;
  beside.note({ago(5'000), ago(300), ago(290), ago(0)});
  EXPECT_FALSE(beside.avoids_teams())
      << "the first region makes threads; 29 times the caller's work is an element";
  beside.note({ago(5'000), ago(5'000), ago(4'990), ago(0)});
  EXPECT_TRUE(beside.avoids_teams()) << "499 times the caller's work: a member had no processor";

  detail::TeamTrust waited;
  waited.note(at_once(ago(0)));
  waited.note({ago(5'000), ago(0), ago(0), ago(0)});
  EXPECT_TRUE(waited.avoids_teams()) << "the second region waited for a thread at its beginning";

  detail::TeamTrust brief;
  const std::uint64_t before = Clock::ticks();
  brief.note(at_once(before - 100 * us));
  while (brief.avoids_teams()) std::this_thread::yield();
  EXPECT_GE(Clock::ticks() - before, 3'200 * us);
}

} // namespace
} // namespace wstree::algorithms_test
