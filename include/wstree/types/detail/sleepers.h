// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of a pool that sleep until there is something to do, without losing a wake-up.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Futex word of one member; the thread that changes `taken` from 1 to 0 must wake it.
template <class P> struct alignas(core::k_line_pair) SleepSlot {
  typename P::template Atomic<std::uint32_t> taken{0};
};

/// A member that wants to sleep announces that, looks for work once more, and only then sleeps. A thread that
/// has made work looks afterwards for sleeping members. So at least one of the two sees the other.
///
/// A wake-up is meant for one thing to do, and the awakened member may take another thing, or leave. So it
/// then looks whether there is more to do, and if so wakes one more: a sleeper may have counted on the task
/// that was taken.
template <class P> class Sleepers {
public:
  // For a member, with its own slot.

  /// Then it looks again, and calls sleep() or cancel().
  void announce(SleepSlot<P>& slot) noexcept {
    // [B1] relaxed: B2 orders it. The read-modify-write counts. Guard: model_types sleep_2.
    sleepers_.fetch_add(1, P::order(core::Tag::count_sleeper, std::memory_order_relaxed));
    // [B4] store release, success acquire: the sleeper is counted before a waker counts it off; else the
    //      count would leave out another sleeper for a moment. The read-modify-write decides which thread
    //      does so. Guard: for the latter model_types sleep_2; none for the orders, as for Q6. Failure
    //      acquire: as B5, for cancel(). Guard: model_types sleep_2x2_cancelled_long (sleeps for ever).
    slot.taken.store(1, P::order(core::Tag::bed, std::memory_order_release));
    // [B2] seq_cst fence: first the count, then the look. Pairs with B3: if the waker's look misses the
    //      count, its fence was earlier, and what it has made is seen here. Guard: model_types sleep_1
    //      (sleeps for ever).
    P::fence(core::Tag::announce_sleep, std::memory_order_seq_cst);
  }
  /// Takes the announcement back, because there was work. Returns whether a thread has awakened the member,
  /// which hands the wake-up on.
  bool cancel(SleepSlot<P>& slot) noexcept { return !take_out(slot); }
  /// Sleeps until a thread awakens the member, which hands the wake-up on.
  void sleep(SleepSlot<P>& slot) noexcept {
    // [B5] acquire: pairs with the waker's fence (B3) in front of B4: an awakened member sees what the waker
    //      has made, unless it is taken. Guard: model_types sleep_2x2_handed_on_long (sleeps for ever).
    while (slot.taken.load(P::order(core::Tag::notice_wake, std::memory_order_acquire)) != 0)
      P::sleep(slot.taken, 1);
  }

  // For any thread.

  /// Orders the writes of new work before the look at any().
  static void order() noexcept {
    // [B3] seq_cst fence: first what there is to do, then the look at the count. Pairs with B2. Guard:
    //      model_types sleep_1 (sleeps for ever).
    P::fence(core::Tag::publish_work, std::memory_order_seq_cst);
  }
  bool any() const noexcept {
    return sleepers_.load(P::order(core::Tag::count_sleeper, std::memory_order_relaxed)) != 0; // B1
  }
  /// Wakes one of the members with the slots 0 to `slots`-1, from `first` on. If it finds none, all whose
  /// count was seen are awake again, or about to be, and will look.
  template <class SlotOf> void wake_one(std::uint32_t slots, std::uint32_t first, SlotOf&& slot_of) noexcept {
    for (std::uint32_t i = 0; i < slots; ++i) {
      const std::uint32_t at = first + i;
      if (wake(slot_of(at < slots ? at : at - slots))) return;
    }
  }
  /// Wakes the member of the slot. Returns false if it does not sleep.
  bool wake(SleepSlot<P>& slot) noexcept {
    if (slot.taken.load(P::order(core::Tag::bed, std::memory_order_relaxed)) == 0 || !take_out(slot)) // B4
      return false;
    P::wake(slot.taken, 1);
    return true;
  }

private:
  bool take_out(SleepSlot<P>& slot) noexcept {
    std::uint32_t taken = 1;
    // B4: the read-modify-write decides which thread counts the sleeper off.
    if (!slot.taken.compare_exchange_strong(taken, 0, P::order(core::Tag::bed, std::memory_order_acquire),
                                            P::order(core::Tag::bed, std::memory_order_acquire)))
      return false;
    sleepers_.fetch_sub(1, P::order(core::Tag::count_sleeper, std::memory_order_relaxed)); // B1
    return true;
  }

  alignas(core::k_line_pair) typename P::template Atomic<std::uint32_t> sleepers_{0};
};

} // namespace detail
} // namespace v1
} // namespace wstree
