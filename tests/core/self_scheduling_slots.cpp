// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members that take a loop from a counter, or statically: whole loops, slots that are used again,
// what is counted.
#include "once.h"
#include "seed.h"

#include "wstree/core/rng.h"
#include "wstree/core/self_scheduling/static_worker.h"
#include "wstree/core/self_scheduling/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace wstree::self_scheduling_slots_test {
namespace {

using core::Range;
using core::Settings;

/// A clock that the test sets, and that notices being read.
struct Platform : core::StdPlatform {
  static inline std::uint64_t now = 0;
  static inline std::uint64_t readings = 0;
  static std::uint64_t ticks() noexcept {
    ++readings;
    return now;
  }
};

template <class Rule> using WorkerOf = core::SelfSchedulingWorker<Platform, Rule>;
using Fixed = WorkerOf<core::FixedRule>;
using Guided = WorkerOf<core::GuidedRule>;
using Factoring = WorkerOf<core::FactoringRule>;
using Trapezoid = WorkerOf<core::TrapezoidRule>;
using Static = core::StaticWorker<Platform>;

template <class Worker> class Team {
public:
  explicit Team(std::uint32_t members) : workers_(members) {}
  /// The next loop is the slot's use number `use`.
  void open(std::uint64_t n, std::uint64_t chunk, std::uint64_t use) {
    for (std::uint32_t m = 0; m < workers_.size(); ++m) entries_.push_back(entry(n, chunk, use, m));
    entries_.erase(entries_.begin(), entries_.end() - static_cast<std::ptrdiff_t>(workers_.size()));
  }
  void enter(std::uint32_t member) { workers_[member].enter(loop, none_, entries_[member]); }
  bool next(std::uint32_t member, Range& out) { return workers_[member].next(out); }
  const core::Counts& counts(std::uint32_t member) const { return workers_[member].counts(); }
  std::uint64_t unclaimed() { return Worker::unclaimed(loop, entries_[0]); }
  std::uint32_t members() const { return static_cast<std::uint32_t>(workers_.size()); }

  typename Worker::Loop loop;
  Settings settings;

private:
  core::Entry entry(std::uint64_t n, std::uint64_t chunk, std::uint64_t use, std::uint32_t member) const {
    return {n, 8 * use, use, member, members(), &settings, chunk};
  }

  core::NoMemory none_;
  std::vector<Worker> workers_;
  std::vector<core::Entry> entries_;
};

/// Runs a loop, whose members come in any order, late or early, and are handed chunks in any order.
template <class Worker>
void expect_once(Team<Worker>& team, std::uint64_t n, std::uint64_t chunk, std::uint64_t use,
                 core::Rng& random) {
  constexpr bool one_counter = !std::is_same_v<Worker, Static>;
  test::Once once(n, team.members());
  std::vector<std::uint32_t> waiting(team.members());
  for (std::uint32_t m = 0; m < team.members(); ++m) waiting[m] = m;
  std::vector<std::uint32_t> inside;
  std::vector<std::uint64_t> border(team.members(), 0);
  std::uint64_t counted = 0;
  std::uint64_t in_order = 0;
  team.open(n, chunk, use);
  while (!waiting.empty() || !inside.empty()) {
    if (!waiting.empty() && (inside.empty() || random.below(4) == 0)) {
      std::swap(waiting[random.below(static_cast<std::uint32_t>(waiting.size()))], waiting.back());
      inside.push_back(waiting.back());
      team.enter(waiting.back());
      waiting.pop_back();
    }
    const std::uint32_t i = random.below(static_cast<std::uint32_t>(inside.size()));
    const std::uint32_t member = inside[i];
    Range range;
    if (team.next(member, range)) {
      once.see(member, range);
      EXPECT_GE(range.begin, border[member]);
      border[member] = range.end;
      if (one_counter) {
        EXPECT_EQ(range.begin, std::exchange(in_order, range.end));
        EXPECT_EQ(team.unclaimed(), n - range.end);
      }
    } else {
      EXPECT_FALSE(team.next(member, range)) << "no was not no for ever";
      counted += team.counts(member).iterations;
      inside.erase(inside.begin() + i);
    }
  }
  once.expect_done(counted);
}

template <class Worker> class SelfScheduling : public testing::Test {};
using Workers = testing::Types<Fixed, Guided, Factoring, Trapezoid, Static>;
TYPED_TEST_SUITE(SelfScheduling, Workers);

/// Uses of a slot as far apart as can be, with loops of other models in between, which do no more than what
/// loop/member.h does for them.
TYPED_TEST(SelfScheduling, KnowsAnOldLoopWhenItsTagComesAgain) {
  constexpr std::uint64_t k_period = core::UsualMarks::Counter::k_quarter;
  constexpr std::uint64_t k_tags = core::UsualMarks::Counter::k_mask + 1;
  core::Rng random(test::seed());
  for (const std::uint64_t first :
       {std::uint64_t{0}, k_period - 1, k_period, 5 * k_period + 77, (k_tags << 20) - 3})
    for (const std::uint64_t distance :
         {k_period, k_tags - k_period, k_tags - 1, k_tags, k_tags + 1, 2 * k_tags, 7 * k_tags}) {
      SCOPED_TRACE(testing::Message() << "uses " << first << " and " << first + distance);
      Team<TypeParam> team(4);
      expect_once(team, 30, 1, first, random);
      for (std::uint64_t use = first + 1; use < first + distance; ++use) {
        use = (use + k_period - 1) / k_period * k_period;
        if (use <= first + distance) team.loop.make_current(use);
      }
      expect_once(team, 20, 1, first + distance, random);
    }
}

TYPED_TEST(SelfScheduling, MeasuresBusyTimeOnlyIfAsked) {
  for (const bool clocked : {false, true}) {
    Team<TypeParam> team(2);
    team.settings.clocked = clocked;
    team.open(10, 5, 1);
    const std::uint64_t readings = Platform::readings;
    Platform::now = 1000;
    team.enter(0);
    Platform::now += 50; // on the way to the first chunk
    Range range;
    std::uint64_t busy = 0;
    while (team.next(0, range)) {
      Platform::now += 7;
      busy += 7;
    }
    Platform::now += 90;
    EXPECT_FALSE(team.next(0, range));
    EXPECT_GT(busy, 0U);
    EXPECT_EQ(team.counts(0).busy_ticks, clocked ? busy : 0);
    EXPECT_EQ(Platform::readings != readings, clocked);
  }
}

template <class Worker> class Counters : public testing::Test {};
using CounterWorkers = testing::Types<Fixed, Guided, Factoring, Trapezoid>;
TYPED_TEST_SUITE(Counters, CounterWorkers);

TYPED_TEST(Counters, CannotBeCarriedIntoTheTagByAskingOnAndOn) {
  Team<TypeParam> team(5);
  team.open(100, 1, 3);
  for (std::uint32_t m = 0; m < 5; ++m) team.enter(m);
  Range range;
  while (team.next(0, range)) {
  }
  const std::uint64_t ended = team.loop.value(3);
  EXPECT_LE(ended, 100U);
  for (int i = 0; i < 1000; ++i)
    for (std::uint32_t m = 0; m < 5; ++m) EXPECT_FALSE(team.next(m, range));
  EXPECT_LE(team.loop.value(3), ended + 4) << "each of the others may ask once";
  EXPECT_EQ(team.unclaimed(), 0U);
}

/// Iterations of one member, as the definition says: chunk k to member k % P, or blocks.
std::vector<std::uint64_t> static_reference(std::uint64_t n, std::uint32_t members, std::uint32_t member,
                                            std::uint64_t chunk) {
  std::vector<std::uint64_t> result;
  std::uint64_t block_begin = 0;
  for (std::uint32_t m = 0; m < member; ++m) block_begin += n / members + (m < n % members);
  const std::uint64_t block_end = block_begin + n / members + (member < n % members);
  for (std::uint64_t i = 0; i < n; ++i)
    if (chunk != 0 ? i / chunk % members == member : i >= block_begin && i < block_end) result.push_back(i);
  return result;
}

TEST(Static, GivesEachMemberWhatScheduleStaticDoes) {
  for (const std::uint32_t members : {1U, 2U, 5U, 16U})
    for (const std::uint64_t n : {1ULL, 4ULL, 5ULL, 6ULL, 100ULL})
      for (const std::uint64_t chunk : {0ULL, 1ULL, 3ULL, 7ULL, 1000ULL, 1ULL << 63}) {
        SCOPED_TRACE(testing::Message() << n << " iterations, " << members << " members, chunk " << chunk);
        Team<Static> team(members);
        team.open(n, chunk, 1);
        for (std::uint32_t m = 0; m < members; ++m) {
          team.enter(m);
          std::vector<std::uint64_t> found;
          for (Range range; team.next(m, range);)
            for (std::uint64_t i = range.begin; i < range.end; ++i) found.push_back(i);
          EXPECT_EQ(found, static_reference(n, members, m, chunk)) << "member " << m;
          EXPECT_TRUE(chunk != 0 || team.counts(m).batches == (found.empty() ? 0 : 1));
        }
        EXPECT_EQ(team.unclaimed(), 0U);
      }
}

TEST(Static, DividesLoopsOfAnySize) {
  constexpr auto n = (1ULL << 63) - 1;
  constexpr std::uint32_t members = 3;
  for (const std::uint64_t chunk : {0ULL, 1ULL << 61, 1ULL << 62, n - 1, n, n + 1, ~0ULL}) {
    SCOPED_TRACE(chunk);
    Team<Static> team(members);
    team.open(n, chunk, 1);
    std::uint64_t sum = 0;
    int lasts = 0;
    for (std::uint32_t m = 0; m < members; ++m) {
      team.enter(m);
      std::uint64_t border = 0;
      for (Range range; team.next(m, range); border = range.end) {
        ASSERT_LT(range.begin, range.end);
        ASSERT_LE(border, range.begin);
        lasts += range.last;
        EXPECT_EQ(range.last, range.end == n);
        sum += range.end - range.begin;
      }
    }
    EXPECT_EQ(sum, n);
    EXPECT_EQ(lasts, 1);
  }
}

} // namespace
} // namespace wstree::self_scheduling_slots_test
