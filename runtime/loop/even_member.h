// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a member gets an equal part of a loop, and what member 0 says of the loop afterwards.
#pragma once

#include "team.h"

#include <cstdint>
#include <utility>

namespace wstree::loop {

/// Private to its member; begins anew with each loop.
class EvenMember {
public:
  /// The member is about to start its region's loop number `loop`, which would go to the tree. True, for all
  /// members alike: they get equal parts.
  bool choose(const EvenPlan* plan, std::uint64_t loop, std::uint64_t iterations, std::uint32_t members,
              const core::Settings& settings, std::uint64_t smallest) noexcept {
    is_known_ = plan != nullptr && loop < EvenPlan::k_loops && smallest <= 1 && is_usual(settings);
    is_even_ = false;
    if (!is_known_) return false;
    loop_ = static_cast<std::uint32_t>(loop);
    share_ = static_cast<float>(iterations) / static_cast<float>(members);
    is_even_ = plan->even && plan->is_brief(loop_, iterations, members);
    return is_even_;
  }
  void forget() noexcept { is_known_ = is_even_ = false; }
  bool is_even() const noexcept { return is_even_; }

  /// Whether the opener wants to know how the loop went, of which this is member `index`. Once is enough.
  bool is_asked(std::uint32_t index) noexcept { return std::exchange(is_known_, false) && index == 0; }
  std::uint32_t loop() const noexcept { return loop_; }
  EvenShare share(const core::Counts& counts) const noexcept {
    return {share_, static_cast<float>(counts.iterations), EvenShare::to_float(counts.busy_ticks), is_even_};
  }

private:
  /// Others are for comparisons.
  static bool is_usual(const core::Settings& settings) noexcept {
    return settings.history && settings.batch == core::BatchMode::timed &&
           settings.strategy == core::Strategy::find_max && settings.roots == 0;
  }

  bool is_known_ = false; // the opener remembers such loops
  bool is_even_ = false;
  std::uint32_t loop_ = 0;
  float share_ = 0; // iterations for each member
};

} // namespace wstree::loop
