// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often a member has come to a loop that is remembered.
#pragma once

#include "wstree/core/platform.h"

#include <atomic>
#include <cstdint>

namespace wstree::loop {

/// Of one member: measured executions in which it has found the loop's record. Zeroed memory is a valid one.
template <class P> class alignas(core::k_line_pair) Visits {
public:
  // [H2] relaxed: only its member adds, and the planner looks when that member has left the loop (T2, or the
  //      join of the region). Guard: none is possible, as for other costs; unit tests of LoopRecord hold that
  //      a member that does not come is missed.
  void add() noexcept { count_.store(count() + 1, P::order(core::Tag::add_cost, std::memory_order_relaxed)); }
  std::uint64_t count() const noexcept {
    return count_.load(P::order(core::Tag::add_cost, std::memory_order_relaxed));
  }

private:
  typename P::template Atomic<std::uint64_t> count_{0};
};

} // namespace wstree::loop
