// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a node is worth to a thief.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/tree/supply.h"
#include "wstree/core/tree/tree.h"

#include <cstdint>

namespace wstree::core {

/// Estimates the time that is left in a node for anybody to take: in ticks, or in units where nobody looks at
/// the clock. 0: not worth a steal. One thief's, for one search.
template <class P> class Worth {
public:
  /// `cost`: ticks per unit that the thief has seen, 0 if it has seen none.
  Worth(const Settings& settings, const Supply<P>& supply, float cost) noexcept
      : supply_(supply), is_timed_(settings.batch == BatchMode::timed), cost_(cost),
        least_(static_cast<float>(settings.steal_cost)),
        enough_(static_cast<float>(is_timed_ ? settings.near_enough : k_near_enough_units)) {}

  float operator()(const Target<P>& target) noexcept {
    const std::uint32_t remaining = target.remaining();
    if (remaining == 0 || (supply_.is_short() && target.word.phase() == Phase::owned) ||
        (supply_.is_exhausted() && target.word.phase() == Phase::stolen))
      return 0;
    if (!is_timed_) return static_cast<float>(remaining);
    const float cost = target.cost_or(cost_);
    const float ticks = static_cast<float>(remaining) * (cost > 0 ? cost : 1.0F);
    if (!insists_ && target.word.phase() == Phase::owned && target.node->cost() > 0 && ticks < least_) {
      refused_ = true; // its owner, which is at work, has done it before a thief could begin
      return 0;
    }
    return ticks;
  }

  /// What a node has to be worth to count as work when distance matters.
  float enough() const noexcept { return enough_; }
  /// A node was refused only because of the estimate, which is of the past.
  bool has_refused() const noexcept { return refused_; }
  /// From now on the estimate refuses nothing: what was left alone should be done by now, and if it is not,
  /// the estimate was wrong.
  void insist() noexcept { insists_ = true; }
  void look_again() noexcept { refused_ = false; }

private:
  static constexpr std::uint64_t k_near_enough_units = 4;

  const Supply<P>& supply_;
  bool is_timed_;
  bool insists_ = false;
  bool refused_ = false;
  float cost_;
  float least_;
  float enough_;
};

} // namespace wstree::core
