// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The value of a node to a thief.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/supply.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <cstdint>
#include <utility>

namespace wstree::core {

/// Estimates the time that is left in a node for a thief to take: in ticks, or in units if members do not
/// read the clock. 0: there is nothing for this thief. For one search.
template <class P> class Worth {
public:
  /// `cost`: of a unit that the thief has seen, 0 if it has seen none. `least`: an owner that is at work and
  /// has less left is not robbed.
  Worth(const Settings& settings, const Supply<P>& supply, Cost cost, std::uint64_t least = 0) noexcept
      : supply_(supply), settings_(settings), cost_(cost), least_(least) {}

  std::uint64_t operator()(const Target<P>& target) noexcept {
    const std::uint32_t remaining = target.remaining();
    if (remaining == 0 || (supply_.is_short() && target.word.phase() == Phase::owned) ||
        (supply_.is_exhausted() && target.word.phase() == Phase::stolen))
      return 0;
    const Cost cost = is_timed() ? target.cost_or(cost_) : 0;
    const std::uint64_t worth = cost != 0 ? std::max<std::uint64_t>(ticks_of(cost, remaining), 1) : remaining;
    if (worth >= least_ || target.word.phase() != Phase::owned) return worth;
    refused_ = std::max(refused_, worth);
    return 0;
  }
  /// Accepts little work, too, from now on. Returns the ticks after which the work refused until now should
  /// be done; 0: none was refused.
  std::uint64_t accept_all() noexcept {
    least_ = 0;
    return std::exchange(refused_, 0);
  }

  /// Returns the value from which a node counts as work when distance matters.
  std::uint64_t enough() const noexcept {
    return is_timed() ? settings_.near_enough : tuning::k_near_enough_units;
  }

private:
  bool is_timed() const noexcept { return settings_.batch == BatchMode::timed; }

  const Supply<P>& supply_;
  const Settings& settings_;
  Cost cost_;
  std::uint64_t least_;       // for which an owner is robbed
  std::uint64_t refused_ = 0; // the most that was less
};

} // namespace wstree::core
