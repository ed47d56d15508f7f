// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a member gets an equal part of a loop, and what it says of the loop afterwards.
#pragma once

#include "team.h"

#include <cstdint>

namespace wstree::loop {

/// Private to its member; begins anew with each loop.
template <class P, class Sizes> class EvenMember {
public:
  /// The member is about to start its region's loop number `loop`, which would go to the tree. True, for all
  /// members alike: they get equal parts.
  bool choose(const EvenPlan* plan, std::uint64_t loop, std::uint64_t iterations, std::uint32_t members,
              const core::Settings& settings, std::uint64_t smallest) noexcept {
    plan_ = nullptr;
    is_even_ = false;
    if (plan == nullptr || loop >= EvenPlan::k_loops || smallest > 1 || !is_usual(settings)) return false;
    plan_ = plan;
    loop_ = static_cast<std::uint32_t>(loop);
    share_ = static_cast<float>(iterations) / static_cast<float>(members);
    is_brief_ = plan->is_brief(loop_, iterations, members);
    is_even_ = is_brief_ && plan->is_even(loop_);
    if (is_even_) entered_ = P::ticks();
    return is_even_;
  }
  void forget() noexcept {
    plan_ = nullptr;
    is_even_ = false;
  }
  bool is_even() const noexcept { return is_even_; }
  bool has_chosen() const noexcept { return plan_ != nullptr; }

  /// The member, number `index`, leaves the loop.
  void judge(Team<P, Sizes>& team, std::uint32_t index, const core::Counts& counts,
             const core::Settings& settings) noexcept {
    const std::uint64_t ticks = is_even_ ? P::ticks() - entered_ : counts.busy_ticks;
    const EvenShare share{share_, static_cast<float>(counts.iterations), static_cast<float>(ticks), is_even_,
                          counts.steals != 0};
    const EvenPlan& plan = *std::exchange(plan_, nullptr);
    if (index == 0) return team.note(loop_, share, settings);
    if (!is_brief_ || !plan.asks(loop_)) return;
    if (const float excess = share.excess(plan.cost[loop_], settings); excess != 0 || !share.is_whole())
      team.object(loop_, excess);
  }

private:
  /// Others are for comparisons.
  static bool is_usual(const core::Settings& settings) noexcept {
    return settings.history && settings.batch == core::BatchMode::timed &&
           settings.strategy == core::Strategy::find_max && settings.roots == 0;
  }

  const EvenPlan* plan_ = nullptr; // nullptr: nothing is decided of the loop, or said
  std::uint32_t loop_ = 0;
  float share_ = 0;
  bool is_brief_ = false;
  bool is_even_ = false;
  std::uint64_t entered_ = 0; // in ticks, of an equal part
};

} // namespace wstree::loop
