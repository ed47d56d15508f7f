// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Placement as one process does it: the machine, the limits, and for each size of team which member
// belongs where.
#pragma once

#include "layout.h"
#include "machine.h"
#include "places.h"
#include "policy.h"
#include "process_limits.h"
#include "thread_pin.h"

#include "options.h"

#include "wstree/core/neighbourhood.h"

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

namespace wstree::place {

/// For teams of one size.
class TeamPlan {
public:
  TeamPlan() = default;
  ~TeamPlan() { delete observed_.load(std::memory_order_relaxed); } // alone
  TeamPlan(const TeamPlan&) = delete;
  TeamPlan& operator=(const TeamPlan&) = delete;
  std::uint32_t members() const noexcept { return members_; }
  const Decision& decision() const noexcept { return decision_; }
  /// Returns whether settle() does nothing for a thread that is not pinned: this plan pins no thread, and
  /// where the members are is not known, nor will be. relaxed: hints.
  bool says_nothing() const noexcept {
    return !decision_.pins && unseen_.load(std::memory_order_relaxed) == 0 &&
           observed_.load(std::memory_order_relaxed) == nullptr;
  }

private:
  friend class Placement;
  std::uint32_t members_ = 0;
  Decision decision_;
  // If the members are pinned:
  std::unique_ptr<const Places> places_;
  std::unique_ptr<const Layout> layout_;
  bool own_places_ = false; // places of the library, not of OMP_PLACES
  CpuSet first_;            // the place of member 0
  // CPUs where members that are not pinned were seen. The layout is made when all members were seen.
  std::unique_ptr<std::atomic<std::uint32_t>[]> seen_; // index of a CPU + 1; 0: not yet
  std::atomic<std::uint32_t> unseen_{0};
  std::atomic<const Layout*> observed_{nullptr};
};

/// In a process it lives until the end, because workers may outlive everything else. All functions may be
/// called from any thread.
class Placement {
public:
  /// Larger teams are not placed.
  static constexpr std::uint32_t k_most_members = 4096;

  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  /// Looks at the machine and the limits, which takes milliseconds. nullptr: `why` names the missing part.
  static Placement* make(config::Bind bind, const char* const* envp, std::string_view& why) noexcept;

  /// nullptr: no memory, or too large. `fresh`: this call made the plan; no other call gets it.
  TeamPlan* plan(std::uint32_t members, bool& fresh) noexcept {
    fresh = false;
    if (members > k_most_members) return nullptr;
    // acquire: pairs with the release in find_plan(), so that the plan is complete.
    TeamPlan* known = plans_[members].load(std::memory_order_acquire);
    return known > impossible() ? known : find_plan(members, known, fresh);
  }

  /// The calling thread is member `member` of a team that the plan is for and that `opener` has opened. Pins
  /// or moves it, or looks where it is; no system calls if it is where it was. `pinned`: it is now pinned
  /// somewhere else than before.
  core::Neighbourhood settle(TeamPlan& plan, std::uint32_t member, pthread_t opener, bool& pinned) noexcept;

  /// Returns the CPUs of a pinned member.
  CpuSet mask(const TeamPlan& plan, std::uint32_t member) const noexcept;
  ReasonText explain(const TeamPlan& plan) const noexcept;

private:
  static constexpr std::uint32_t k_unknown = ~std::uint32_t{0};

  Placement() = default;
  /// Stands in the table while a thread makes the plan, and when none could.
  static TeamPlan* in_the_making() noexcept { return reinterpret_cast<TeamPlan*>(std::uintptr_t{1}); }
  static TeamPlan* impossible() noexcept { return reinterpret_cast<TeamPlan*>(std::uintptr_t{2}); }
  /// `known`: the entry in the table.
  TeamPlan* find_plan(std::uint32_t members, TeamPlan* known, bool& fresh) noexcept;
  TeamPlan* make_plan(std::uint32_t members) noexcept;
  PinKey key(const TeamPlan& plan, std::uint32_t member) const noexcept;
  bool pin(const TeamPlan& plan, std::uint32_t member, pthread_t opener, PinKey wanted) noexcept;
  bool is_as_it_was(pthread_t opener) noexcept;
  void move_opener(const TeamPlan& plan) noexcept;
  void look(TeamPlan& plan, std::uint32_t member) noexcept;
  std::uint32_t own_cpu() const noexcept;

  config::Bind bind_ = config::Bind::auto_;
  std::unique_ptr<const Machine> machine_;
  Limits limits_;
  std::string_view user_places_; // OMP_PLACES
  std::unique_ptr<char[]> user_places_text_;
  std::atomic<std::uint32_t> moves_{0}; // number of moves of an opening thread; odd during one
  std::atomic<TeamPlan*> plans_[k_most_members + 1] = {};
};

} // namespace wstree::place
