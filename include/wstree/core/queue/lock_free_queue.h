// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A growing circular work-stealing deque without locks.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/queue/item.h"
#include "wstree/core/queue/item_array.h"
#include "wstree/core/queue/owner_line.h"

#include <cstddef>
#include <cstdint>

namespace wstree::core {

/// Chase and Lev, "Dynamic circular work-stealing deque" (2005), with the orders of Le, Pop, Cohen and Zappa
/// Nardelli, "Correct and efficient work-stealing for weak memory models" (2013); where they have fences
/// there are seq_cst accesses here, which cost the same on x86-64 and ARMv8 and which thread
/// sanitizers understand.
///
///     top ->  oldest | ... | newest  <- bottom
///
/// The owner pushes and pops at the bottom, thieves take from the top. I1: top only grows. I2: the item at
/// index i belongs to the member that moves top from i to i + 1, or to the owner if it lowers bottom to i and
/// top is still below i. I3: while i is in [top, bottom), the item there does not change. Zeroed memory is a
/// valid, empty queue.
template <class P, std::size_t k_initial> class ChaseLevQueue : public OwnerLine<P> {
public:
  /// Empties the queue for the execution `loop`. Only the owner, and only when all members have left the loop
  /// that used it before.
  void reset(std::uint64_t loop) noexcept {
    top_.store(0, std::memory_order_relaxed);    // published by Q1
    bottom_.store(0, std::memory_order_relaxed); // likewise
    this->open(loop);
  }

  /// Pushes `item`. Returns false if there is no memory; the queue is then as it was. Only the owner.
  bool push(std::uint64_t item) noexcept {
    const std::int64_t bottom = own_bottom();
    // [Q6] acquire: a slot is used again when a thief has moved top past it; the thief has read it before
    //      that (Q12). Guard: none in model_queue, whose loads do not see stores of their future; the
    //      language and Arm's architecture permit that.
    const std::int64_t top = top_.load(P::order(Tag::find_room, std::memory_order_acquire));
    if (bottom - top >= items_.capacity() && !items_.grow(top, bottom)) return false;
    items_.write(bottom, item);
    // [Q7] release: the item, and the array that it is in, are there before a thief can count it; pairs with
    //      Q11. Guard: model_queue (a thief takes what stood in the slot before).
    bottom_.store(bottom + 1, P::order(Tag::publish_item, std::memory_order_release));
    return true;
  }

  /// Takes the newest item. Returns false if the queue is empty. Only the owner.
  bool pop(std::uint64_t& item) noexcept {
    const std::int64_t bottom = own_bottom() - 1;
    if (top_.load(P::order(Tag::look, std::memory_order_relaxed)) > bottom) return false; // I1: for certain
    // [Q8] seq_cst, as are Q9 to Q11: the owner says which item it wants, and then looks whether thieves have
    //      come as far; a thief looks how far they have come, and then whether the owner wants that item. If
    //      the owner has seen an older top than the thief, the thief sees bottom as it is here, or later.
    //      Nothing weaker promises that: the store may wait in a buffer while the load goes ahead. Guard:
    //      model_queue (owner and thief get the same item).
    bottom_.store(bottom, P::order(Tag::lower_bottom, std::memory_order_seq_cst));
    // [Q9] seq_cst: see Q8.
    std::int64_t top = top_.load(P::order(Tag::owner_reads_top, std::memory_order_seq_cst));
    bool mine = top <= bottom;
    if (mine) item = items_.read(bottom);
    if (top < bottom) return true; // another item lies between this one and the thieves
    if (mine) {
      // [Q13] relaxed: the read-modify-write decides between the owner and a thief. Guard: model_queue (a
      //       plain store gives the item to both).
      mine =
          top_.compare_exchange_strong(top, top + 1, P::order(Tag::take_only_item, std::memory_order_relaxed),
                                       P::order(Tag::take_only_item, std::memory_order_relaxed));
    }
    // [Q14] relaxed: empty again. Top has reached this value, so it makes no item visible.
    bottom_.store(bottom + 1, P::order(Tag::restore_bottom, std::memory_order_relaxed));
    return mine;
  }

  /// Takes the oldest item. Any member but the owner. `patient`: tries until it has one or there is none.
  Theft steal(std::uint64_t& item, bool patient) noexcept {
    while (true) {
      // [Q10] seq_cst: see Q8.
      std::int64_t top = top_.load(P::order(Tag::thief_reads_top, std::memory_order_seq_cst));
      // [Q11] seq_cst: see Q8; and acquire, with Q7, for the item.
      const std::int64_t bottom = bottom_.load(P::order(Tag::thief_reads_bottom, std::memory_order_seq_cst));
      if (top >= bottom) return Theft::empty;
      item = items_.read(top); // before the index is given up: then the owner may write there again
      // [Q12] success release: the item has been read before its slot may be used again; pairs with Q6.
      //       Failure relaxed: what was read is thrown away. Guard: model_queue (a plain store gives an item
      //       to two).
      if (top_.compare_exchange_strong(top, top + 1, P::order(Tag::take_oldest, std::memory_order_release),
                                       P::order(Tag::take_oldest, std::memory_order_relaxed)))
        return Theft::taken;
      if (!patient) return Theft::lost_race;
      P::relax();
    }
  }

  /// Returns true if a thief would find no item. A hint.
  bool looks_empty() const noexcept {
    // [Q5] relaxed: hints. A member that acts on them does so through pop() or steal().
    const std::int64_t top = top_.load(P::order(Tag::look, std::memory_order_relaxed));
    return top >= bottom_.load(P::order(Tag::look, std::memory_order_relaxed));
  }

  /// Returns the number of items that a thief would find. A hint.
  std::size_t seen_size() const noexcept {
    const std::int64_t top = top_.load(P::order(Tag::look, std::memory_order_relaxed));       // Q5
    const std::int64_t bottom = bottom_.load(P::order(Tag::look, std::memory_order_relaxed)); // Q5
    return top < bottom ? static_cast<std::size_t>(bottom - top) : 0;
  }

  /// Reads the items at both ends. Returns false if the queue is empty, or the owner has to call pop(). Only
  /// the owner.
  bool look(std::uint64_t& oldest, std::uint64_t& newest) const noexcept {
    const std::int64_t top = top_.load(P::order(Tag::look, std::memory_order_relaxed)); // Q5
    const std::int64_t bottom = own_bottom();
    if (top >= bottom) return false;
    oldest = items_.read(top);
    newest = items_.read(bottom - 1);
    return true;
  }

  /// Calls `visit(item)` for each item. While no other thread uses the queue.
  template <class Visit> void each(Visit&& visit) const noexcept {
    const std::int64_t bottom = own_bottom();
    for (std::int64_t i = top_.load(P::order(Tag::look, std::memory_order_relaxed)); i < bottom; ++i) // Q5
      visit(items_.read(i));
  }

private:
  std::int64_t own_bottom() const noexcept {
    return bottom_.load(std::memory_order_relaxed); // only the owner changes it
  }

  // Signed, because bottom is below top for a moment. 64 bits last for a century of pushes.
  typename P::template Atomic<std::int64_t> bottom_{0};
  ItemArray<P, k_initial> items_;
  alignas(k_line_pair) typename P::template Atomic<std::int64_t> top_{0}; // written by thieves
};

/// As many items as halving the largest share can leave behind (worker.h), so it does not grow there.
template <class P> using LockFreeQueue = ChaseLevQueue<P, 32>;

} // namespace wstree::core
