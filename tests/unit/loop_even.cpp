// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brief loops in equal parts: when, for how long, and what a loop costs that becomes another one. The members
// of a team take turns in one thread, each with a clock of its own.
#include "member.h"
#include "seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace wstree::loop::even_test {
namespace {

struct Clocks : core::StdPlatform {
  static inline std::array<std::uint64_t, 8> now{};
  static inline std::size_t whose = 0;
  static std::uint64_t ticks() noexcept { return now[whose] += 20; }
  static void relax() noexcept { now[whose] += 20; }
};

constexpr std::uint64_t k_us = 2'500; // ticks, of the usual Settings
constexpr int k_here = 0;
constexpr int k_there = 0;

using Cost = std::function<std::uint64_t(std::uint64_t)>; // ticks of iteration i
Cost even_cost(std::uint64_t ticks) {
  return [ticks](std::uint64_t) { return ticks; };
}

struct Outcome {
  bool is_even;        ///< in equal parts
  std::uint64_t ticks; ///< until the last member was done
};

class Runs {
public:
  explicit Runs(std::uint32_t members = 2) : members_(members) {}
  core::Settings settings;

  /// A region with one loop for each of `sizes`.
  std::vector<Outcome> region(const std::vector<std::uint64_t>& sizes, const Cost& cost,
                              const void* code = &k_here) {
    team_.open(code);
    const std::uint64_t begin = *std::max_element(Clocks::now.begin(), Clocks::now.end());
    Clocks::now.fill(begin);
    std::vector<std::unique_ptr<Member<Clocks>>> members;
    for (std::uint32_t m = 0; m < members_; ++m)
      members.push_back(std::make_unique<Member<Clocks>>(&team_, m, members_));
    std::vector<Outcome> outcomes;
    for (const auto size : sizes) outcomes.push_back(loop(members, size, cost));
    for (auto& member : members) member->depart();
    team_.close();
    return outcomes;
  }
  Outcome one(std::uint64_t size, const Cost& cost, const void* code = &k_here) {
    return region({size}, cost, code)[0];
  }
  /// Executes the loop until it is done in equal parts; the number of executions before that.
  int until_even(std::uint64_t size, const Cost& cost) {
    for (int before = 0; before < 10'000; ++before)
      if (one(size, cost).is_even) return before;
    ADD_FAILURE() << "never in equal parts";
    return -1;
  }

private:
  Outcome loop(std::vector<std::unique_ptr<Member<Clocks>>>& members, std::uint64_t size, const Cost& cost) {
    const std::uint64_t begin = *std::max_element(Clocks::now.begin(), Clocks::now.end());
    Clocks::now.fill(begin);
    Outcome outcome{};
    std::vector<int> hits(size);
    for (std::uint32_t m = 0; m < members_; ++m) {
      Clocks::whose = m;
      EXPECT_TRUE(members[m]->enter(size, settings, 1, core::Model::tree, &k_here));
    }
    std::vector<bool> done(members_);
    for (std::uint32_t left = members_; left != 0;) {
      std::uint32_t next = 0;
      for (std::uint32_t m = 0; m < members_; ++m)
        if (!done[m] && (done[next] || Clocks::now[m] < Clocks::now[next])) next = m;
      Clocks::whose = next;
      core::Range range;
      if (members[next]->next(range)) {
        for (auto i = range.begin; i < range.end; ++i) {
          ++hits[i];
          Clocks::now[next] += cost(i);
        }
        continue;
      }
      members[next]->leave([&](const Execution& all) {
        outcome.is_even = all.total.known == members_ && all.total.batches == members_;
      });
      done[next] = true;
      --left;
    }
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), static_cast<std::ptrdiff_t>(size));
    outcome.ticks = *std::max_element(Clocks::now.begin(), Clocks::now.end()) - begin;
    return outcome;
  }

  std::uint32_t members_;
  Team<Clocks> team_;
};

TEST(EvenLoops, ALoopThatIsBriefAndEvenGetsEqualParts) {
  for (const std::uint32_t members : {2U, 3U, 8U}) {
    Runs runs(members);
    const int before = runs.until_even(40 * members, even_cost(k_us / 20));
    EXPECT_GE(before, core::tuning::k_trusted);
    EXPECT_LE(before, 4 * core::tuning::k_trusted);
    EXPECT_TRUE(runs.one(41 * members + 1, even_cost(k_us / 20)).is_even);
  }
}

TEST(EvenLoops, TheTreeHasTheLoopNowAndThen) {
  Runs runs;
  const Cost cost = even_cost(k_us / 20);
  runs.until_even(80, cost);
  int even = 1;
  while (runs.one(80, cost).is_even) ++even;
  EXPECT_EQ(even, core::tuning::k_rounds);
  EXPECT_LE(runs.until_even(80, cost), 2 * core::tuning::k_tree_rounds);
}

