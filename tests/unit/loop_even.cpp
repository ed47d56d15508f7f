// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brief loops in equal parts or with one member: when, for how long, and what a loop costs that becomes
// another one. The members of a team take turns in one thread, each with a clock of its own.
#include "member.h"
#include "seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <tuple>
#include <vector>

namespace wstree::loop::even_test {
namespace {

struct Clocks : core::StdPlatform {
  static inline std::array<std::uint64_t, 8> now{};
  static inline std::size_t whose = 0;
  static std::uint64_t ticks() noexcept { return now[whose] += 20; }
  static void relax() noexcept { now[whose] += 20; }
  /// All wait for the last one.
  static std::uint64_t meet() noexcept {
    const std::uint64_t last = *std::max_element(now.begin(), now.end());
    now.fill(last);
    return last;
  }
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
  bool is_alone;       ///< by member 0
  std::uint64_t ticks; ///< until the last member was done
};

class Runs {
public:
  explicit Runs(std::uint32_t members = 2) : members_(members) {}
  core::Settings settings;

  /// A region with one loop for each of `sizes`.
  std::vector<Outcome> region(const std::vector<std::uint64_t>& sizes, const Cost& cost,
                              const void* code = &k_here) {
    Clocks::whose = 0; // the opener is member 0
    team_.open(code);
    Clocks::meet();
    std::vector<std::unique_ptr<Member<Clocks>>> members;
    for (std::uint32_t m = 0; m < members_; ++m)
      members.push_back(std::make_unique<Member<Clocks>>(&team_, m, members_));
    std::vector<Outcome> outcomes;
    for (const auto size : sizes) outcomes.push_back(loop(members, size, cost));
    for (auto& member : members) member->depart();
    Clocks::meet();
    Clocks::whose = 0;
    team_.close();
    return outcomes;
  }
  Outcome one(std::uint64_t size, const Cost& cost, const void* code = &k_here) {
    return region({size}, cost, code)[0];
  }
  /// Executes the loop until it is done in equal parts, and that is no trial.
  void settle(std::uint64_t size, const Cost& cost) {
    std::uint32_t in_a_row = 0;
    for (int i = 0; i < 10'000 && in_a_row <= 4 * core::tuning::k_turn; ++i)
      in_a_row = one(size, cost).is_even ? in_a_row + 1 : 0;
    EXPECT_GT(in_a_row, 4 * core::tuning::k_turn) << "never in equal parts";
  }

private:
  Outcome loop(std::vector<std::unique_ptr<Member<Clocks>>>& members, std::uint64_t size, const Cost& cost) {
    const std::uint64_t begin = Clocks::meet();
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
        const bool off_tree = all.total.known == members_;
        outcome.is_even = off_tree && all.total.batches == members_;
        outcome.is_alone = off_tree && all.total.batches == 1;
      });
      done[next] = true;
      --left;
    }
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), static_cast<std::ptrdiff_t>(size));
    outcome.ticks = Clocks::meet() - begin;
    return outcome;
  }

  std::uint32_t members_;
  Team<Clocks> team_;
};

