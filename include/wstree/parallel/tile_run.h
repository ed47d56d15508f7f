// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes tiles in ascending order on a team, until the first event in the order of elements ends the call.
#pragma once

#include "wstree/parallel/call.h"
#include "wstree/parallel/inline_start.h"
#include "wstree/parallel/tiling.h"

#include <atomic>
#include <cstddef>
#include <exception>
#include <utility>

#if defined(__cpp_exceptions)
#define WSTREE_TRY try
#define WSTREE_CATCH_ALL catch (...)
#else
#define WSTREE_TRY if constexpr (true)
#define WSTREE_CATCH_ALL else
#endif

namespace wstree {
inline namespace v1 {
namespace detail {

/// The event that ends a call, a hit or an exception: that of the lowest tile wins. Tiles behind it are given
/// up, tiles before it go on, and because tiles are handed out in ascending order each of those is either
/// done or being executed. So the outcome is that of a sequential call.
class Verdict {
public:
  static constexpr std::size_t k_none = ~std::size_t{0};

  /// True if nobody needs the tile any more.
  bool is_beyond(std::size_t tile) const noexcept {
    // relaxed: only advice to end early. What an event left behind is read after the region has joined its
    // members. A value that is too high costs work, and tests cannot see it.
    return bound_.load(std::memory_order_relaxed) < tile;
  }

  /// True if the caller's event is the first so far; it then calls settle() after it has written its outcome.
  bool begin(std::size_t tile) noexcept {
    // acquire: the outcome of an earlier event is overwritten only after it was written; pairs with the
    // release
    //          in settle(). Guard: none on x86, which orders the two anyway.
    while (lock_.test_and_set(std::memory_order_acquire)) {
    }
    if (tile < bound_.load(std::memory_order_relaxed)) { // written under the lock only
      bound_.store(tile, std::memory_order_relaxed);
      return true;
    }
    settle();
    return false;
  }
  void settle() noexcept { lock_.clear(std::memory_order_release); } // see begin()

  /// No tile is needed any more: the caller of the algorithm has asked to stop.
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

  /// After the region: throws what ended the call, unless that was a result.
  void finish() {
#if defined(__cpp_exceptions)
    if (exception_ != nullptr) std::rethrow_exception(std::exchange(exception_, nullptr));
#endif
    if (cancelled_) throw_cancelled();
  }

private:
  std::atomic<std::size_t> bound_{k_none};
  std::atomic_flag lock_{};
  bool cancelled_ = false;
  std::exception_ptr exception_;
};

/// Lets each member of a team make a body and call it with one tile after another, then finish() until that
/// returns false, whatever happened before. current() is the tile that an exception of theirs belongs to.
template <class Policy, class Make>
void run_tiles(const Policy& policy, const Tiling& tiling, Verdict& verdict, Make make) {
  std::atomic<std::size_t> next{0};
  Observed call(policy, tiling.elements());
  on_team(policy, call, [&](unsigned member, unsigned members) {
    ObservedTiles observed(call, member, members);
    auto body = make();
    const auto guarded = [&](auto&& step) {
      WSTREE_TRY { return step(); }
      WSTREE_CATCH_ALL { verdict.fail(body.current()); }
      return false;
    };
    while (guarded([&] {
      // relaxed: the number alone says what to do; all else was written before the region began.
      const std::size_t tile = next.fetch_add(1, std::memory_order_relaxed);
      if (tile >= tiling.tiles() || verdict.is_beyond(tile)) return false;
      if (policy.stop_requested()) {
        verdict.cancel();
        return false;
      }
      const auto at = tiling[tile];
      return observed.run(at.end - at.begin, [&] {
        body(at);
        return true;
      });
    })) {
    }
    while (guarded([&] { return body.finish(); })) {
    }
  });
}

} // namespace detail
} // namespace v1
} // namespace wstree
