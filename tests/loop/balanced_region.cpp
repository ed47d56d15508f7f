// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards: loop/balanced_region.h: the parts of a region's loops, what is told of them, the numbers that
// traces give their executions, and regions that meet themselves. Costs are told and not measured.
#include "balanced_region.h"

#include "usual.h"

#include "wstree/core/platform.h"
#include "wstree/core/tuning.h"

#include <list>

namespace wstree::loop {
namespace {

using RegionOfLoops = BalancedRegion<core::StdPlatform>;

struct TakenPart {
  std::uint64_t iterations, first, past;
  bool is_noted;
  Event event;
};

/// Regions stay as long as the process, and so does their memory.
RegionOfLoops& new_region() {
  static auto& regions = *new std::list<RegionOfLoops>;
  return regions.emplace_back();
}

class RegionRuns {
public:
  /// A region of `members` threads with these loops one after the other; an iteration i of n takes cost(i, n)
  /// ticks. Member `absent` leaves the last loop out. Returns the parts by member, in order.
  template <class Cost>
  std::vector<std::vector<TakenPart>> execute(std::uint32_t members, const std::vector<std::uint64_t>& loops,
                                              Cost&& cost, std::uint32_t absent = ~0U) {
    told_.clear();
    std::vector<std::vector<TakenPart>> parts(members);
    if (!region_.open()) return {};
    region_.trace(&equal_, &cut_);
    std::vector<std::thread> threads;
    for (std::uint32_t m = 0; m < members; ++m)
      threads.emplace_back([&, m] {
        for (std::size_t k = 0; k + (m == absent ? 1 : 0) < loops.size(); ++k)
          parts[m].push_back(take(m, members, loops[k], cost));
      });
    for (auto& thread : threads) thread.join();
    region_.close([&](const MeasuredLoops& all) { told_[all.iterations] = all; });
    return parts;
  }
  const std::map<std::uint64_t, MeasuredLoops>& told() const { return told_; }
  bool is_of_equal_parts(const Event& event) const { return event.site == &equal_; }

private:
  template <class Cost> TakenPart take(std::uint32_t m, std::uint32_t members, std::uint64_t n, Cost& cost) {
    const BalancedLoops* known = region_.find(n, members);
    const bool is_equal = known == nullptr || known->balance.is_equal();
    const auto bound = [&](std::uint32_t part) {
      return is_equal ? core::equal_bound(n, members, part) : known->balance.bound(part);
    };
    TakenPart part{n, bound(m), bound(m + 1), false, {}};
    if (known != nullptr && !known->is_watched) return part;
    StaticAccount::Entry* entry = region_.entry(m, members, n);
    if (entry == nullptr) return part;
    region_.note_part(m, part.first, part.past, is_equal);
    part.is_noted = true;
    part.event = region_.noted_part(m);
    for (std::uint64_t i = part.first; i < part.past; ++i) entry->ticks += cost(i, n);
    ++entry->loops;
    return part;
  }

