// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The many loops of one region (a program whose time steps are inside of it): in which way they take least
// time.
#pragma once

#include "way_choice.h"

#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace wstree::loop {

/// Member 0 looks at the clock after every few loops. All that lies between is in that time, whichever way
/// they go. Private to member 0, which is the opener. Zeroed memory is a valid state.
class Steps {
public:
  Steps() = default;
  explicit Steps(Way preferred) noexcept : choice_(preferred) {}

  /// The region opens, or its loops go another way from number `first` on.
  void begin(std::uint64_t first) noexcept {
    first_ = first;
    largest_ = 0;
  }
  Way way() const noexcept { return choice_.way(); }
  /// Size of the largest loops that were brief.
  unsigned largest() const noexcept { return known_; }

  /// Member 0 is about to start loop number `next`, of `size`. Returns whether there is something new: then
  /// `ticks()` was asked.
  template <class Ticks>
  bool meet(std::uint64_t next, unsigned size, std::uint32_t members, const core::Settings& settings,
            Ticks&& ticks) noexcept {
    if (next < first_) return false; // these go the way of before
    const std::uint64_t done = next - first_;
    if (done % core::tuning::k_steps == 0) {
      const std::uint64_t now = ticks();
      const std::uint64_t took = now - since_;
      since_ = now;
      if (done != 0) {
        judge(static_cast<float>(took) / static_cast<float>(core::tuning::k_steps), members, settings);
        largest_ = std::max(largest_, size);
        return true;
      }
    }
    largest_ = std::max(largest_, size);
    return false;
  }

private:
  void judge(float each, std::uint32_t members, const core::Settings& settings) noexcept {
    const unsigned largest = std::exchange(largest_, 0);
    const unsigned before = known_;
    if (each > core::tuning::k_even_brief * static_cast<float>(settings.shortest_target)) {
      known_ = 0;
      return;
    }
    known_ = std::max(known_, largest);
    // Those that were larger have gone to the tree. How much of the time is work nobody knows, and so nobody
    // is to be alone with it.
    if (largest <= before || choice_.way() == Way::tree) choice_.judge({each, 0}, members, false);
  }

  WayChoice choice_;
  std::uint64_t first_ = 0; // number of the loop from which on the choice holds
  std::uint64_t since_ = 0; // ticks
  unsigned largest_ = 0;
  unsigned known_ = 0;
};

} // namespace wstree::loop
