// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that are no members of a pool and sleep until something is done.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>
#include <limits>

namespace wstree {
inline namespace v1 {
namespace detail {

/// As Sleepers, but all wake up together, because few ever wait here: a wake-up raises the number, and no
/// thread sleeps with a number that is not the present one.
template <class P> class Outsiders {
public:
  /// The number to sleep with. Then the thread looks again, calls sleep() if there is something to wait for,
  /// and leave() in any case.
  std::uint32_t announce() noexcept {
    // [E1] relaxed: B2 orders it. The read-modify-write counts. Guard: model_types outside_2x2.
    waiting_.fetch_add(1, P::order(core::Tag::count_outsider, std::memory_order_relaxed));
    // [E2] relaxed: a thread that reads a new number has its fence after that of the waker, and sees
    //      what the waker has seen done. The read-modify-write never sets the number back. Guard:
    //      model_types outside_1x3.
    const std::uint32_t number = number_.load(P::order(core::Tag::raise_number, std::memory_order_relaxed));
    P::fence(core::Tag::announce_sleep, std::memory_order_seq_cst); // B2, pairs with B3
    return number;
  }
  void sleep(std::uint32_t number) noexcept {
    while (number_.load(P::order(core::Tag::raise_number, std::memory_order_relaxed)) == number) // E2
      P::sleep(number_, number);
  }
  void leave() noexcept {
    waiting_.fetch_sub(1, P::order(core::Tag::count_outsider, std::memory_order_relaxed)); // E1
  }

  /// Returns whether a thread waits. After Sleepers::order() or announce(), where no other word shows
  /// a waiter.
  bool any() const noexcept {
    return waiting_.load(P::order(core::Tag::count_outsider, std::memory_order_relaxed)) != 0; // E1
  }
  void wake_all() noexcept {
    number_.fetch_add(1, P::order(core::Tag::raise_number, std::memory_order_relaxed)); // E2
    P::wake(number_, std::numeric_limits<std::int32_t>::max());
  }

private:
  typename P::template Atomic<std::uint32_t> waiting_{0};
  typename P::template Atomic<std::uint32_t> number_{0};
};

} // namespace detail
} // namespace v1
} // namespace wstree
