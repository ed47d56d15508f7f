// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members of a pool that sleep until there is something to do, without losing a wake-up.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Where one member sleeps: whoever takes it out of its bed wakes it.
template <class P> struct alignas(core::k_line_pair) Bed {
  typename P::template Atomic<std::uint32_t> taken{0};
};

/// Who wants to sleep says so, looks once more whether there is something to do, and only then sleeps. Who
/// has made something to do looks afterwards whether somebody sleeps. One of the two sees the other.
///
/// A wake-up is meant for one thing to do, and whoever is awakened may take another one, or leave. So it then
/// looks whether there is more to do, and if so wakes one more: a sleeper may have counted on what was taken.
template <class P> class Sleepers {
public:
  // Of a member, with its own bed.

  /// Then it looks again, and calls sleep() or cancel().
  void announce(Bed<P>& bed) noexcept {
    // [B1] relaxed: B2 orders it. The read-modify-write counts. Guard: model_types sleep_2.
    sleepers_.fetch_add(1, P::order(core::Tag::count_sleeper, std::memory_order_relaxed));
    // [B4] store release, success acquire: the sleeper is counted before somebody counts it off; else the
    // count
    //      would leave out another one for a moment. The read-modify-write decides who does so. Guard: for
    //      the latter model_types sleep_2; none for the orders, as for Q6.
    //      failure acquire: as B5, for cancel(). Guard: model_types sleep_2x2_cancelled_long (sleeps for
    //      ever).
    bed.taken.store(1, P::order(core::Tag::bed, std::memory_order_release));
    // [B2] seq_cst fence: first the count, then the look. Pairs with B3: if the waker's look misses the
    // count,
    //      its fence was earlier, and what it has made is seen here. Guard: model_types sleep_1 (sleeps for
    //      ever).
    P::fence(core::Tag::announce_sleep, std::memory_order_seq_cst);
  }
  /// There was something to do. True: somebody has awakened the member; it hands the wake-up on.
  bool cancel(Bed<P>& bed) noexcept { return !take_out(bed); }
  /// Until somebody awakens the member, which hands the wake-up on.
  void sleep(Bed<P>& bed) noexcept {
    // [B5] acquire: pairs with the waker's fence (B3) in front of B4: who is awakened sees what the waker has
    //      made, unless it is taken. Guard: model_types sleep_2x2_handed_on_long (sleeps for ever).
    while (bed.taken.load(P::order(core::Tag::notice_wake, std::memory_order_acquire)) != 0)
      P::sleep(bed.taken, 1);
  }

  // Of anybody.

  /// Between what there is to do and any().
  static void order() noexcept {
    // [B3] seq_cst fence: first what there is to do, then the look at the count. Pairs with B2. Guard:
    //      model_types sleep_1 (sleeps for ever).
    P::fence(core::Tag::publish_work, std::memory_order_seq_cst);
  }
  bool any() const noexcept {
    return sleepers_.load(P::order(core::Tag::count_sleeper, std::memory_order_relaxed)) != 0; // B1
  }
  /// One of those in the beds 0 to `beds`-1, from `first` on. None: all whose count was seen are awake again,
  /// or about to be, and will look.
  template <class BedOf> void wake_one(std::uint32_t beds, std::uint32_t first, BedOf&& bed_of) noexcept {
    for (std::uint32_t i = 0; i < beds; ++i) {
      const std::uint32_t at = first + i;
      if (wake(bed_of(at < beds ? at : at - beds))) return;
    }
  }
  /// False: it does not sleep.
  bool wake(Bed<P>& bed) noexcept {
    if (bed.taken.load(P::order(core::Tag::bed, std::memory_order_relaxed)) == 0 || !take_out(bed)) // B4
      return false;
    P::wake(bed.taken, 1);
    return true;
  }

private:
  bool take_out(Bed<P>& bed) noexcept {
    std::uint32_t taken = 1;
    // B4: the read-modify-write decides who counts the sleeper off.
    if (!bed.taken.compare_exchange_strong(taken, 0, P::order(core::Tag::bed, std::memory_order_acquire),
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
