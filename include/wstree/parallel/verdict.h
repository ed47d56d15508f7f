// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The event that ends a call: the first in the order of elements.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/parallel/inline_start.h"

#include <cstddef>
#include <exception>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The event that ends a call, a hit or an exception: that of the lowest tile wins. Tiles behind it are given
/// up, tiles before it go on, and because tiles are handed out in ascending order each of those is either
/// done or being executed. So the outcome is that of a sequential call.
template <class P> class BasicVerdict {
public:
  static constexpr std::size_t k_none = ~std::size_t{0};

  /// Returns whether the tile is not needed any more: an event in a lower tile ends the call.
  bool is_beyond(std::size_t tile) const noexcept {
    // [P2] relaxed, in begin() too: only advice to end early. The outcome of an event is read after the
    //      region has joined its members. A value that is too high costs work. In begin() the lock orders it.
    return bound_.load(P::order(core::Tag::bound_tiles, std::memory_order_relaxed)) < tile;
  }

  /// Returns whether the caller's event is the first so far; it then calls settle() after it has written
  /// its outcome.
  bool begin(std::size_t tile) noexcept {
    // [P3] update acquire, release in settle(): the outcome of an earlier event is overwritten only after it
    //      was written. The load is a hint. Guard: model_parallel verdict_2x4 (each of the orders),
    //      ordered_event_2x4 (a load and a store let two members in).
    while (locked_.exchange(true, P::order(core::Tag::settle_verdict, std::memory_order_acquire)))
      for (unsigned spins = 1; locked_.load(P::order(core::Tag::settle_verdict, std::memory_order_relaxed));
           ++spins)
        pause<P>(spins);
    if (tile < bound_.load(P::order(core::Tag::bound_tiles, std::memory_order_relaxed))) { // P2
      bound_.store(tile, P::order(core::Tag::bound_tiles, std::memory_order_relaxed));
      return true;
    }
    settle();
    return false;
  }
  void settle() noexcept {
    locked_.store(false, P::order(core::Tag::settle_verdict, std::memory_order_release)); // P3
  }

  /// Ends the call early: the caller of the algorithm has requested a stop. No tile is needed any more.
  void cancel() noexcept {
    if (!begin(0)) return;
    exception_ = nullptr, cancelled_ = true;
    settle();
  }

  /// Inside a handler.
  void fail(std::size_t tile) noexcept {
    if (!begin(tile)) return;
    exception_ = std::current_exception();
    settle();
  }
  /// Between begin() and settle(): an event that is a result takes the place of an exception behind it.
  void forget_exception() noexcept { exception_ = nullptr; }

  /// Throws the exception that ended the call, unless a result did. Called after the region.
  void finish() {
#if defined(__cpp_exceptions)
    if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
#endif
    if (cancelled_) throw_cancelled();
  }

private:
  typename P::template Atomic<std::size_t> bound_{k_none};
  typename P::template Atomic<bool> locked_{false};
  bool cancelled_ = false;
  std::exception_ptr exception_;
};

using Verdict = BasicVerdict<core::StdPlatform>;

} // namespace detail
} // namespace v1
} // namespace wstree
