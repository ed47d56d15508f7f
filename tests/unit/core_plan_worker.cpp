// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that go by a plan, be it right or wrong: every iteration once.
#include "once.h"
#include "seed.h"
#include "shared_once.h"
#include "threads.h"
#include "virtual_team.h"

#include "wstree/core/tree/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace wstree {
namespace {

using core::Range;
using core::Settings;

/// A plan and what it points to.
struct SomePlan {
  std::vector<std::uint64_t> begins;
  std::vector<float> costs;
  core::Plan plan;

  /// One cost for all units.
  SomePlan(std::vector<std::uint64_t> roots_begin, float cost) : begins(std::move(roots_begin)), costs{cost} {
    plan.begins = begins.data();
    plan.costs = costs.data();
    plan.shift = 63;
  }

  /// Whatever has the form of a plan.
  static SomePlan draw(core::Rng& random, std::uint64_t units, std::uint32_t members) {
    std::vector<std::uint64_t> begins(members + 1, units);
    const std::uint32_t filled = random.coin() ? members : 1 + random.below(members);
    for (std::uint32_t m = 0; m < filled; ++m)
      begins[m] = random.below(static_cast<std::uint32_t>(units + 1)) * random.below(2);
    begins[0] = 0;
    std::sort(begins.begin(), begins.begin() + filled);
    SomePlan drawn(begins, 0);
    drawn.plan.shift = random.below(6);
    drawn.costs.resize((units >> drawn.plan.shift) + 1);
    for (float& cost : drawn.costs) cost = static_cast<float>(random.below(3) * random.below(5'000));
    drawn.plan.costs = drawn.costs.data();
    drawn.plan.begins = drawn.begins.data();
    drawn.plan.share = static_cast<float>(random.below(100'000));
    drawn.plan.is_sure = random.coin();
    drawn.plan.is_short = random.coin();
    return drawn;
  }
};

/// Members that are called one at a time.
template <class P> class Members {
public:
  /// `pairs`: what each member's arena starts with.
  Members(std::uint64_t n, const std::vector<std::uint32_t>& pairs, const Settings& settings,
          const core::Learned<P>& learned)
      : n_(n), settings_(settings), learned_(learned), roots_(pairs.size()),
        board_(core::Board<P>::words(pairs.size())), pairs_(pairs.size()), workers_(pairs.size()),
        retired_(pairs.size(), false), hits_(n, 0) {
    tree_.roots = roots_.data();
    tree_.board = board_.data();
    for (std::size_t m = 0; m < pairs.size(); ++m) {
      pairs_[m] = std::vector<core::Node<P>>(2 * pairs[m]);
      arenas_.push_back(std::make_unique<core::Arena<P>>());
      arenas_[m]->reset(pairs_[m].data(), pairs[m]);
    }
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(workers_.size()); }

  /// False: there is nothing for the member any more. It enters when it asks first.
  bool next(std::uint32_t m, Range& range) {
    auto& worker = workers_[m];
    if (!worker) worker.emplace().enter(tree_, *arenas_[m], entry(m), learned_);
    if (!worker->next(range)) return false;
    EXPECT_FALSE(retired_[m]) << "a piece after the last iteration";
    EXPECT_LT(range.begin, range.end);
    EXPECT_EQ(range.last, range.end == n_);
    retired_[m] = range.last;
    for (auto i = range.begin; i < range.end && i < n_; ++i) ++hits_[i];
    return true;
  }
  /// All that the member gets.
  void drain(std::uint32_t m) {
    for (Range range; next(m, range);) P::now += 100;
  }
  /// How often each iteration was handed out.
  const std::vector<int>& hits() const { return hits_; }

private:
  core::Entry entry(std::uint32_t m) const { return {n_, 1, 1, m, count(), &settings_}; }

  std::uint64_t n_;
  Settings settings_;
  core::Learned<P> learned_;
  core::Tree<P> tree_;
  std::vector<core::Node<P>> roots_;
  std::vector<core::DoneWord<P>> board_;
  std::vector<std::vector<core::Node<P>>> pairs_;
  std::vector<std::unique_ptr<core::Arena<P>>> arenas_;
  std::vector<std::optional<core::Worker<P>>> workers_;
  std::vector<bool> retired_;
  std::vector<int> hits_;
};

using Virtual = test::VirtualPlatform;

std::vector<int> once(std::uint64_t n) { return std::vector<int>(n, 1); }

/// While it lives, arenas get nothing beyond what they start with.
struct Scarcity {
  explicit Scarcity(bool scarce) { Virtual::poor = scarce; }
  ~Scarcity() { Virtual::poor = false; }
};

TEST(PlannedWorker, HandsOutEveryIterationOnceWhateverThePlan) {
  core::Rng random(test::seed());
  for (std::uint64_t round = 0, rounds = test::scaled(6'000); round < rounds; ++round) {
    const std::uint32_t members = random.below(12) == 0 ? 17 + random.below(20) : 1 + random.below(7);
    const std::uint64_t n = 1 + random.below(random.coin() ? 20 : 400);
    const Scarcity scarcity(random.below(4) == 0);
    const auto plan = SomePlan::draw(random, n - 1, members);
    std::vector<core::CostBins<Virtual>::Bin> memory(65);
    core::CostBins<Virtual> bins(memory.data(), 64, std::max<std::uint64_t>(n - 1, 1));
    std::vector<std::uint32_t> pairs(members);
    for (auto& count : pairs) count = random.below(4);
    Settings settings;
    if (random.coin()) settings.steal_cost = 0;
    Members<Virtual> team(
        n, pairs, settings,
        {n > 1 && random.below(8) != 0 ? &plan.plan : nullptr, random.coin() ? &bins : nullptr});
    std::vector<std::uint32_t> there;
    for (std::uint32_t m = 0; m < members; ++m) there.push_back(m);
    while (!there.empty()) {
      const auto at = random.below(static_cast<std::uint32_t>(there.size()));
      Range range;
      if (!team.next(there[at], range)) there.erase(there.begin() + at);
      Virtual::now += random.below(2) * random.below(20'000);
    }
    ASSERT_EQ(team.hits(), once(n)) << "round " << round << ", " << members << " members";
  }
}

TEST(PlannedWorker, WithoutMemoryNobodyLeavesBeforeTheLastIterationIsTaken) {
  // Member 1 has the end of the loop, and its iterations get so long that it may start the last one early,
  // and leave the rest of its node to the others. Member 0 cannot steal from owners.
  const Scarcity scarcity(true);
  core::Rng random(test::seed());
  for (std::uint64_t round = 0, rounds = test::scaled(3'000); round < rounds; ++round) {
    const std::uint64_t n = 5 + random.below(30);
    SomePlan plan({0, random.below(3), n - 1}, 0);
    plan.plan.is_short = true;
    Members<Virtual> team(n, {0, 4}, {}, {&plan.plan, nullptr});
    std::uint64_t cost = 3'000 + random.below(40'000);
    bool there[] = {true, true};
    while (there[0] || there[1]) {
      const std::uint32_t m = there[0] && (!there[1] || random.below(3) == 0) ? 0 : 1;
      Range range;
      there[m] = team.next(m, range);
      if (m == 1) Virtual::now += cost = cost * (10 + random.below(8)) / 10 % 100'000'000;
    }
    ASSERT_EQ(team.hits(), once(n)) << "round " << round;
  }
}

TEST(PlannedWorker, TheLastIterationWaitsForTheMemberWhoseItIs) {
  constexpr std::uint64_t k_each = 2'000; // so long that it is not appended to the batch before
  SomePlan plan({0, 40, 80, 99}, k_each);
  plan.plan.is_sure = plan.plan.is_short = true;
  plan.plan.share = 33 * k_each;
  Members<Virtual> team(100, {8, 8, 8}, {}, {&plan.plan, nullptr});
  for (Range range; team.next(0, range);) Virtual::now += k_each * (range.end - range.begin);
  auto expected = once(100);
  expected.back() = 0;
  EXPECT_EQ(team.hits(), expected) << "all that somebody else can do";
  team.drain(2);
  EXPECT_EQ(team.hits(), once(100));
}

TEST(PlannedWorker, NobodyWaitsForAMemberWithoutAPart) {
  SomePlan plan({0, 60, 99, 99}, 10);
  Members<Virtual> team(100, {8, 8, 8}, {}, {&plan.plan, nullptr});
  team.drain(0);
  team.drain(1);
  EXPECT_EQ(team.hits(), once(100));
  Range range;
  EXPECT_FALSE(team.next(2, range));
}

/// Units of the batches of member 0, each of which takes `ticks` per unit from unit `from` on, and 10 before.
std::vector<std::uint64_t> batches_of_a_short_loop(std::uint64_t from, std::uint64_t ticks) {
  SomePlan plan({0, 96, 191}, 10);
  plan.plan.share = 960;
  plan.plan.is_sure = plan.plan.is_short = true;
  Members<Virtual> team(192, {8, 8}, {}, {&plan.plan, nullptr});
  std::vector<std::uint64_t> sizes;
  std::uint64_t at = 0;
  for (Range range; at < 96 && team.next(0, range); at = range.end) {
    sizes.push_back(range.end - range.begin);
    for (std::uint64_t i = range.begin; i < range.end; ++i) Virtual::now += i < from ? 10 : ticks;
  }
  return sizes;
}

TEST(PlannedWorker, BatchesOfAShortLoopHoldAFewUnits) {
  EXPECT_THAT(batches_of_a_short_loop(96, 10), testing::ElementsAre(1, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 5));
}

TEST(PlannedWorker, WhatIsShortByThePlanOnlyIsNotHandedOutInLargeBatches) {
  for (const std::uint64_t from : {0U, 1U, 20U, 50U}) {
    const auto sizes = batches_of_a_short_loop(from, 5'000'000);
    EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), from == 0 ? 1U : 9U) << from;
  }
}

TEST(PlannedWorker, OfALargeTeamFindsTheUnitsOfAMemberThatIsLate) {
  // More roots than units, and the units are not in the first ones.
  constexpr std::uint32_t k_members = 40;
  std::vector<std::uint64_t> begins(k_members + 1, 0);
  begins[k_members - 1] = 1;
  begins[k_members] = 3;
  const SomePlan plan(begins, 10);
  Members<Virtual> team(4, std::vector<std::uint32_t>(k_members, 4), {}, {&plan.plan, nullptr});
  for (std::uint32_t m = 0; m + 2 < k_members; ++m) team.drain(m);
  EXPECT_EQ(team.hits(), once(4)) << "without the members that have the units";
}

TEST(PlannedWorker, MeasuresWhatItHandsOut) {
  std::vector<core::CostBins<Virtual>::Bin> memory(9);
  core::CostBins<Virtual> bins(memory.data(), 8, 64);
  Settings settings;
  settings.batch = core::BatchMode::fixed;
  settings.limit = 1;
  settings.clocked = false; // but somebody wants to know
  Members<Virtual> team(65, {8, 8}, settings, {nullptr, &bins});
  for (Range range; team.next(1, range);) Virtual::now += range.last ? 5'000 : range.begin < 8 ? 300 : 20;
  EXPECT_FLOAT_EQ(bins.take(0), 8 * 301) << "never 0";
  for (std::uint32_t b = 1; b < 8; ++b) EXPECT_FLOAT_EQ(bins.take(b), 8 * 21) << b;
  EXPECT_FLOAT_EQ(bins.take_last(), 5'001);
}

/// One slot that a team of threads uses again and again, each time by another plan.
class PlannedSlot : public testing::TestWithParam<std::uint32_t> {};

TEST_P(PlannedSlot, EveryIterationOnceUnderRealThreads) {
  using P = core::StdPlatform;
  const std::uint32_t members = GetParam();
  core::Rng random(test::seed());
  constexpr std::uint64_t k_most = 300;
  const std::uint64_t uses = test::scaled(150);
  std::vector<std::uint64_t> sizes;
  std::vector<SomePlan> plans;
  for (std::uint64_t i = 0; i < uses; ++i) {
    sizes.push_back(2 + random.below(i % 4 == 0 ? k_most - 2 : 20));
    plans.push_back(SomePlan::draw(random, sizes.back() - 1, members));
    plans.back().plan.begins = plans.back().begins.data();
    plans.back().plan.costs = plans.back().costs.data();
  }
  std::vector<core::CostBins<P>::Bin> memory(65);
  core::CostBins<P> bins(memory.data(), 64, k_most);
  std::vector<core::Node<P>> roots(members);
  std::vector<core::DoneWord<P>> board(core::Board<P>::words(members));
  core::Tree<P> tree;
  tree.roots = roots.data();
  tree.board = board.data();
  Settings settings;
  settings.steal_cost = 0; // fight for every unit
  settings.shortest_target = 10;
  test::SharedOnce once(k_most);
  std::barrier together(static_cast<std::ptrdiff_t>(members));
  test::in_parallel(members, [&](std::uint32_t m) {
    core::Worker<P> worker;
    core::Arena<P> arena;
    std::vector<core::Node<P>> pairs(4);
    for (std::uint64_t i = 0; i < uses; ++i) {
      arena.reset(pairs.data(), 2);
      worker.enter(tree, arena, {sizes[i], i + 1, i + 1, m, members, &settings}, {&plans[i].plan, &bins});
      once.drain(worker);
      together.arrive_and_wait();
      if (m == 0) once.expect_done(sizes[i]);
      together.arrive_and_wait();
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Teams, PlannedSlot, testing::Values(2, 4, 19), testing::PrintToStringParamName());

} // namespace
} // namespace wstree
