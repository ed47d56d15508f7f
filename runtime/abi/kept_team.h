// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that the members of a region share, from region to region.
#pragma once

#include "balanced_region.h"
#include "label.h"
#include "process/request.h"
#include "rules/rules.h"
#include "team.h"

#include "wstree/core/platform.h"

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace wstree::abi {

using Platform = core::StdPlatform;
using Team = loop::Team<Platform>;
using BalancedRegion = loop::BalancedRegion<Platform>;

/// Data that few regions have: the members fetch it from the team.
struct RegionWords {
  const observe::Label* label = nullptr; // label of the first loop
  config::Ruling hint;                   // likewise
  BalancedRegion* balanced = nullptr;    // nullptr: the runtime cuts the static loops of the region
};

/// A region's data for its members, besides their numbers. Most of it does not change from region to region.
struct Terms {
  const void* caller = nullptr; // the code that forks: see Real
  Team::Store* storage = nullptr;
  std::uint64_t loops = 1; // see Team::Opening
  TaskSchedule schedule;   // captured at the fork; of a region by GCC's entries none
  pthread_t opener{};
  const RegionWords* words = nullptr; // nullptr, nearly always: there are none
  bool keeps_ring = false;            // see Member::keep_ring()
  bool placed = false;                // the members go to places of their own
  bool nested = false;                // the region is inside another team
  bool operator==(const Terms&) const = default;
};

/// A team with the terms of its latest region. The opener writes them only if they differ from those of the
/// region before: unwritten lines stay in the members' caches, and fetching a line takes as long as
/// dispatching several chunks.
class KeptTeam final : public Team {
public:
  void set_terms(const Terms& terms) noexcept {
    if (!(terms_ == terms)) terms_ = terms;
  }
  const Terms& terms() const noexcept { return terms_; }
  RegionWords& words() noexcept { return words_; }

  /// Counts a member that has set its schedule for the first time in the open region.
  void count_setter() noexcept {
    // release, with the acquire below: counting is a read-modify-write. A member that sees that all have set
    // theirs, and starts a loop, which other members see, can rely on it that they will see the count as
    // well. Guard: members_set_late in tests/abi/schedule_icv.cpp; property.loop_programs.
    setters_.fetch_add(1, std::memory_order_release);
  }
  bool all_have_set(std::uint32_t members) const noexcept {
    return setters_.load(std::memory_order_acquire) >= members;
  }
  /// From now on the answer is that all have.
  void suppose_all_have_set(std::uint32_t members) noexcept {
    setters_.store(members, std::memory_order_release);
  }

  /// Returns the schedule with which all tasks of the region began. The calling task is about to set its
  /// own, which is `mine` until now. The first task to come here still has the first schedule. So has any
  /// other task that comes before the first one has stored it, because a task that inherits another schedule
  /// begins later.
  TaskSchedule schedule_before(TaskSchedule mine) noexcept {
    // acquire, with the release below: the schedule is complete. Guard: tasks_of_others_set_theirs in
    // tests/abi/schedule_icv.cpp (each task its own).
    if (known_.load(std::memory_order_acquire) == Known::said) return before_;
    Known none = Known::none;
    if (known_.compare_exchange_strong(none, Known::begun, std::memory_order_relaxed)) {
      before_ = mine;
      known_.store(Known::said, std::memory_order_release);
    }
    return mine;
  }
  /// Before the fork.
  void forget_setters() noexcept {
    if (setters_.load(std::memory_order_relaxed) == 0) return; // ordered by the fork, as the rest
    setters_.store(0, std::memory_order_relaxed);
    known_.store(Known::none, std::memory_order_relaxed);
  }

  AgreedRulings& rulings() noexcept { return rulings_; }

private:
  alignas(core::k_line_pair) Terms terms_;
  RegionWords words_;
  std::atomic<std::uint32_t> setters_{0}; // members, each once
  enum class Known : std::uint8_t { none, begun, said };
  std::atomic<Known> known_{Known::none};
  TaskSchedule before_; // see schedule_before()
  AgreedRulings rulings_;
};

/// Takes a team of the calling thread that no open region uses. nullptr: no memory.
KeptTeam* borrow_team() noexcept;
void give_back_team(KeptTeam* team) noexcept;

} // namespace wstree::abi
