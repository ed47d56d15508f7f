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
  /// The member is about to start its region's loop number `loop`, which would go to the tree. The same for
  /// all members.
  Way choose(const EvenPlan* plan, std::uint64_t loop, std::uint64_t iterations, std::uint32_t members,
             const core::Settings& settings, std::uint64_t smallest) noexcept {
    way_ = Way::tree;
    is_known_ = plan != nullptr && loop < EvenPlan::k_loops && smallest <= 1 && is_usual(settings);
    if (!is_known_) return way_;
    loop_ = static_cast<std::uint32_t>(loop);
    size_ = EvenPlan::size_of(iterations, members);
    if (loop == 0) first_size_ = size_;
    share_ = static_cast<float>(iterations) / static_cast<float>(members);
    if (plan->is_brief(loop_, iterations, members)) way_ = plan->ways[first_size_];
    if (way_ == Way::alone && loop != 0) way_ = Way::parts; // it may be larger than the first one
    return way_;
  }
  /// Whether a loop behind those of the plan may go another way than to the tree.
  static bool may_go_apart(const core::Settings& settings, std::uint64_t smallest) noexcept {
    return smallest <= 1 && is_usual(settings);
  }
  /// It goes this way.
  void go(Way way) noexcept { way_ = way; }
  void forget() noexcept {
    is_known_ = false;
    way_ = Way::tree;
  }
  Way way() const noexcept { return way_; }

  /// Whether the opener wants to know how the loop went, of which this is member `index`. Once is enough.
  bool is_asked(std::uint32_t index) noexcept { return std::exchange(is_known_, false) && index == 0; }
  std::uint32_t loop() const noexcept { return loop_; }
  EvenShare share(const core::Counts& counts) const noexcept {
    return {share_, static_cast<float>(counts.iterations), EvenShare::to_float(counts.busy_ticks), size_,
            way_};
  }

private:
  /// Others are for comparisons.
  static bool is_usual(const core::Settings& settings) noexcept {
    return settings.history && settings.batch == core::BatchMode::timed &&
           settings.strategy == core::Strategy::find_max && settings.roots == 0;
  }

  bool is_known_ = false; // the opener remembers such loops
  Way way_ = Way::tree;
  std::uint32_t loop_ = 0;
  unsigned size_ = 0;
  unsigned first_size_ = 0; // of the region's first loop
  float share_ = 0;         // iterations for each member
};

} // namespace wstree::loop
