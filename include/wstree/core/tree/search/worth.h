// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a node is worth to a thief.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/tree/supply.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <cstdint>

namespace wstree::core {

/// Estimates the time that is left in a node for anybody to take: in ticks, or in units where nobody looks at
/// the clock. 0: there is nothing for this thief. For one search.
template <class P> class Worth {
public:
  /// `cost`: ticks per unit that the thief has seen, 0 if it has seen none.
  Worth(const Settings& settings, const Supply<P>& supply, float cost) noexcept
      : supply_(supply), settings_(settings), cost_(cost) {}

  float operator()(const Target<P>& target) const noexcept {
    const std::uint32_t remaining = target.remaining();
    if (remaining == 0 || (supply_.is_short() && target.word.phase() == Phase::owned) ||
        (supply_.is_exhausted() && target.word.phase() == Phase::stolen))
      return 0;
    const float cost = is_timed() ? target.cost_or(cost_) : 1;
    return static_cast<float>(remaining) * (cost > 0 ? cost : 1.0F);
  }

  /// What a node has to be worth to count as work when distance matters.
  float enough() const noexcept {
    return static_cast<float>(is_timed() ? settings_.near_enough : tuning::k_near_enough_units);
  }

private:
  bool is_timed() const noexcept { return settings_.batch == BatchMode::timed; }

  const Supply<P>& supply_;
  const Settings& settings_;
  float cost_;
};

} // namespace wstree::core
