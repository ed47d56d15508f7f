// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A deque of pieces of work, for the peers that split loops recursively: its owner adds and takes at the
// young end, thieves take the oldest. As oneTBB's arena slots and Cilk's ready deques: an owner takes without
// a lock while there is more than one, thieves lock.
//
// Shared memory: thieves write the lock and the old end, which share a line, the owner writes the young end,
// each piece has a line of its own that its maker writes and its thief reads. Left out: deques that grow.
#pragma once

#include "wstree/core/platform.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace wstree::simulate {

/// For virtual time only, see central.h.
template <class P, class Item> class StealDeque {
public:
  /// Adds an item; returns false if the deque is full. Called by the owner, like take().
  bool add(Item* item) noexcept {
    const std::int64_t young = young_.load(std::memory_order_relaxed);
    if (young - k_room >= old_seen_) {
      old_seen_ = old_.load(std::memory_order_relaxed);
      if (young - k_room >= old_seen_) return false;
    }
    at(young).store(item, std::memory_order_relaxed);
    young_.store(young + 1, std::memory_order_release);
    if (lock_.load(std::memory_order_relaxed) == k_empty) lock_.store(k_open, std::memory_order_release);
    return true;
  }

  /// Takes the youngest item, or returns nullptr. After nullptr no thief is in the deque until the owner adds
  /// an item.
  Item* take() noexcept {
    if (lock_.load(std::memory_order_relaxed) == k_empty) return nullptr;
    const std::int64_t young = young_.fetch_sub(1, std::memory_order_seq_cst) - 1;
    if (old_.load(std::memory_order_acquire) <= young) return at(young).load(std::memory_order_relaxed);
    lock(); // a thief may be after the same one
    Item* const item =
        old_.load(std::memory_order_relaxed) <= young ? at(young).load(std::memory_order_relaxed) : nullptr;
    old_.store(0, std::memory_order_relaxed);
    young_.store(0, std::memory_order_relaxed);
    old_seen_ = 0;
    lock_.store(k_empty, std::memory_order_release);
    return item;
  }

  /// Returns whether a thief may find work, as far as it can see without the lock.
  bool has_some() const noexcept {
    return old_.load(std::memory_order_relaxed) < young_.load(std::memory_order_relaxed);
  }
  /// Takes the oldest; nullptr if there is none, or another member has the lock and the thief is not
  /// `patient`. Calls `taken(item)` before the owner can find the item gone.
  template <class Taken> Item* steal(bool patient, const Taken& taken) noexcept {
    if (!lock(patient)) return nullptr;
    Item* item = nullptr;
    const std::int64_t old = old_.fetch_add(1, std::memory_order_seq_cst);
    if (old < young_.load(std::memory_order_acquire)) {
      item = at(old).load(std::memory_order_relaxed);
      taken(*item);
    } else {
      old_.store(old, std::memory_order_relaxed);
    }
    lock_.store(k_open, std::memory_order_release);
    return item;
  }

private:
  static constexpr std::int64_t k_room = 256;
  static constexpr std::uint32_t k_longest_wait = 16; // pauses
  static constexpr std::uint32_t k_empty = 0, k_open = 1, k_locked = 2;

  /// Locks the deque. Returns false if it is empty, or if another member has the lock and the caller is
  /// not `patient`.
  bool lock(bool patient = true) noexcept {
    for (std::uint32_t pauses = 1;; pauses = std::min(2 * pauses, k_longest_wait)) {
      std::uint32_t seen = lock_.load(std::memory_order_relaxed);
      if (seen == k_empty) return false;
      if (seen == k_open &&
          lock_.compare_exchange_strong(seen, k_locked, std::memory_order_seq_cst, std::memory_order_seq_cst))
        return true;
      if (!patient) return false;
      for (std::uint32_t i = 0; i < pauses; ++i) P::relax();
    }
  }
  typename P::template Atomic<Item*>& at(std::int64_t place) noexcept {
    return items_[static_cast<std::size_t>(place % k_room)];
  }

  alignas(core::k_line_pair) typename P::template Atomic<std::uint32_t> lock_{k_empty};
  typename P::template Atomic<std::int64_t> old_{0};                              // number of the oldest item
  alignas(core::k_line_pair) typename P::template Atomic<std::int64_t> young_{0}; // behind the youngest
  std::int64_t old_seen_ = 0;                                                     // by the owner
  alignas(core::k_line_pair) std::array<typename P::template Atomic<Item*>, k_room> items_{};
};

/// Objects of one member that come and go. They never move, so that it is the same in each run which of them
/// share a line: none.
template <class T> class Store {
public:
  T* get() {
    if (free_.empty()) return &all_.emplace_back();
    T* const item = free_.back();
    free_.pop_back();
    return item;
  }
  void give_back(T* item) { free_.push_back(item); }

private:
  std::deque<T> all_;
  std::vector<T*> free_;
};

/// The shared state of a team whose members steal tasks from each other: a Member of each, and whether the
/// loop has ended.
template <class P, class Member> class TaskLoop {
public:
  explicit TaskLoop(std::uint32_t members) : members_(std::make_unique<Member[]>(members)) {}
  Member& operator[](std::uint32_t member) noexcept { return members_[member]; }
  void end(std::uint64_t loop) noexcept { ended_.store(loop, std::memory_order_release); }
  bool has_ended(std::uint64_t loop) const noexcept { return ended_.load(std::memory_order_acquire) == loop; }

private:
  std::unique_ptr<Member[]> members_;
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> ended_{0}; // the latest loop that has
};

} // namespace wstree::simulate
