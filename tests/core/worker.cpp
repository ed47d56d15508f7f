// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree's protocol step by step, and what a clock has to do with it.
#include "usual.h"
#include "virtual_team.h"

namespace wstree::worker_test {
namespace {

using core::BatchMode;
using core::Phase;
using core::Range;
using core::Settings;
using core::Word;
using P = test::VirtualPlatform;

TEST(Worker, CountsAllBusyTimeAlsoOfBatchesThatAreNotClocked) {
  for (const std::uint32_t members : {2U, 3U, 8U, 33U})
    for (const std::uint64_t n : {7ULL, 100ULL, 1000ULL, 20'000ULL, 300'000ULL})
      for (const std::uint64_t cost : {3ULL, 40ULL, 900ULL}) {
        SCOPED_TRACE(testing::Message() << members << " members, " << n << " iterations of " << cost);
        test::VirtualTeam team(members);
        // The last eighth costs most, so that its nodes are stolen while their owners do not look.
        const auto run = team.run(
            n, {},
            [=](auto begin, auto end) { return (end - begin) * (begin > n - n / 8 ? 30 * cost : cost); },
            [](std::uint32_t m) { return m * 431ULL % 2000; });
        EXPECT_EQ(run.total.busy_ticks, run.spent);
      }
}

struct Fixture {
  explicit Fixture(std::uint64_t n) {
    for (std::uint32_t m = 0; m < 2; ++m)
      workers[m].enter(slot.loop(), slot.memory(m), slot.entry(n, 1, m, 2, settings));
  }
  Settings settings{.batch = BatchMode::fixed, .limit = 1};
  simulate::SlotOf<P, core::Worker<P>> slot{2, 4};
  core::Node<P>& root = *slot.loop().root(0);
  core::Worker<P> workers[2];
};

/// In a larger team it is a small part of the work, and to start it early costs more than it brings.
TEST(LastIteration, IsStartedEarlyInTeamsOfTwoOnly) {
  const Settings settings;
  for (const std::uint32_t members : {1U, 2U, 3U, 4U, 64U}) {
    core::LastIteration<P> last;
    last.enter(core::Shape(8, members), {8, 1, 1, 0, members, &settings});
    EXPECT_EQ(last.may_be_early(1e9F), members == 2) << members;
  }
}

/// Whichever member is late, and whether its root is the first to be stolen or not.
TEST(LastIteration, LeavesNothingToAMemberThatHasNotCome) {
  constexpr std::uint64_t k_never = 1'000'000'000'000;
  for (const std::uint32_t late : {0U, 1U})
    for (std::uint64_t n = 3; n <= 128; ++n) {
      test::VirtualTeam team(2);
      std::uint64_t done = 0;
      team.run(
          n, {},
          [n](std::uint64_t begin, std::uint64_t end) {
            std::uint64_t cost = 0; // the later, the more
            for (; begin != end; ++begin) cost += 20'000 + (std::uint64_t{1} << (40 * begin / n));
            return cost;
          },
          [late](std::uint32_t m) { return m == late ? k_never * 10'000 : 0; }, 70, 500,
          [&](std::uint32_t m, const Range& range) { done += m == late ? 0 : range.end - range.begin; });
      ASSERT_EQ(done, n) << "member " << late << " comes too late for anything";
    }
}

TEST(Worker, StealsTheSecondHalfAndKeepsItsFirstUnit) {
  Fixture loop(21); // units: root 0 has 11, root 1 has 9
  Range range;
  ASSERT_TRUE(loop.workers[0].next(range));
  EXPECT_EQ(range.begin, 0U);
  for (int i = 0; i < 9; ++i) ASSERT_TRUE(loop.workers[1].next(range)); // its own nine
  EXPECT_EQ(range.end, 20U);
  ASSERT_TRUE(loop.workers[1].next(range)); // steals: 10 left in [1, 11)
  EXPECT_EQ(range.begin, 6U);
  const auto* pair = loop.root.children(1);
  ASSERT_NE(pair, nullptr);
  EXPECT_EQ(Word(loop.root.inspect()), Word(Phase::stolen, 1, 1, 0))
      << "INV5: frozen with what was handed out";
  EXPECT_EQ(Word(pair[0].inspect()), Word(Phase::available, 1, 0, 0)) << "INV1: for the victim";
  EXPECT_EQ(Word(pair[1].inspect()), Word(Phase::owned, 1, 1, 0)) << "born owned, the first unit taken";
  EXPECT_EQ(pair[0].begin(), 1U);
  EXPECT_EQ(pair[0].size(), 5U);
  EXPECT_EQ(pair[1].begin(), 6U);
  EXPECT_EQ(pair[1].size(), 5U);
  ASSERT_TRUE(loop.workers[0].next(range)); // the victim goes on with the left half
  EXPECT_EQ(range.begin, 1U);
}

TEST(Worker, StealsASingleUnit) {
  Fixture loop(5); // root 0: 3 units, root 1: 1
  Range range;
  ASSERT_TRUE(loop.workers[0].next(range));
  ASSERT_TRUE(loop.workers[0].next(range));
  ASSERT_TRUE(loop.workers[1].next(range));
  EXPECT_EQ(range.begin, 3U);
  ASSERT_TRUE(loop.workers[1].next(range)); // one unit is left behind the busy owner
  EXPECT_EQ(range.begin, 2U);
  EXPECT_EQ(range.end, 3U);
}

TEST(Worker, TwoThievesCannotPassOneUnitToAndFro) {
  Fixture loop(5);
  Range range;
  std::vector<int> hits(5, 0);
  // Members that look for the same few units in turns: each call has to hand something out or end.
  int calls = 0;
  bool more[2] = {true, true};
  while (more[0] || more[1]) {
    for (const std::size_t m : {0U, 1U}) {
      if (!more[m]) continue;
      ASSERT_LT(++calls, 20);
      more[m] = loop.workers[m].next(range);
      if (more[m])
        for (auto i = range.begin; i < range.end; ++i) ++hits[i];
    }
  }
  EXPECT_EQ(hits, std::vector<int>(5, 1));
}

TEST(Worker, WithScarceMemoryTheOwnerOfALongLastIterationLosesNothing) {
  // An owner that starts the last iteration early leaves a node behind, and the others may have no memory to
  // steal it: arenas get nothing beyond what they start with.
  P::poor = true;
  for (const std::uint32_t pairs : {0U, 1U, 2U})
    for (const std::uint64_t growth : {10ULL, 13ULL, 16ULL, 20ULL})
      for (std::uint64_t skew = 0; skew < 40; ++skew) {
        test::VirtualTeam team(3, 1, pairs);
        std::uint64_t seen = 0;
        team.run(
            24, {},
            [growth](std::uint64_t begin, std::uint64_t end) {
              std::uint64_t cost = 0;
              for (std::uint64_t i = begin; i < end; ++i) {
                std::uint64_t one = 20'000;
                for (std::uint64_t k = 0; k < i; ++k) one = one * growth / 10;
                cost += one;
              }
              return cost;
            },
            [skew](std::uint32_t m) { return m * skew * 3'000; }, 70, 500,
            [&](std::uint32_t, const Range& range) { seen += range.end - range.begin; });
        EXPECT_EQ(seen, 24U) << pairs << " pairs, growth " << growth << ", skew " << skew;
      }
  P::poor = false;
}

} // namespace
} // namespace wstree::worker_test
