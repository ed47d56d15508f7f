// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iteration n-1, which models that steal hand out apart from the other iterations.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::core {

/// Compilers copy lastprivate variables out of the private copy of the thread that was told "last", after the
/// loop: that thread must not get another piece. The member that claims the iteration retires from the loop.
template <class P> class LastTaken {
public:
  /// Returns true to one member in the execution `loop`.
  bool claim(std::uint64_t loop) noexcept {
    // [W1] success release, load and failure acquire: a member of the tree that frees its node to run the
    //      iteration has done so before other members see that the iteration is taken. The read-modify-write
    //      decides which member gets it. Numbers of loops only grow, so a value that is not ours is older.
    //      Guard: model_tree early_last and find_max_2x4 (a plain store makes two lasts).
    std::uint64_t seen = loop_.load(P::order(Tag::take_last, std::memory_order_acquire));
    return seen != loop &&
           loop_.compare_exchange_strong(seen, loop, P::order(Tag::take_last, std::memory_order_release),
                                         P::order(Tag::take_last, std::memory_order_acquire));
  }
  bool is_taken(std::uint64_t loop) const noexcept {
    // [W1] relaxed: a member that acts on it claims the iteration.
    return loop_.load(P::order(Tag::take_last, std::memory_order_relaxed)) == loop;
  }

private:
  /// Number of the loop whose last iteration was handed out most recently.
  typename P::template Atomic<std::uint64_t> loop_{0};
};

} // namespace wstree::core
