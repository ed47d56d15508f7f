// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iteration n-1, which models that steal hand out apart from the others.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::core {

/// Compilers copy lastprivate variables out of the private copy of the thread that was told "last", after the
/// loop: that thread must not get another piece. Whoever claims the iteration retires from the loop.
template <class P> class alignas(k_line_pair) LastTaken {
public:
  /// True for one member in the execution `loop`.
  bool claim(std::uint64_t loop) noexcept {
    // [W1] relaxed: who gets the iteration is decided by the read-modify-write, and no data goes with it.
    // Numbers of
    //      loops only grow, so a value that is not ours is older. Guard: core_stress (a plain store makes two
    //      lasts).
    std::uint64_t seen = loop_.load(P::order(Tag::take_last, std::memory_order_relaxed));
    return seen != loop &&
           loop_.compare_exchange_strong(seen, loop, P::order(Tag::take_last, std::memory_order_relaxed),
                                         P::order(Tag::take_last, std::memory_order_relaxed));
  }
  bool is_taken(std::uint64_t loop) const noexcept {
    return loop_.load(P::order(Tag::take_last, std::memory_order_relaxed)) == loop; // W1
  }

private:
  /// Number of the loop whose last iteration was handed out most recently.
  typename P::template Atomic<std::uint64_t> loop_{0};
};

} // namespace wstree::core
