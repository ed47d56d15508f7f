// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams of real threads: the ring of slots and its end, members that leave early, missing memory.
#include "member.h"
#include "seed.h"
#include "threads.h"
#include "usual.h"

namespace wstree::loop::team_test {
namespace {

using P = core::StdPlatform;

/// With them no member ends the ring, however long one is held up.
constexpr core::Settings k_defaults{.patience = ~std::uint64_t{0}};

struct Loop {
  std::uint64_t n;
  core::Model model = core::Model::tree;
  std::uint64_t chunk = 1;
  std::unique_ptr<std::atomic<std::uint32_t>[]> hits;
  std::atomic<std::uint32_t> lasts{0};
  explicit Loop(std::uint64_t size) : n(size), hits(new std::atomic<std::uint32_t>[size]()) {}
};

/// Executes chunks until there is none. Bodies touch plain memory of the loop through atomics only, so that a
/// race that the sanitizer reports is one of ours.
template <class Platform> void work(Member<Platform>& member, Loop& loop) {
  core::Range range;
  while (member.next(range)) {
    for (auto i = range.begin; i < range.end; ++i) loop.hits[i].fetch_add(1, std::memory_order_relaxed);
    if (range.last) loop.lasts.fetch_add(1, std::memory_order_relaxed);
  }
}

void expect_done(const Loop& loop) {
  for (std::uint64_t i = 0; i < loop.n; ++i) ASSERT_EQ(loop.hits[i].load(), 1U) << i << " of " << loop.n;
  ASSERT_EQ(loop.lasts.load(), 1U);
}

auto ignore = [](const Execution&) {};

/// A region of `members` threads that executes `loops` one after another without a barrier; member `absent`
/// leaves it before the first one.
template <class Platform>
void region(Team<Platform>& team, std::uint32_t members, const std::vector<std::unique_ptr<Loop>>& loops,
            const core::Settings& settings, std::uint32_t absent = ~0U) {
  team.open();
  test::in_parallel(members, [&](std::uint32_t m) {
    Member<Platform> member(&team, m, members);
    for (auto& loop : loops) {
      if (m == absent) break;
      ASSERT_TRUE(member.enter(loop->n, settings, loop->chunk, loop->model));
      work(member, *loop);
      member.leave(ignore);
    }
    member.depart();
  });
  team.close();
  for (auto& loop : loops) expect_done(*loop);
}

std::vector<std::unique_ptr<Loop>> some_loops(core::Rng& random, std::uint64_t count, std::uint32_t most) {
  std::vector<std::unique_ptr<Loop>> loops;
  for (std::uint64_t i = 0; i < count; ++i) loops.push_back(std::make_unique<Loop>(1 + random.below(most)));
  return loops;
}

TEST(team_ring, EveryModelIsFollowedByEveryOtherInTheSameSlot) {
  core::Rng random(test::seed());
  Team<P> team;
  std::vector<std::unique_ptr<Loop>> loops;
  for (std::uint64_t first = 0; first < core::k_model_count; ++first)
    for (std::uint64_t second = 0; second < core::k_model_count; ++second)
      for (const std::uint64_t which : {first, second, first})
        for (std::uint64_t slot = 0; slot < k_ring; ++slot) {
          loops.push_back(std::make_unique<Loop>(1 + random.below(200)));
          loops.back()->model = static_cast<core::Model>(which);
          loops.back()->chunk = loops.back()->model == core::Model::tree ? 1 : slot % 3;
        }
  region(team, 3, loops, k_defaults);
}

TEST(team_ring, ARegionOfOneTakesNoNumbers) {
  Team<P> team;
  core::Rng random(test::seed());
  region(team, 2, some_loops(random, 40, 20), k_defaults);
  const std::uint64_t base = team.open().base;
  Member<P> alone(&team, 0, 1);
  ASSERT_TRUE(alone.enter(7, k_defaults, 1));
  alone.depart();
  EXPECT_FALSE(team.close());
  EXPECT_EQ(team.open().base, base);
  team.close();
}

/// Two members; the first one waits in its first loop until the second one has passed all of its own.
TEST(team_ring, EndsWhereAMemberWaitsForOneThatWaitsForIt) {
  constexpr std::uint64_t k_loops = 3 * k_ring;
  Team<P> team;
  const core::Settings settings{.patience = 100'000};
  team.open();
  std::atomic<bool> passed{false};
  std::array<std::uint64_t, 2> served{};
  test::in_parallel(2, [&](std::uint32_t m) {
    Member<P> member(&team, m, 2);
    for (std::uint64_t i = 0; i < k_loops; ++i) {
      core::Range range;
      if (!member.enter(2, settings, 1, core::Model::static_)) continue;
      EXPECT_EQ(served[m], i) << "no loop is served behind one that is not";
      ++served[m];
      while (member.next(range)) {
        while (m == 0 && i == 0 && !passed.load()) P::yield();
      }
      member.leave(ignore);
    }
    if (m == 1) passed = true;
    member.depart();
  });
  team.close();
  EXPECT_EQ(served[0], served[1]);
  EXPECT_EQ(served[0], k_ring) << "as far as a member can be ahead";
  core::Rng random(test::seed());
  region(team, 2, some_loops(random, 2 * k_ring, 20), k_defaults); // as before
}

/// Two members; the first one waits for a slot whenever the second one is about to enter a loop.
TEST(team_ring, LastsForAMemberThatKeepsIt) {
  constexpr std::uint64_t k_loops = 3 * k_ring;
  Team<P> team;
  const core::Settings settings{.patience = 0};
  team.open();
  std::atomic<std::uint64_t> met{0};
  test::in_parallel(2, [&](std::uint32_t m) {
    Member<P> member(&team, m, 2);
    if (m == 0) member.keep_ring();
    for (std::uint64_t i = 0; i < k_loops; ++i) {
      core::Range range;
      while (m == 1 && met.load() < std::min(i + k_ring - 1, k_loops)) P::yield();
      for (int looks = 0; m == 1 && looks < 1'000; ++looks) P::yield();
      EXPECT_TRUE(member.enter(2, settings, 1, core::Model::static_)) << "member " << m << ", loop " << i;
      while (member.next(range)) {
      }
      member.leave(ignore);
      if (m == 0) ++met;
    }
    member.depart();
  });
  team.close();
}

TEST(team_absent, AMemberThatLeavesBeforeAnyLoopLetsTheOthersGoOn) {
  core::Rng random(test::seed());
  for (std::uint64_t round = 0, rounds = test::scaled(100); round < rounds; ++round) {
    Team<P> team; // without storage
    region(team, 3, some_loops(random, 5 * k_ring, 20), k_defaults, 2);
  }
}

TEST(team_absent, LeavingTwiceCountsOnce) {
  Team<P> team;
  team.open();
  Member<P> member(&team, 1, 3);
  member.depart(); // where the region was cancelled
  member.depart(); // and at its end
  EXPECT_EQ(team.absent(), 1U);
  team.close();
}

TEST(team_growth, EveryMemberGetsTheSameStorage) {
  core::Rng random(test::seed());
  for (std::uint64_t round = 0, rounds = test::scaled(100); round < rounds; ++round) {
    Team<P> team;
    for (const std::uint32_t members : {2U, 5U, 9U})
      region(team, members, some_loops(random, 3, 50), k_defaults);
  }
}

/// Refuses every request while `poor` is set.
struct PoorPlatform : core::StdPlatform {
  static inline std::atomic<bool> poor{true};
  static void* allocate(std::size_t bytes) noexcept {
    return poor ? nullptr : core::StdPlatform::allocate(bytes);
  }
};

TEST(team_growth, WithoutMemoryNoMemberStartsALoopUntilTheNextRegion) {
  Team<PoorPlatform> team;
  PoorPlatform::poor = true;
  team.open();
  test::in_parallel(4, [&](std::uint32_t m) {
    Member<PoorPlatform> member(&team, m, 4);
    EXPECT_FALSE(member.enter(100, k_defaults, 1));
    PoorPlatform::poor = false; // too late for this region: the others have already gone to the runtime
    EXPECT_FALSE(member.enter(100, k_defaults, 1));
    member.depart();
  });
  team.close();
  core::Rng random(test::seed());
  region(team, 4, some_loops(random, 1, 1000), k_defaults);
}

TEST(team_measure, TheLastOneToLeaveReportsTheWholeLoop) {
  core::Rng random(test::seed());
  Team<P> team;
  std::atomic<std::uint64_t> reports{0};
  std::atomic<std::uint64_t> iterations{0};
  std::uint64_t expected = 0;
  auto loops = some_loops(random, test::scaled(1'000), 100);
  for (auto& loop : loops) expected += loop->n;
  team.open();
  test::in_parallel(4, [&](std::uint32_t m) {
    Member<P> member(&team, m, 4);
    for (auto& loop : loops) {
      ASSERT_TRUE(member.enter(loop->n, k_defaults, loop->chunk, loop->model));
      work(member, *loop);
      member.leave([&](const Execution& execution) {
        EXPECT_EQ(execution.members, 4U);
        EXPECT_EQ(execution.total.iterations, loop->n);
        EXPECT_GE(execution.total.nodes, 4U);
        EXPECT_LE(execution.busy_max_ticks, execution.wall_ticks);
        std::uint64_t busiest = 0;
        for (unsigned k = 0; k < 4; ++k) busiest = std::max(busiest, execution.accounts[k].counts.busy_ticks);
        EXPECT_EQ(execution.busy_max_ticks, busiest);
        iterations.fetch_add(execution.total.iterations, std::memory_order_relaxed);
        reports.fetch_add(1, std::memory_order_relaxed);
      });
    }
    member.depart();
  });
  team.close();
  EXPECT_EQ(reports.load(), loops.size());
  EXPECT_EQ(iterations.load(), expected);
}

TEST(Member, AloneGetsTheLoopInOnePiece) {
  Member<P> member(nullptr, 0, 1);
  for (const std::uint64_t n : {1ULL, 2ULL, 1'000'000ULL, (1ULL << 63) - 1}) {
    ASSERT_TRUE(member.enter(n, k_defaults, 1));
    core::Range range;
    ASSERT_TRUE(member.next(range));
    EXPECT_EQ(range.begin, 0U);
    EXPECT_EQ(range.end, n);
    EXPECT_TRUE(range.last);
    EXPECT_FALSE(member.next(range));
    member.leave(ignore);
  }
  member.enter_empty();
  core::Range range;
  EXPECT_FALSE(member.next(range));
}

} // namespace
} // namespace wstree::loop::team_test