TEST(EvenLoops, OnlyWhereTheyAreAskedFor) {
  const Cost cost = even_cost(k_us / 20);
  Runs without;
  without.settings.history = false;
  Runs fixed;
  fixed.settings.batch = core::BatchMode::fixed;
  fixed.settings.limit = 2;
  Runs one_root;
  one_root.settings.roots = 1;
  for (Runs* runs : {&without, &fixed, &one_root})
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(runs->one(80, cost).is_even);
}

TEST(EvenLoops, ALongLoopAtTheSamePlaceGoesToTheTree) {
  Runs runs;
  const Cost cost = even_cost(k_us / 20);
  runs.until_even(80, cost);
  EXPECT_FALSE(runs.one(80'000, cost).is_even);
  EXPECT_TRUE(runs.one(80, cost).is_even) << "says nothing of the brief ones";
}

TEST(EvenLoops, ALoopOfLongIterationsIsLeftToTheTree) {
  Runs runs;
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(runs.one(80, even_cost(k_us)).is_even);
}

TEST(EvenLoops, AnUnevenLoopIsLeftToTheTree) {
  Runs runs;
  const Cost step = [](std::uint64_t i) { return i < 10 ? k_us : k_us / 100; };
  int even = 0;
  for (int i = 0; i < 500; ++i) even += runs.one(80, step).is_even ? 1 : 0;
  EXPECT_EQ(even, 0);
}

TEST(EvenLoops, EachLoopOfARegionIsDecidedAboutForItself) {
  Runs runs;
  const Cost cost = even_cost(k_us / 20);
  std::vector<Outcome> outcomes;
  for (int i = 0; i < 100; ++i) outcomes = runs.region({80, 800'000, 60}, cost);
  EXPECT_TRUE(outcomes[0].is_even);
  EXPECT_FALSE(outcomes[1].is_even);
  EXPECT_TRUE(outcomes[2].is_even);
  outcomes = runs.region(std::vector<std::uint64_t>(12, 80), cost);
  EXPECT_FALSE(outcomes[EvenPlan::k_loops].is_even) << "nothing is known of later ones";
}

TEST(EvenLoops, RegionsAtOtherPlacesAreOthers) {
  Runs runs;
  const Cost cost = even_cost(k_us / 20);
  runs.until_even(80, cost);
  EXPECT_FALSE(runs.one(80, cost, &k_there).is_even);
  EXPECT_TRUE(runs.one(80, cost).is_even);
  EXPECT_FALSE(runs.one(80, cost, nullptr).is_even);
}

/// Whoever's part has become expensive: the next execution is the tree's, and many more.
class EvenLoopsObject : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EvenLoopsObject, AMemberWhosePartTakesLong) {
  constexpr std::uint32_t k_members = 4;
  Runs runs(k_members);
  const Cost cost = even_cost(k_us / 20);
  constexpr std::uint64_t k_size = 40 * k_members;
  runs.until_even(k_size, cost);
  const std::uint64_t first = GetParam() * 40;
  const Cost jump = [=](std::uint64_t i) { return i >= first && i < first + 40 ? k_us * 5 : k_us / 20; };
  EXPECT_TRUE(runs.one(k_size, jump).is_even);
  const std::uint64_t steals = 40 * (k_us * 5 - k_us / 20) / runs.settings.steal_cost;
  for (std::uint64_t i = 0; i < steals / 2; ++i) ASSERT_FALSE(runs.one(k_size, cost).is_even) << i;
  EXPECT_GE(runs.until_even(k_size, cost), 0);
}

INSTANTIATE_TEST_SUITE_P(Members, EvenLoopsObject, testing::Values(0U, 1U, 3U));

TEST(EvenLoops, ALoopThatBecomesAnotherOneCostsAStealAnExecutionAtMost) {
  // Random runs of executions, of which each is cheap and even or expensive in one of its parts, beside the
  // same ones without any memory.
  core::Rng random(test::seed());
  Runs runs;
  Runs without;
  without.settings.history = false;
  std::uint64_t with_memory = 0;
  std::uint64_t without_memory = 0;
  std::uint64_t executions = 0;
  std::uint64_t worst = 0;
  for (int phase = 0; phase < 60; ++phase) {
    const std::uint64_t often = 1 + random.below(60);
    const std::uint64_t dear = random.below(100);
    const std::uint64_t factor = 1 + random.below(100);
    const Cost cost = [=](std::uint64_t i) {
      return phase % 2 == 1 && i >= dear && i < dear + 20 ? k_us / 50 * factor : k_us / 50;
    };
    for (std::uint64_t i = 0; i < often; ++i, ++executions) {
      const std::uint64_t with = runs.one(120, cost).ticks;
      const std::uint64_t usual = without.one(120, cost).ticks;
      with_memory += with;
      without_memory += usual;
      if (with > usual) worst = std::max(worst, with - usual);
    }
  }
  EXPECT_LE(with_memory, without_memory + executions * runs.settings.steal_cost + worst);
}

} // namespace
} // namespace wstree::loop::even_test
