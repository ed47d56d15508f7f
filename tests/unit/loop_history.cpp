// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loops are remembered, and teams of threads that go by it.
#include "loop_history_support.h"
#include "member.h"
#include "seed.h"
#include "threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace wstree::loop::history_test {
namespace {

using Hand = HandClockPlatform;
const core::Settings k_defaults;
constexpr std::uint32_t k_most_records = 128;
constexpr int k_regions = 1'000; // for which records live at least

const char k_places[1000] = {}; // code locations

LoopKey key_of(std::uint64_t place, std::uint64_t iterations = 100) {
  return {k_places + place / 100, static_cast<std::uint32_t>(place % 100), iterations, 4};
}

TEST(History, ALoopIsRememberedFromItsSecondTimeOn) {
  History<Hand> history;
  EXPECT_EQ(history.find_or_add(key_of(1), k_defaults), nullptr);
  auto* const record = history.find_or_add(key_of(1), k_defaults);
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->key(), key_of(1));
  EXPECT_EQ(history.find_or_add(key_of(1), k_defaults), record);
  EXPECT_EQ(history.find(key_of(1)), record);
}

TEST(History, PlaceIterationsAndMembersMakeALoop) {
  History<Hand> history;
  const LoopKey keys[] = {key_of(1), key_of(2), key_of(1, 101), key_of(101), {k_places, 1, 100, 5}};
  std::vector<LoopRecord<Hand>*> records;
  for (const LoopKey& key : keys) {
    history.find_or_add(key, k_defaults);
    records.push_back(history.find_or_add(key, k_defaults));
    ASSERT_NE(records.back(), nullptr);
  }
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(history.find(keys[i]), records[i]);
    EXPECT_EQ(records[i]->key(), keys[i]);
  }
}

TEST(History, LooksForARecordWhereverItWent) {
  core::Rng random(test::seed());
  for (int round = 0; round < 20; ++round) {
    History<Hand> history;
    std::vector<std::pair<LoopKey, LoopRecord<Hand>*>> known;
    for (int i = 0; i < 400; ++i) {
      const LoopKey key = key_of(random.below(1000), 2 + random.below(1000));
      history.find_or_add(key, k_defaults);
      if (auto* record = history.find_or_add(key, k_defaults)) known.emplace_back(key, record);
      for (const auto& [other, record] : known) ASSERT_EQ(history.find(other), record);
    }
    EXPECT_GT(known.size(), k_most_records / 3);
  }
}

