// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards: loop/measured.h and team_storage.h: what makes a loop uneven, loops that are reported once each,
// also after members have gone, and what a team's storage keeps apart.
#include "member.h"
#include "team.h"
#include "team_storage.h"
#include "track.h"
#include "usual.h"

#include "wstree/core/platform.h"

namespace wstree::loop::measured_test {
namespace {

/// A clock that tells what the test wants.
struct ToldClock : core::StdPlatform {
  static std::uint64_t ticks() noexcept { return now; }
  static inline thread_local std::uint64_t now = 0;
};

constexpr core::Settings k_clocked{.clocked = true};

TEST(team_measure, AMemberWithoutAProcessorMakesNoLoopUneven) {
  for (const std::uint64_t preempted : {0U, 30U}) {
    Team<ToldClock> team;
    team.open();
    std::uint64_t uneven = 0, told = 0;
    // One after the other: equal parts, of which the second takes 30 ticks more.
    for (std::uint32_t m = 0; m < 2; ++m) {
      Member<ToldClock> member(&team, m, 2);
      ToldClock::now = 1'000;
      ASSERT_TRUE(member.enter(10, k_clocked, 0, core::Model::static_));
      core::Range range;
      ASSERT_TRUE(member.next(range));
      ToldClock::now += 100 + 30 * m;
      ASSERT_FALSE(member.next(range));
      member.leave(
          [&](const Execution& execution) {
            uneven = execution.most_uneven_ticks;
            told = execution.preempted_ticks;
          },
          m == 1 ? preempted : 0);
      member.depart();
    }
    team.close();
    EXPECT_EQ(uneven, preempted == 0 ? 15U : 0U);
    EXPECT_EQ(told, preempted);
  }
}

TEST(team_measure, ATraceSaysHowLongAMemberHadNoProcessor) {
  std::array<Event, 64> memory{};
  Track track(memory.data(), memory.size());
  Team<ToldClock> team;
  team.open();
  for (std::uint32_t m = 0; m < 2; ++m) {
    Member<ToldClock> member(&team, m, 2);
    ASSERT_TRUE(member.enter(10, k_clocked, 0, core::Model::static_));
    if (m == 1) member.trace(track, Event{}, 0);
    core::Range range;
    ASSERT_TRUE(member.next(range));
    ToldClock::now += 100;
    ASSERT_FALSE(member.next(range));
    member.leave([](const Execution&) {}, 30);
    member.depart();
  }
  team.close();
  const Event& last = track.at(track.total() - 1);
  EXPECT_EQ(last.kind, Event::Kind::loop);
  EXPECT_EQ(last.member, 1U);
  EXPECT_EQ(last.first, 30U);
}

constexpr std::uint32_t k_members = 3;
constexpr std::uint64_t k_iterations = 40;

/// A region of measured loops that follow one another. Its members go in step in one thread: none waits.
class Measured {
public:
  Measured() {
    team_.open();
    for (std::uint32_t m = 0; m < k_members; ++m) members_[m].emplace(&team_, m, k_members);
  }
  ~Measured() {
    for (auto& member : members_) member->depart();
    team_.close();
  }

  /// A loop of all that have not departed; `stops` asks for one piece only. Iterations that were reported.
  std::vector<std::uint64_t> loop(std::uint32_t stops = k_members) {
    std::vector<std::uint64_t> reports;
    for (std::uint32_t m = 0; m < k_members; ++m) {
      if (gone_[m]) continue;
      EXPECT_TRUE(members_[m]->enter(k_iterations, k_clocked, 1));
      core::Range range;
      for (int pieces = 0; (m != stops || pieces < 1) && members_[m]->next(range); ++pieces) {
      }
      members_[m]->leave([&](const Execution& all) { reports.push_back(all.total.iterations); });
    }
    return reports;
  }
  void depart(std::uint32_t member) {
    members_[member]->depart();
    gone_[member] = true;
  }

private:
  Team<core::StdPlatform> team_;
  std::array<std::optional<Member<core::StdPlatform>>, k_members> members_;
  std::array<bool, k_members> gone_{};
};

const std::vector<std::uint64_t> k_once{k_iterations};

TEST(team_reports, OfLoopsAfterOneThatAMemberHasCancelled) {
  Measured region;
  EXPECT_EQ(region.loop(), k_once);
  EXPECT_EQ(region.loop(1).size(), 1U);
  for (int k = 0; k < 20; ++k) EXPECT_EQ(region.loop(), k_once) << "loop " << k << " after it";
}

TEST(team_reports, OfLoopsAfterAMemberHasLeftTheRegion) {
  for (const int before : {4, 1, 0}) { // 1: as early as a new team expects; 0: it comes to no loop
    Measured region;
    for (int k = 0; k < before; ++k) EXPECT_EQ(region.loop(), k_once);
    region.depart(before == 0 ? 1 : 2);
    for (int k = 0; k < 20; ++k) EXPECT_EQ(region.loop(), k_once) << "loop " << k << " after " << before;
  }
}

using P = core::StdPlatform;

TEST(team_storage, WhatOthersReadOfAMemberIsOnPagesOfItsOwn) {
  // So that it is in the memory of the member's NUMA node, whichever member made the storage.
  constexpr std::uint32_t k_team = 9;
  constexpr std::uintptr_t k_page = 4096;
  Storage<P>* storage = Storage<P>::create(k_team, nullptr);
  ASSERT_NE(storage, nullptr);
  std::map<std::uintptr_t, std::uint32_t> owners;
  auto expect_own = [&](const void* begin, std::size_t bytes, std::uint32_t member) {
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    for (auto page = first / k_page; page <= (first + bytes - 1) / k_page; ++page)
      EXPECT_EQ(owners.try_emplace(page, member).first->second, member);
  };
  for (std::uint32_t m = 0; m < k_team; ++m) {
    expect_own(&storage->line(m), sizeof(storage->line(m)), m);
    for (std::uint64_t loop = 0; loop < k_ring; ++loop) {
      expect_own(storage->slot(loop).tree.root(m), sizeof(core::Node<P>), m);
      expect_own(&storage->account(loop, m), sizeof(Account), m);
      expect_own(&storage->fresh_arena(loop, m), sizeof(core::Arena<P>), m);
    }
  }
  // The first nodes of its arenas share a page with those of the members beside it at most.
  for (std::uint32_t m = 0; m < k_team; ++m)
    for (std::uint64_t loop = 0; loop < k_ring; ++loop) {
      const auto page = reinterpret_cast<std::uintptr_t>(storage->fresh_arena(loop, m).take()) / k_page;
      const auto owner = owners.find(page);
      EXPECT_TRUE(owner == owners.end() || owner->second == m) << m;
    }
  Storage<P>::destroy(storage);
}

} // namespace
} // namespace wstree::loop::measured_test