TEST(EvenLoops, ALoopThatIsBriefAndEvenGetsEqualParts) {
  for (const std::uint32_t members : {2U, 3U, 8U}) {
    Runs runs(members);
    runs.settle(40 * members, even_cost(k_us / 20));
    std::uint32_t tree = 0;
    for (std::uint32_t i = 0; i < 1'000; ++i)
      if (!runs.one(40 * members + i % 3, even_cost(k_us / 20)).is_even) ++tree;
    EXPECT_GE(tree, core::tuning::k_turn) << "tried now and then";
    EXPECT_LE(tree, 20 * core::tuning::k_turn);
  }
}

/// There is nothing to find out, whatever such a loop takes, and nobody moves its data from one to another.
TEST(EvenLoops, OfOneIterationForEachMemberAreAlwaysInParts) {
  for (const std::uint32_t members : {2U, 3U, 8U}) {
    Runs runs(members);
    for (std::uint32_t i = 0; i < 100; ++i) {
      EXPECT_TRUE(runs.one(members, even_cost(i % 3 == 0 ? 400 * k_us : k_us / 10)).is_even) << i;
      for (const Outcome& loop : runs.region(std::vector<std::uint64_t>(30, members), even_cost(k_us)))
        EXPECT_TRUE(loop.is_even) << i;
    }
    EXPECT_FALSE(runs.one(members + 1, even_cost(400 * k_us)).is_even);
  }
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
  runs.settle(80, cost);
  EXPECT_FALSE(runs.one(80'000, cost).is_even);
  EXPECT_TRUE(runs.one(80, cost).is_even) << "says nothing of the brief ones";
}

TEST(EvenLoops, ALoopOfLongIterationsIsLeftToTheTree) {
  Runs runs;
  for (int i = 0; i < 200; ++i) EXPECT_FALSE(runs.one(80, even_cost(k_us)).is_even);
}

TEST(EvenLoops, AnUnevenLoopIsLeftToTheTree) {
  // One part in eight takes eight times as long as the others together.
  constexpr std::uint32_t k_members = 8;
  Runs runs(k_members);
  const Cost step = [](std::uint64_t i) { return i >= 40 && i < 80 ? k_us : k_us / 100; };
  int even = 0;
  constexpr int k_executions = 4'000;
  for (int i = 0; i < k_executions; ++i) even += runs.one(40 * k_members, step).is_even ? 1 : 0;
  EXPECT_GT(even, 0) << "not even tried";
  EXPECT_LE(even, 48);
}

TEST(EvenLoops, RegionsWithSeveralLoops) {
  Runs runs;
  const Cost cost = even_cost(k_us / 20);
  std::vector<Outcome> outcomes;
  int even = 0;
  for (int i = 0; i < 200; ++i) {
    outcomes = runs.region({80, 40, 60}, cost);
    EXPECT_TRUE(outcomes[0].is_even == outcomes[1].is_even && outcomes[1].is_even == outcomes[2].is_even);
    even += outcomes[0].is_even ? 1 : 0;
  }
  EXPECT_GE(even, 120);
  for (int i = 0; i < 10'000 && !outcomes[0].is_even; ++i) outcomes = runs.region({80, 40, 60}, cost);
  outcomes = runs.region(std::vector<std::uint64_t>(12, 80), cost);
  EXPECT_TRUE(outcomes[0].is_even);
  EXPECT_FALSE(outcomes[EvenPlan::k_loops].is_even) << "nothing is known of later ones";
  // Beside a loop that is not brief, nobody can tell what equal parts bring.
  for (int i = 0; i < 50; ++i) outcomes = runs.region({80, 80'000}, cost, &k_there);
  EXPECT_FALSE(outcomes[0].is_even || outcomes[1].is_even);
}

TEST(EvenLoops, ManyLoopsOfOneRegion) {
  const auto even_of = [](const std::vector<Outcome>& outcomes) {
    return std::count_if(outcomes.begin(), outcomes.end(), [](const Outcome& each) { return each.is_even; });
  };
  for (const std::uint32_t members : {2U, 5U}) {
    Runs runs(members);
    const Cost cost = even_cost(k_us / 20);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0; i < 2'000; ++i) sizes.push_back(40 * members - i % 3);
    const auto outcomes = runs.region(sizes, cost, &k_there);
    EXPECT_GE(even_of(outcomes), 1'200) << members;
    EXPECT_LE(even_of(outcomes), 1'950) << "the other way is tried";
    // The parts become uneven: that is noticed after some dozen loops.
    const Cost jump = [](std::uint64_t i) { return i < 10 ? k_us : k_us / 20; };
    EXPECT_LE(even_of(runs.region(std::vector<std::uint64_t>(1'000, 40 * members), jump, &k_there)), 200);
    // Larger loops go to the tree, and so do long ones.
    EXPECT_EQ(even_of(runs.region(std::vector<std::uint64_t>(200, 4'000 * members), cost)), 0);
  }
}

/// Every so many loops one is long: in the share of either member.
class EvenLoopsAmong : public testing::TestWithParam<std::tuple<int, std::uint64_t>> {};

TEST_P(EvenLoopsAmong, ALongLoopIsSoonLeftToTheTree) {
  const auto [period, first] = GetParam();
  Runs runs;
  const Cost cost = even_cost(k_us / 20);
  const Cost dear = [from = first](std::uint64_t i) {
    return i >= from && i < from + 40 ? 20 * k_us : k_us / 20;
  };
  int even = 0;
  const auto outcomes = runs.region(std::vector<std::uint64_t>(100 * static_cast<std::size_t>(period), 80),
                                    [&, every = period, loop = 0, seen = 0](std::uint64_t i) mutable {
                                      if (seen++ == 80) {
                                        seen = 1;
                                        ++loop;
                                      }
                                      return loop % every == every - 1 ? dear(i) : cost(i);
                                    });
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (outcomes[i].is_even && i % static_cast<std::size_t>(period) == static_cast<std::size_t>(period) - 1)
      ++even;
  EXPECT_LE(even, 12);
}

INSTANTIATE_TEST_SUITE_P(Loops, EvenLoopsAmong,
                         testing::Combine(testing::Values(16, 32, 48, 128), testing::Values(0U, 40U)));

TEST(EvenLoops, RegionsOfFewMoreLoopsThanThePlanHas) {
  for (const std::size_t loops : {9U, 12U, 16U}) {
    Runs runs;
    const Cost cost = even_cost(k_us / 20);
    runs.region(std::vector<std::uint64_t>(400, 80), cost); // in equal parts at last
    const Cost dear = [](std::uint64_t i) { return i < 40 ? 20 * k_us : k_us / 20; };
    int even = 0;
    for (int region = 0; region < 100; ++region) {
      const auto outcomes = runs.region(std::vector<std::uint64_t>(loops, 80), dear);
      even += static_cast<int>(std::count_if(outcomes.begin() + 8, outcomes.end(),
                                             [](const Outcome& each) { return each.is_even; }));
    }
    EXPECT_LE(even, 2 * static_cast<int>(loops)) << loops;
  }
}

TEST(EvenLoops, RegionsAtOtherPlacesAreOthers) {
  Runs runs;
  const Cost cost = even_cost(k_us / 20);
  runs.settle(80, cost);
  EXPECT_FALSE(runs.one(80, cost, &k_there).is_even);
  EXPECT_TRUE(runs.one(80, cost).is_even);
  EXPECT_FALSE(runs.one(80, cost, nullptr).is_even);
}

/// Whoever's part has become expensive: the tree soon has the executions, but for trials.
class EvenLoopsJump : public testing::TestWithParam<std::uint32_t> {};

TEST_P(EvenLoopsJump, APartThatTakesLong) {
  constexpr std::uint32_t k_members = 4;
  Runs runs(k_members);
  const Cost cost = even_cost(k_us / 20);
  constexpr std::uint64_t k_size = 40 * k_members;
  runs.settle(k_size, cost);
  const std::uint64_t first = GetParam() * 40;
  const Cost jump = [=](std::uint64_t i) { return i >= first && i < first + 40 ? k_us * 5 : k_us / 20; };
  int even = 0;
  for (int i = 0; i < 500; ++i) even += runs.one(k_size, jump).is_even ? 1 : 0;
  EXPECT_LE(even, 24);
  runs.settle(k_size, cost);
}

INSTANTIATE_TEST_SUITE_P(Members, EvenLoopsJump, testing::Values(0U, 1U, 3U));

/// However long nothing has been new, so that few regions are looked at.
TEST(EvenLoops, WhatChangesAfterALongTimeIsNoticed) {
  constexpr std::uint64_t k_size = 80;
  const Cost cost = even_cost(k_us / 20);
  for (const int before : {500, 3'000}) {
    Runs runs;
    int even = 0;
    for (int i = 0; i < before; ++i) even += runs.one(k_size, cost).is_even ? 1 : 0;
    ASSERT_GE(even, before * 3 / 4);
    even = 0;
    const Cost jump = [=](std::uint64_t i) { return i < 40 ? k_us * 5 : k_us / 20; };
    for (int i = 0; i < 500; ++i) even += runs.one(k_size, jump).is_even ? 1 : 0;
    EXPECT_LE(even, 48) << before;
  }
}

TEST(EvenLoops, APartThatGrowsLittleByLittleIsNoticed) {
  for (const double growth : {1.02, 1.05, 1.1}) {
    Runs runs;
    Runs without;
    without.settings.history = false;
    const Cost cost = even_cost(k_us / 50);
    runs.settle(80, cost);
    double factor = 1;
    std::uint64_t with_memory = 0;
    std::uint64_t without_memory = 0;
    constexpr int k_executions = 500;
    for (int i = 0; i < k_executions; ++i) {
      factor = std::min(factor * growth, 1e4);
      const Cost dear = [=](std::uint64_t at) {
        return at < 40 ? static_cast<std::uint64_t>(k_us / 50 * factor) : k_us / 50;
      };
      with_memory += runs.one(80, dear).ticks;
      without_memory += without.one(80, dear).ticks;
    }
    EXPECT_LE(with_memory, without_memory + 10 * k_executions * runs.settings.steal_cost) << growth;
  }
}

/// Random runs of executions, of which each is cheap and even or expensive in one of its parts, beside the
/// same ones without any memory. Returns the steals' times that an execution lost, the worst one left out.
double lost_steals(core::Rng& random) {
  Runs runs;
  Runs without;
  without.settings.history = false;
  double lost = 0;
  double worst = 0;
  std::uint64_t executions = 0;
  for (int phase = 0; phase < 60; ++phase) {
    const std::uint64_t often = 1 + random.below(60);
    const std::uint64_t dear = random.below(100);
    const std::uint64_t factor = 1 + random.below(100);
    const Cost cost = [=](std::uint64_t i) {
      return phase % 2 == 1 && i >= dear && i < dear + 20 ? k_us / 50 * factor : k_us / 50;
    };
    for (std::uint64_t i = 0; i < often; ++i, ++executions) {
      const auto with = static_cast<double>(runs.one(120, cost).ticks);
      const double more = with - static_cast<double>(without.one(120, cost).ticks);
      lost += more;
      worst = std::max(worst, more);
    }
  }
  return (lost - worst) / static_cast<double>(executions * runs.settings.steal_cost);
}

TEST(EvenLoops, ALoopThatBecomesAnotherOneCostsAFewStealsAnExecution) {
  core::Rng random(test::seed());
  constexpr int k_sequences = 30; // of which one may lose nine
  double lost = 0;
  for (int i = 0; i < k_sequences; ++i) lost += lost_steals(random);
  EXPECT_LE(lost / k_sequences, 6);
}

} // namespace
} // namespace wstree::loop::even_test