TEST(History, ForgetsAllWhenItIsFullButNotInsideARegion) {
  const auto before = Hand::blocks;
  {
    History<Hand> history;
    std::vector<LoopKey> keys;
    for (std::uint64_t place = 0; place < 1'000; ++place)
      for (int time = 0; time < 2; ++time)
        if (auto* record = history.find_or_add(key_of(place), k_defaults)) {
          history.opened(*record);
          record->enter(place);
          keys.push_back(key_of(place));
        }
    ASSERT_LE(keys.size(), k_most_records);
    for (int region = 1; region < k_regions; ++region) history.close(1'000);
    for (const LoopKey& key : keys) EXPECT_NE(history.find(key), nullptr);
    history.close(1'000);
    for (const LoopKey& key : keys) EXPECT_EQ(history.find(key), nullptr);
    EXPECT_EQ(Hand::blocks, before);
    history.find_or_add(keys.front(), k_defaults);
    EXPECT_NE(history.find_or_add(keys.front(), k_defaults), nullptr) << "there is room again";
    history.close(1'001);
    EXPECT_NE(history.find(keys.front()), nullptr);
  }
  EXPECT_EQ(Hand::blocks, before) << "and gives its memory back";
}

TEST(History, WithoutMemoryALoopIsNotRemembered) {
  for (std::uint64_t k = 0; k < 3; ++k) {
    History<Hand> history;
    Hand::refused = Hand::requests + k;
    std::uint64_t missing = 0;
    for (std::uint64_t place = 0; place < 3; ++place) {
      history.find_or_add(key_of(place), k_defaults);
      missing += history.find_or_add(key_of(place), k_defaults) == nullptr ? 1U : 0U;
      EXPECT_EQ(history.find(key_of(place)) == nullptr, place == k);
    }
    EXPECT_EQ(missing, 1U);
    EXPECT_NE(history.find_or_add(key_of(k), k_defaults), nullptr) << "there is memory again";
    Hand::refused = ~std::uint64_t{0};
  }
}

/// Whichever of them stand in each other's place: they differ from run to run with the addresses.
TEST(History, LoopsThatTakeTurnsAreAllRemembered) {
  constexpr std::uint64_t k_loops = k_most_records / 8;
  for (std::uint64_t first = 0; first < 2'000; first += k_loops) {
    History<Hand> history;
    for (int time = 0; time < 3; ++time)
      for (std::uint64_t loop = first; loop < first + k_loops; ++loop)
        history.find_or_add(key_of(loop), k_defaults);
    for (std::uint64_t loop = first; loop < first + k_loops; ++loop)
      ASSERT_NE(history.find(key_of(loop)), nullptr) << "loop " << loop;
  }
}

TEST(History, ClosesEachLoopOfTheRegionOnce) {
  History<Hand> history;
  history.find_or_add(key_of(1), k_defaults);
  auto* const record = history.find_or_add(key_of(1), k_defaults);
  ASSERT_NE(record, nullptr);
  for (int execution = 0; execution < 3; ++execution) {
    history.opened(*record);
    record->enter(10 + static_cast<std::uint64_t>(execution));
    EXPECT_TRUE(record->is_open());
  }
  history.close(13);
  EXPECT_FALSE(record->is_open());
  history.close(14); // nothing is open
  history.opened(*record);
  EXPECT_EQ(record->close(15), nullptr) << "no other loop is open";
}

// Teams of threads, for sanitizers.

using P = core::StdPlatform;

struct Counted {
  explicit Counted(std::uint64_t n) : hits(new std::atomic<std::uint32_t>[n]()), size(n) {}
  std::unique_ptr<std::atomic<std::uint32_t>[]> hits;
  std::uint64_t size;
};

/// The members' loops: where, how many iterations.
struct Visit {
  std::uint64_t place;
  std::uint64_t iterations;
};

core::Settings eager() {
  core::Settings settings;
  settings.shortest_target = 300;
  settings.steal_cost = 50;
  settings.clocked = false;
  return settings;
}

class TeamHistory {
public:
  /// A region of these loops one after another without a barrier; `place` says where `member` finds one.
  void region(std::uint32_t members, const std::vector<Visit>& visits,
              const std::function<std::uint64_t(std::uint32_t, std::size_t)>& place = {},
              std::uint32_t leaver = ~0U, std::size_t leaves_before = 0) {
    std::vector<Counted> counted;
    for (const Visit& visit : visits) counted.emplace_back(visit.iterations);
    team_.open();
    test::in_parallel(members, [&](std::uint32_t m) {
      Member<P> member(&team_, m, members);
      member.set_region(k_places);
      for (std::size_t i = 0; i < visits.size() && (m != leaver || i < leaves_before); ++i) {
        const std::uint64_t at = place ? place(m, i) : visits[i].place;
        ASSERT_TRUE(member.enter(visits[i].iterations, settings_, 1, core::Model::tree, k_places + at));
        run(member, counted[i]);
        member.leave();
      }
      member.depart();
    });
    team_.close();
    for (std::size_t i = 0; i < visits.size(); ++i)
      for (std::uint64_t k = 0; k < counted[i].size; ++k) {
        // Iteration n-1 may be the part of a member that has left.
        if (leaver != ~0U && i >= leaves_before && k + 1 == counted[i].size) continue;
        ASSERT_EQ(counted[i].hits[k].load(), 1U) << "iteration " << k << " of loop " << i;
      }
  }

private:
  static void run(Member<P>& member, Counted& loop) {
    core::Range range;
    while (member.next(range))
      for (auto i = range.begin; i < range.end; ++i) {
        loop.hits[i].fetch_add(1, std::memory_order_relaxed);
        if (i < loop.size / 4) // uneven
          for (int turns = 0; turns < 200; ++turns) __asm__ volatile("");
      }
  }

  Team<P> team_;
  core::Settings settings_ = eager();
};

std::vector<Visit> some_visits(core::Rng& random, std::uint32_t count) {
  std::vector<Visit> visits;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t place = random.below(3);
    visits.push_back({place, place * 40 + 2});
  }
  return visits;
}

TEST(team_history, LoopsThatComeAgainInsideARegion) {
  core::Rng random(test::seed());
  for (const std::uint32_t members : {2U, 3U, 5U}) {
    TeamHistory team;
    for (std::uint64_t i = 0, regions = test::scaled(6); i < regions; ++i)
      team.region(members, some_visits(random, 150));
  }
}

TEST(team_history, LoopsThatComeAgainRegionByRegion) {
  core::Rng random(test::seed());
  TeamHistory team;
  for (std::uint64_t i = 0, regions = test::scaled(400); i < regions; ++i)
    team.region(2 + random.below(2), some_visits(random, 1 + random.below(3)));
}

TEST(team_history, MembersThatLeaveTheRegionEarly) {
  core::Rng random(test::seed());
  TeamHistory team;
  for (std::uint64_t i = 0, regions = test::scaled(100); i < regions; ++i) {
    const std::uint32_t count = 1 + random.below(30);
    team.region(3, some_visits(random, count), {}, random.below(3), random.below(count + 1));
  }
}

TEST(team_history, MembersThatFindTheLoopAtAnotherPlace) {
  // A compiler may make two loops of one in the source, one for the first member and one for the others.
  core::Rng random(test::seed());
  TeamHistory team;
  for (std::uint64_t i = 0, regions = test::scaled(100); i < regions; ++i) {
    const auto visits = some_visits(random, 1 + random.below(30));
    team.region(3, visits,
                [&](std::uint32_t m, std::size_t k) { return visits[k].place + (m == 1 ? 500 : 0); });
  }
}

} // namespace
} // namespace wstree::loop::history_test
