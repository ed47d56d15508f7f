// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a member shares a loop that may be brief, and what member 0 says of the loop afterwards.
#pragma once

#include "team.h"

#include <cstdint>
#include <utility>

namespace wstree::loop {

/// Private to its member; begins anew with each loop.
class EvenMember {
public:
  /// The member is about to start its region's loop number `loop`, which may go apart. The same for all
  /// members.
  Way choose(const EvenPlan* plan, std::uint64_t loop, std::uint64_t iterations,
             std::uint32_t members) noexcept {
    if (loop == 0) first_iterations_ = iterations;
    if (is_one_each(iterations, members)) return way_ = Way::parts;
    if (plan == nullptr || loop >= EvenPlan::k_loops) [[unlikely]]
      return Way::tree;
    is_known_ = true;
    loop_ = static_cast<std::uint32_t>(loop);
    iterations_ = iterations;
    if (!plan->is_brief(loop_, iterations, members)) return Way::tree;
    const Way way = plan->ways[EvenPlan::size_of(first_iterations_, members)];
    // Only the first one: this one may be larger.
    return way_ = way == Way::alone && loop != 0 ? Way::parts : way;
  }
  /// Whether a loop may go another way than to the tree.
  static bool may_go_apart(const core::Settings& settings, std::uint64_t smallest) noexcept {
    return smallest <= 1 && is_usual(settings);
  }
  /// Such a loop goes in parts, brief or not. There is nothing to divide, each iteration stays with the
  /// member whose data it works on, and its number of iterations does not tell a loop of a microsecond from
  /// one of a millisecond at the same place, such as another level of a grid.
  static bool is_one_each(std::uint64_t iterations, std::uint32_t members) noexcept {
    return iterations <= members;
  }
  /// A loop behind those of the plan goes this way.
  Way go(Way way) noexcept {
    is_known_ = way == Way::tree; // of the others nobody asks what they did
    loop_ = EvenPlan::k_loops;
    return way_ = way;
  }
  bool is_step() const noexcept { return loop_ == EvenPlan::k_loops; }
  void forget() noexcept {
    is_known_ = false;
    way_ = Way::tree;
  }
  Way way() const noexcept { return way_; }

  /// Whether the opener wants to know how the loop went, of which this is member `index`. Once is enough.
  bool is_asked(std::uint32_t index) noexcept { return std::exchange(is_known_, false) && index == 0; }
  std::uint32_t loop() const noexcept { return loop_; }
  EvenShare share(const core::Counts& counts, std::uint32_t members) const noexcept {
    return {static_cast<float>(iterations_) / static_cast<float>(members),
            static_cast<float>(counts.iterations), EvenShare::to_float(counts.busy_ticks),
            EvenPlan::size_of(iterations_, members), way_};
  }

private:
  /// Others are for comparisons.
  static bool is_usual(const core::Settings& settings) noexcept {
    return settings.history && settings.batch == core::BatchMode::timed &&
           settings.strategy == core::Strategy::find_max && settings.roots == 0;
  }

  bool is_known_ = false; // the opener remembers such loops
  Way way_ = Way::tree;
  std::uint64_t first_iterations_ = 0; // of the region's first loop
  // Of a loop that is known:
  std::uint32_t loop_; // k_loops: behind the plan
  std::uint64_t iterations_;
};

} // namespace wstree::loop