  RegionOfLoops& region_ = new_region();
  std::map<std::uint64_t, MeasuredLoops> told_;
  char equal_ = 0, cut_ = 0;
};

std::uint64_t rising(std::uint64_t i, std::uint64_t) { return 100'000 * (i + 1); }

TEST(BalancedRegions, PartsCoverEachLoopAndExecutionsHaveNumbersOfTheirOwn) {
  std::mt19937 random(20);
  RegionRuns runs;
  std::uint64_t before = 0;
  std::uint64_t noted = 0, unequal = 0;
  for (int round = 0; round < 400; ++round) {
    const auto members = static_cast<std::uint32_t>(round % 10 < 8 ? 3 : 2 + random() % 4);
    // Now and then more numbers of iterations than there is room for.
    const std::uint64_t kinds = round % 50 == 49 ? 14 : 3;
    std::vector<std::uint64_t> loops;
    for (std::uint64_t k = 1 + random() % 20; k > 0; --k) loops.push_back(40 + random() % kinds);
    const auto parts = runs.execute(members, loops, rising);
    ASSERT_EQ(parts.size(), members) << "the region is not open";
    for (std::size_t k = 0; k < loops.size(); ++k) {
      std::uint64_t next = 0;
      for (const auto& of_member : parts) {
        const TakenPart& part = of_member[k];
        ASSERT_EQ(part.first, next) << "round " << round;
        ASSERT_GT(part.past, part.first);
        next = part.past;
        ASSERT_EQ(part.is_noted, parts[0][k].is_noted);
        ASSERT_EQ(part.event.execution, parts[0][k].event.execution);
        ASSERT_EQ(part.event.site, parts[0][k].event.site);
      }
      ASSERT_EQ(next, loops[k]);
      if (!parts[0][k].is_noted) continue;
      ++noted;
      unequal += runs.is_of_equal_parts(parts[0][k].event) ? 0 : 1;
      ASSERT_GT(parts[0][k].event.execution, before) << "round " << round;
      before = parts[0][k].event.execution;
    }
  }
  EXPECT_GT(noted, 3'000U);
  EXPECT_GT(unequal, 1'000U);
}

TEST(BalancedRegions, LoopsWithAsManyIterationsAreCutAlikeInARegion) {
  RegionRuns runs;
  for (int round = 0; round < 60; ++round) {
    // The costs of the two loops differ, and change.
    const auto parts = runs.execute(2, {64, 64}, [&](std::uint64_t i, std::uint64_t) {
      return 100'000 * (round / 20 % 2 == 0 ? i + 1 : 64 - i);
    });
    for (const auto& of_member : parts) {
      EXPECT_EQ(of_member[0].first, of_member[1].first) << round;
      EXPECT_EQ(of_member[0].past, of_member[1].past) << round;
    }
  }
}

TEST(BalancedRegions, NothingIsLearntOfALoopThatAMemberLeftOut) {
  RegionRuns runs;
  runs.execute(3, {50, 60}, rising, 2);
  EXPECT_EQ(runs.told().count(50), 1U);
  EXPECT_EQ(runs.told().count(60), 0U);
  runs.execute(3, {50, 60}, rising);
  EXPECT_EQ(runs.told().at(60).executions, 1U);
  EXPECT_EQ(runs.told().at(60).sum, 100'000U * 60 * 61 / 2);
}

TEST(BalancedRegions, ALoopIsNewUntilAsManyIterationsComeAgain) {
  RegionRuns runs;
  for (const int round : {0, 1}) {
    runs.execute(2, {50}, rising);
    EXPECT_EQ(runs.told().at(50).is_new, round == 0);
  }
  // More lengths than there is room for.
  for (std::uint64_t length = 100; length < 130; ++length) {
    runs.execute(2, {length}, rising);
    const auto told = runs.told().at(length);
    EXPECT_TRUE(told.is_new && told.was_equal) << length;
    EXPECT_EQ(told.executions, 1U);
    EXPECT_EQ(told.sum, 100'000 * (length * (length + 1) / 2));
  }
}

TEST(BalancedRegions, TheFirstExecutionIsToldOfEachSizeOfTheTeam) {
  RegionRuns runs;
  for (const std::uint32_t members : {2U, 8U, 3U, 16U}) {
    runs.execute(members, {50}, rising);
    ASSERT_EQ(runs.told().count(50), 1U) << members;
    EXPECT_EQ(runs.told().at(50).members, members);
    EXPECT_TRUE(runs.told().at(50).was_equal);
    EXPECT_EQ(runs.told().at(50).sum, 100'000U * 50 * 51 / 2);
  }
}

TEST(BalancedRegions, OneTeamAtATimeHasThem) {
  RegionOfLoops& region = new_region();
  ASSERT_TRUE(region.open());
  EXPECT_FALSE(region.open());
  region.close([](auto&&...) {});
  EXPECT_TRUE(region.open());
}

TEST(BalancedRegions, LoopsThatAreTooShortAreLookedAtAgainLater) {
  RegionRuns runs;
  const auto nothing = [](std::uint64_t, std::uint64_t) { return std::uint64_t{0}; };
  const std::vector<std::uint64_t> loops{50};
  std::uint64_t tries = 0;
  while (!runs.execute(2, loops, nothing).empty()) ASSERT_LT(++tries, 20U);
  std::uint64_t closed = 1;
  while (runs.execute(2, loops, nothing).empty()) ASSERT_LT(++closed, 2 * core::tuning::k_regions_unwatched);
  EXPECT_EQ(closed, core::tuning::k_regions_unwatched - 1);
}

} // namespace
} // namespace wstree::loop
