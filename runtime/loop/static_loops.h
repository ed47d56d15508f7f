// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member's way through the static loops of a region.
#pragma once

#include "balanced_region.h"

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::loop {

/// A member's view of the static loops of its region.
template <class P> class StaticLoops {
public:
  StaticLoops() noexcept = default;
  explicit StaticLoops(BalancedRegion<P>* region) noexcept : region_(region) {}

  BalancedRegion<P>* region() const noexcept { return region_; }
  bool in_loop() const noexcept { return entry_ != nullptr; }
  void enter(StaticAccount::Entry* entry) noexcept {
    entry_ = entry;
    entered_ = P::ticks();
  }
  /// Returns the iterations of the loop that the member is in.
  std::uint64_t iterations() const noexcept { return entry_->iterations; }
  /// Leaves the loop, and returns the clock.
  std::uint64_t leave() noexcept {
    const std::uint64_t now = P::ticks();
    entry_->ticks += core::elapsed(entered_, now);
    ++entry_->loops;
    entry_ = nullptr;
    return now;
  }
  /// Returns the clock at the member's entry into the latest loop.
  std::uint64_t entered() const noexcept { return entered_; }
  /// The loop has been cancelled: its time means nothing.
  void spoil() noexcept { entry_ = nullptr; }

private:
  BalancedRegion<P>* region_ = nullptr;
  StaticAccount::Entry* entry_ = nullptr;
  std::uint64_t entered_; // the loop of `entry_`
};

} // namespace wstree::loop
