// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A work-stealing queue whose thieves take a lock, and whose owner does so only when it may meet one.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/queue/item.h"
#include "wstree/core/queue/item_array.h"
#include "wstree/core/queue/owner_line.h"
#include "wstree/core/tuning.h"

#include <cstddef>
#include <cstdint>

namespace wstree::core {

/// Duffy, "Building a custom thread pool (series, part 2): a work stealing queue" (2008): LocalPush, LocalPop
/// and TrySteal. The changes, and their reasons:
///
/// - Indices have 64 bits. They never wrap, so with 32 the queue is dead after 2^31 pushes.
/// - Growth keeps the indices. Setting head to 0 and then tail to the count is two writes, and between them
///   the queue looks empty, or longer than it is, to members that look without the lock.
/// - A volatile access of C# is an acquire or a release. In C++ it is neither, and the array would be a data
///   race; here the order stands beside each access. XCHG is a seq_cst store: the same instruction on x86-64.
/// - LocalPop asks without the lock whether the queue is empty. A thief that is about to find nothing moves
///   head for a moment, and moves it back; if the owner pushes an item meanwhile and wants it back, LocalPop
///   answers that there is none. Here the owner asks again with the lock, because it leaves the loop when its
///   queue is empty, and the item would be lost.
/// - push() says when there is no memory; `new` throws out of LocalPush.
/// - A thief waits for the lock for a while only: a suspended thread may hold it, and the owner will come to
///   the items in the queue.
///
/// A thread that is suspended while it holds the lock stops the owner when it comes to the last item:
/// LockFreeQueue is there for that. Zeroed memory is a valid, empty queue.
template <class P, std::size_t k_initial> class DuffyQueue : public OwnerLine<P> {
public:
  /// Empties the queue for the execution `loop`. Only the owner, and only when all members have left the loop
  /// that used it before.
  void reset(std::uint64_t loop) noexcept {
    head_.store(0, std::memory_order_relaxed); // published by Q1
    tail_.store(0, std::memory_order_relaxed); // likewise
    this->open(loop);
  }

  /// LocalPush: pushes `item`. Returns false if there is no memory; the queue is then as it was. Only
  /// the owner.
  bool push(std::uint64_t item) noexcept {
    const std::int64_t tail = own_tail();
    if (tail >= head_for_room() + items_.capacity() - 1) {
      const Locked locked(*this);
      const std::int64_t head = head_.load(std::memory_order_relaxed); // the lock orders it
      if (tail - head >= items_.capacity() - 1 && !items_.grow(head, tail)) return false;
    }
    items_.write(tail, item);
    // [L3] release: the item is there before a thief can count it; pairs with L7. Guard: model_queue_lock (a
    //      thief takes what stood in the slot before).
    tail_.store(tail + 1, P::order(Tag::publish_locked, std::memory_order_release));
    return true;
  }

  /// LocalPop: takes the newest item. Returns false if the queue is empty. Only the owner.
  bool pop(std::uint64_t& item) noexcept {
    const std::int64_t tail = own_tail() - 1;
    // Q5, because the queue is read again.
    if (head_.load(P::order(Tag::look, std::memory_order_relaxed)) > tail) return pop_locked(tail, item);
    // [L4] seq_cst, as are L5 to L7: the owner says which item it wants and then looks whether a thief wants
    //      it too; a thief moves head and then looks at tail. One of them has to see the other. Guard:
    //      model_queue_lock (owner and thief get the same item).
    tail_.store(tail, P::order(Tag::lower_tail, std::memory_order_seq_cst));
    // [L5] seq_cst: see L4.
    if (head_.load(P::order(Tag::owner_reads_head, std::memory_order_seq_cst)) > tail)
      return pop_locked(tail, item);
    item = items_.read(tail);
    return true;
  }

  /// TrySteal: takes the oldest item. Any member but the owner. `patient`: waits for the lock for a while.
  Theft steal(std::uint64_t& item, bool patient) noexcept {
    if (!lock_within(patient ? tuning::k_lock_patience : 1)) return Theft::lost_race;
    const std::int64_t head = head_.load(std::memory_order_relaxed); // the lock orders it
    // [L6] seq_cst: see L4; it is also the release for L2.
    head_.store(head + 1, P::order(Tag::raise_head, std::memory_order_seq_cst));
    // [L7] seq_cst: see L4; and acquire, with L3, for the item.
    const bool mine = head < tail_.load(P::order(Tag::thief_reads_tail, std::memory_order_seq_cst));
    if (mine)
      item = items_.read(head); // push() leaves the slot before head alone
    else
      // [L9] release: carries on what earlier thieves have read, for L2. Guard: as for Q6.
      head_.store(head, P::order(Tag::restore_head, std::memory_order_release));
    unlock();
    return mine ? Theft::taken : Theft::empty;
  }

  /// Returns true if a thief would find no item. A hint.
  bool looks_empty() const noexcept {
    const std::int64_t head = head_.load(P::order(Tag::look, std::memory_order_relaxed)); // Q5
    return head >= tail_.load(P::order(Tag::look, std::memory_order_relaxed));            // Q5
  }

  /// Returns the number of items that a thief would find. A hint.
  std::size_t seen_size() const noexcept {
    const std::int64_t head = head_.load(P::order(Tag::look, std::memory_order_relaxed)); // Q5
    const std::int64_t tail = tail_.load(P::order(Tag::look, std::memory_order_relaxed)); // Q5
    return head < tail ? static_cast<std::size_t>(tail - head) : 0;
  }

  /// Reads the items at both ends. Returns false if the queue is empty, or the owner has to call pop(). Only
  /// the owner.
  bool look(std::uint64_t& oldest, std::uint64_t& newest) const noexcept {
    const std::int64_t head = head_.load(P::order(Tag::look, std::memory_order_relaxed)); // Q5
    const std::int64_t tail = own_tail();
    if (head >= tail) return false;
    oldest = items_.read(head);
    newest = items_.read(tail - 1);
    return true;
  }

  /// Calls `visit(item)` for each item. While no other thread uses the queue.
  template <class Visit> void each(Visit&& visit) const noexcept {
    const std::int64_t tail = own_tail();
    for (std::int64_t i = head_.load(P::order(Tag::look, std::memory_order_relaxed)); i < tail; ++i) // Q5
      visit(items_.read(i));
  }

private:
  class Locked {
  public:
    explicit Locked(DuffyQueue& queue) noexcept : queue_(queue) { queue_.lock(); }
    ~Locked() { queue_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

  private:
    DuffyQueue& queue_;
  };

  std::int64_t own_tail() const noexcept {
    return tail_.load(std::memory_order_relaxed); // only the owner changes it
  }

  std::int64_t head_for_room() const noexcept {
    // [L2] acquire: one slot stays free, as the latest thief may still be reading it. A later thief
    //      has had the lock after that one, so with its head the reading is over; pairs with L6 and L9.
    //      Guard: as for Q6.
    return head_.load(P::order(Tag::find_room_locked, std::memory_order_acquire));
  }

  /// Does the rest of LocalPop: no thief is at work while it decides. `tail`: of the newest item.
  [[gnu::noinline]] bool pop_locked(std::int64_t tail, std::uint64_t& item) noexcept {
    const Locked locked(*this);
    const bool mine = head_.load(std::memory_order_relaxed) <= tail; // the lock orders it
    if (mine) item = items_.read(tail);
    // [L8] relaxed: every later thief has the lock after us.
    tail_.store(mine ? tail : tail + 1, P::order(Tag::restore_tail, std::memory_order_relaxed));
    return mine;
  }

  bool try_lock() noexcept {
    std::uint32_t free = 0;
    // [L1] acquire: what the previous holder of the lock did; pairs with the release in unlock(). Guard:
    //      model_queue_lock (two thieves with one head).
    return lock_.load(P::order(Tag::look, std::memory_order_relaxed)) == 0 && // Q5
           lock_.compare_exchange_strong(free, 1, P::order(Tag::lock_queue, std::memory_order_acquire),
                                         P::order(Tag::lock_queue, std::memory_order_relaxed));
  }
  void lock() noexcept {
    while (!lock_within(tuning::k_lock_patience)) P::yield();
  }
  /// Takes the lock. Returns false if another thread held it during all `tries`.
  bool lock_within(std::uint32_t tries) noexcept {
    for (std::uint32_t failed = 0; !try_lock();) {
      if (++failed == tries) return false;
      if (failed <= tuning::k_lock_spins)
        P::relax();
      else
        P::yield();
    }
    return true;
  }
  void unlock() noexcept { lock_.store(0, P::order(Tag::lock_queue, std::memory_order_release)); } // L1

  typename P::template Atomic<std::int64_t> tail_{0};
  ItemArray<P, k_initial> items_;
  alignas(k_line_pair) typename P::template Atomic<std::int64_t> head_{0}; // written by thieves
  typename P::template Atomic<std::uint32_t> lock_{0};
};

/// As LockFreeQueue: it does not grow in a loop.
template <class P> using LockedQueue = DuffyQueue<P, 32>;

} // namespace wstree::core
