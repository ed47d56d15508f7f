// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The items of one member: how it cuts them, and in which order it executes the pieces.
#pragma once

#include "wstree/core/pacing.h"
#include "wstree/core/queue/item.h"

#include <cstdint>
#include <utility>

namespace wstree::core {

/// A member that gets an item longer than a batch cuts it in two, pushes the far half, and goes on with the
/// near one: an item is only cut when its owner is about to execute it, the owner goes through its share from
/// front to back, and the oldest item of a queue, which thieves take, is the longest. A queue never holds
/// more than one item per halving of a share.
///
/// Only the owner calls these; thieves go to the queue itself.
template <class P, template <class> class Queue> class OwnItems {
public:
  void enter(Queue<P>& queue, std::uint64_t loop) noexcept {
    queue_ = &queue;
    rest_ = {};
    queue.reset(loop);
  }

  /// Takes the next batch, from the newest item. Returns false if the queue is empty.
  bool take(const Pacing<P>& pacing, Item& batch) noexcept {
    std::uint64_t oldest = 0;
    std::uint64_t newest = 0;
    const bool looked = queue_->look(oldest, newest);
    if (rest_.size() != 0) [[unlikely]] {
      const Item item = std::exchange(rest_, Item{});
      batch = cut(item, pacing.size(left_behind(item, looked ? Item::of(oldest) : item)));
      return true;
    }
    if (!looked) return queue_->pop(newest) && cut_popped(Item::of(newest), pacing, batch);
    const Item expected = Item::of(newest);
    const std::uint32_t units = pacing.size(left_behind(expected, Item::of(oldest)));
    const bool cuts = expected.size() > units;
    if (cuts) begin_move();
    const bool popped = queue_->pop(newest);
    if (popped) batch = cut(Item::of(newest), units);
    if (cuts) end_move(popped);
    return popped;
  }

  /// Returns the first `units` of an item that no other member can see; pushes the rest.
  Item cut(Item item, std::uint32_t units) noexcept {
    return item.size() > units ? push_far_halves(item, units) : item;
  }

  // Around the time in which the owner has an item in its hands that thieves will see again (OwnerLine).

  void begin_move() noexcept { queue_->begin_move(); }
  void end_move(bool moved) noexcept { queue_->end_move(moved); }

private:
  /// Returns the units from `item` to the end of the oldest one in the own queue: its items follow one
  /// another, since all are pieces of the item that this member stole last. As of a moment ago: thieves may
  /// have taken some.
  static std::uint32_t left_behind(Item item, Item oldest) noexcept {
    return oldest.end > item.end ? oldest.end - item.begin : item.size();
  }

  /// Cuts the item that pop() returned after look() has seen nothing: rare, and only of the queue with
  /// the lock.
  [[gnu::noinline]] bool cut_popped(Item item, const Pacing<P>& pacing, Item& batch) noexcept {
    batch = cut(item, pacing.size(item.size()));
    return true;
  }

  /// Cuts at multiples of `units`, so that the batches have that length, all but the last of an item.
  Item push_far_halves(Item item, std::uint32_t units) noexcept {
    for (std::uint32_t batches = half_of_batches(item.size(), units); batches != 0; batches /= 2) {
      const std::uint32_t middle = item.begin + batches * units;
      if (!queue_->push(Item{middle, item.end}.word())) {
        rest_ = {item.begin + units, item.end}; // no memory: kept for this member
        return {item.begin, item.begin + units};
      }
      item.end = middle;
    }
    return item;
  }

  /// Returns the batches of `units` in the near half of `size` > `units`.
  static std::uint32_t half_of_batches(std::uint32_t size, std::uint32_t units) noexcept {
    return size - units <= units ? 1 : (size + units - 1) / units / 2; // mostly there are two: no division
  }

  Queue<P>* queue_ = nullptr;
  Item rest_; // an item for which there was no memory in the queue: only this member takes it
};

} // namespace wstree::core
