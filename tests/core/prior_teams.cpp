// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams whose members know what their loops have cost, and are wrong about it: each iteration once,
// whichever member comes late, retires early or is slow. All members are in one thread and take turns
// by chance.
#include "wstree/core/tree/tree_worker.h"

#include "seed.h"
#include "usual.h"

namespace wstree::core {
namespace {

struct TurnsPlatform : StdPlatform {
  static inline std::uint64_t now = 0;
  static std::uint64_t ticks() noexcept { return now += 3; }
  static void relax() noexcept { now += 20; }
};

class TeamOfKnowing {
public:
  /// A member that is not there yet comes in one of `lateness` turns, and a turn of a member that is at work
  /// takes about `step` ticks.
  explicit TeamOfKnowing(std::uint32_t members, std::uint32_t lateness = 8, std::uint32_t step = 500)
      : lateness_(lateness), step_(step), roots_(members), pairs_(members * k_nodes), arenas_(members),
        priors_(members) {
    tree_.roots = roots_.data();
    settings_.clocked = false;
  }
  /// Executes a loop of `iterations`, of `cost_of(i)` ticks each. Returns how often each was executed.
  template <class Cost> std::vector<int> execute(std::uint64_t iterations, Rng& random, Cost&& cost_of) {
    const auto members = static_cast<std::uint32_t>(roots_.size());
    std::vector<int> hits(iterations, 0);
    std::vector<TreeWorker<TurnsPlatform>> workers(members);
    std::vector<std::uint64_t> free(members, 0); // 0: it has not come; then when it has done its batch
    std::vector<bool> has_left(members, false);
    busy_.assign(members, 0);
    ++loop_;
    for (std::uint32_t left = 0; left < members;) {
      const std::uint32_t m = random.below(members);
      if (has_left[m]) continue;
      if (free[m] == 0) {
        if (random.below(lateness_) != 0) continue; // late
        arenas_[m].reset(&pairs_[m * k_nodes], k_nodes / 2);
        workers[m].enter(tree_, arenas_[m],
                         {iterations, loop_, loop_, m, members, &settings_, 1, nullptr, &priors_[m]});
      } else if (free[m] > TurnsPlatform::now) {
        TurnsPlatform::now += random.below(2 * step_);
        if (free[m] > TurnsPlatform::now) continue;
      }
      Range range;
      if (!workers[m].next(range)) {
        has_left[m] = true;
        ++left;
        continue;
      }
      std::uint64_t cost = 1;
      for (auto i = range.begin; i < range.end; ++i) {
        ++hits[i];
        cost += cost_of(i);
      }
      free[m] = TurnsPlatform::now + cost;
      busy_[m] += cost;
    }
    return hits;
  }
  /// Ticks of each member in the latest loop.
  const std::vector<std::uint64_t>& busy() const noexcept { return busy_; }

private:
  static constexpr std::uint32_t k_nodes = 32;

  std::uint32_t lateness_;
  std::uint32_t step_;
  Tree<TurnsPlatform> tree_;
  std::vector<Node<TurnsPlatform>> roots_;
  std::vector<Node<TurnsPlatform>> pairs_; // k_nodes of each member
  std::vector<Arena<TurnsPlatform>> arenas_;
  std::vector<Prior> priors_;
  std::vector<std::uint64_t> busy_;
  Settings settings_;
  std::uint64_t loop_ = 0;
};

TEST(PriorTeams, EveryIterationIsExecutedOnceWhateverWasExpected) {
  Rng random(test::seed());
  for (std::uint64_t team = 0; team < test::scaled(100); ++team) {
    const std::uint32_t members = 2 + random.below(3);
    TeamOfKnowing knowing(members);
    for (int execution = 0; execution < 40; ++execution) {
      const std::uint64_t iterations = 1 + random.below(random.coin() ? 3 * members + 3 : 200);
      const std::uint64_t usual = random.below(20);
      const std::uint64_t dear = random.below(4) == 0 ? 1'000'000 : usual;
      const std::uint64_t at = random.below(static_cast<std::uint32_t>(iterations));
      const auto hits = knowing.execute(
          iterations, random, [=](std::uint64_t i) { return i >= at && i < at + 3 ? dear : usual; });
      for (std::uint64_t i = 0; i < iterations; ++i)
        ASSERT_EQ(hits[i], 1) << "iteration " << i << " of " << iterations << ", " << members
                              << " members, team " << team << ", execution " << execution;
    }
  }
}

/// What was refused because it should be done in less than a tick is not nothing: member 0 left for it, and
/// member 1 then freed the rest of its node and started the last iteration.
TEST(PriorTeams, WorkOfLessThanATickIsWork) {
  constexpr std::uint64_t k_iterations = 6;
  constexpr std::uint32_t k_nodes = 16;
  Tree<TurnsPlatform> tree;
  std::vector<Node<TurnsPlatform>> roots(2), nodes(2 * k_nodes);
  tree.roots = roots.data();
  Settings settings;
  settings.clocked = false;
  Arena<TurnsPlatform> arenas[2];
  Prior priors[2];
  TreeWorker<TurnsPlatform> workers[2];
  std::vector<int> hits(k_iterations, 0);
  const auto enter = [&](std::uint32_t m) {
    arenas[m].reset(&nodes[m * k_nodes], k_nodes / 2);
    for (int i = 0; i < 2; ++i) priors[m].learn(10, 3);
    workers[m].enter(tree, arenas[m], {k_iterations, 1, 1, m, 2, &settings, 1, nullptr, &priors[m]});
  };
  const auto next = [&](std::uint32_t m, std::uint64_t cost) {
    Range range;
    if (!workers[m].next(range)) return false;
    for (auto i = range.begin; i < range.end; ++i) ++hits[i];
    TurnsPlatform::now += cost * (range.end - range.begin);
    return true;
  };
  enter(1);
  ASSERT_TRUE(next(1, 0)); // a batch that takes long
  enter(0);
  while (next(0, 0)) {
  }
  TurnsPlatform::now += 1'000'000;
  while (next(1, 1'000'000)) {
  }
  EXPECT_EQ(hits, std::vector<int>(k_iterations, 1));
}

/// One code location may run loops of all kinds: a function that is given a body.
TEST(PriorTeams, RareExpensiveLoopsBetweenCheapOnesAreShared) {
  Rng random(test::seed());
  constexpr std::uint64_t k_iterations = 128;
  TeamOfKnowing team(2, 1, 5);
  const auto cheap = [](std::uint64_t) { return std::uint64_t{3}; };
  // In the share of member 0, behind the first batch.
  const auto burst = [](std::uint64_t i) { return std::uint64_t{i >= 16 && i < 64 ? 50'000U : 3U}; };
  std::uint64_t sum = 0;
  std::uint64_t longest = 0;
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 5; ++i) team.execute(k_iterations, random, cheap);
    team.execute(k_iterations, random, burst);
    if (round < 2) continue; // no member can know the costs yet
    sum += team.busy()[0] + team.busy()[1];
    longest += std::max(team.busy()[0], team.busy()[1]);
  }
  EXPECT_LT(static_cast<double>(longest), 0.7 * static_cast<double>(sum));
}

} // namespace
} // namespace wstree::core
