// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue owner's published state for members that search: the loop's number and the moves.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree::core {

/// Begins the cache line that the owner of a queue writes. Zeroed memory is a valid state.
template <class P> class OwnerLine {
public:
  /// Returns whether the queue has been opened for the execution `loop`. If not, its items are of an
  /// earlier loop.
  bool is_of(std::uint64_t loop) const noexcept {
    // [Q1] acquire: a member that sees the number sees the queue empty, or later; pairs with the release in
    //      open(). Guard: model_queue, two loops in one slot (a thief takes an item of the first loop).
    return loop_.load(P::order(Tag::open_queue, std::memory_order_acquire)) == loop;
  }

  /// Returns a counter that is odd while this member holds work that it is about to put into its queue; each
  /// move that brought items leaves a larger even number.
  std::uint64_t moves() const noexcept {
    // [Q2] acquire: a member that sees that a move has ended sees where it went. A hint: it decides how often
    //      a member looks again.
    return moves_.load(P::order(Tag::announce_move, std::memory_order_acquire));
  }

  // Only the owner. Nothing it does with its queue waits for these stores.

  void begin_move() noexcept {
    // Q2, relaxed: the next take has a release.
    const std::uint64_t moves = own_moves();
    moves_.store(moves + 1, P::order(Tag::announce_move, std::memory_order_relaxed));
  }
  /// `moved`: the items are in the queue. If not, the counter goes back, and no member has to look again.
  void end_move(bool moved) noexcept {
    // Q2, release: after the pushes.
    const std::uint64_t moves = own_moves();
    moves_.store(moved ? moves + 1 : moves - 1, P::order(Tag::announce_move, std::memory_order_release));
  }

protected:
  void open(std::uint64_t loop) noexcept {
    // [Q1] release: see is_of().
    loop_.store(loop, P::order(Tag::open_queue, std::memory_order_release));
  }

private:
  std::uint64_t own_moves() const noexcept { return moves_.load(std::memory_order_relaxed); } // own

  typename P::template Atomic<std::uint64_t> loop_{0};
  /// Never set back, so that it is also valid for members that have not come to this loop yet.
  typename P::template Atomic<std::uint64_t> moves_{0};
};

} // namespace wstree::core
