// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state that the members of one parallel region share: a ring of loop slots, because with `nowait` they
// may be in different loops.
#pragma once

#include "ring_end.h"
#include "team_storage.h"

#include "wstree/core/platform.h"

#include <algorithm>
#include <cstdint>

namespace wstree::loop {

/// Opened by the thread that forks a region, used by the region's members, closed by the same thread after
/// the join; kept for its next region, so that a region in the steady state allocates nothing.
///
/// Loops are numbered from region to region without gaps or repeats. Loop k uses slot k mod k_ring. A member
/// that starts loop k shows by that that it left all loops before k, in any way: cancellation needs no hook.
template <class P, class Sizes = UsualSizes> class Team {
public:
  using Store = Storage<P, Sizes>;
  static constexpr std::uint64_t k_ring = Sizes::k_ring;

  /// The data of an open region, equal for all members. The opener hands it to them with the rest, so that
  /// they need not fetch it from the team.
  struct Opening {
    Store* storage = nullptr;    ///< storage of earlier regions; may be too small, or none yet
    std::uint64_t base = k_ring; ///< number of the region's first loop
    std::uint64_t next =
        k_ring + 1; ///< number of the next region's first loop if this region has as many loops as the last
  };

  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() { // alone: the last region has joined
    Store::destroy(storage_.load(std::memory_order_relaxed));
  }

  /// Opens the team for a region, before the fork.
  const Opening& open() noexcept {
    // relaxed: ordered by the joins of earlier regions and by the fork.
    const std::uint64_t base = next_base_.load(std::memory_order_relaxed);
    opening_ = {storage_.load(std::memory_order_relaxed), base, base + loops_}; // likewise
    if (cleared_.are_old(base, k_ring)) [[unlikely]]
      clear_slots();
    members_ = 0;
    alone_ = false;
    ring_end_.open();
    if (absent_.load(std::memory_order_relaxed) != 0) absent_.store(0, std::memory_order_relaxed); // likewise
    return opening_;
  }
  const Opening& opening() const noexcept { return opening_; }

  /// Closes the region after the join, when no member is in a loop of this team. Returns whether there
  /// were loops.
  bool close() noexcept {
    if (alone_) return false;
    Store* store = storage_.load(std::memory_order_relaxed); // ordered by the join
    if (store == failed()) {
      store = opening_.storage;
      storage_.store(store, std::memory_order_relaxed); // another region may find memory
    }
    if (store == nullptr) {
      // In a region of loops that are not ours all members count themselves in one word. The next region
      // finds storage, with a line for each member: untouched pages, but for the line that a member writes.
      if (const std::uint32_t members = absent(); members != 0)
        storage_.store(Store::create(members, nullptr),
                       std::memory_order_relaxed); // ordered by the next fork
      return false;
    }
    const std::uint64_t told = next_base_.load(std::memory_order_relaxed); // ordered by the join
    const std::uint64_t now = std::max(told, opening_.next); // a member that wrote nothing has come so far
    if (told != opening_.base) loops_ = told - opening_.base;
    if (now != told) next_base_.store(now, std::memory_order_relaxed); // likewise
    return members_ != 0 || told != opening_.base;
  }

  /// Returns storage for at least `members` members; the same to all of them, or nullptr to all of them if
  /// there is no memory.
  [[gnu::noinline]] Store* storage(std::uint32_t members) noexcept {
    // [T3] acquire: the content of a storage is complete before its address is seen; pairs with the release
    //      below. Guard: model_team, any region.
    Store* store = storage_.load(P::order(core::Tag::grow, std::memory_order_acquire));
    if (usable(store, members)) return store;
    while (store != failed() && !usable(store, members)) {
      Store* larger = Store::create(members, store);
      // [T3] success release: publishes the new storage, or that there is none. failure acquire: we go on to
      //      read what another member published. Guard: model_team growth_2 (each of the orders; a plain
      //      store gives two members different storages); team_growth under a thread sanitizer.
      if (storage_.compare_exchange_strong(store, larger != nullptr ? larger : failed(),
                                           P::order(core::Tag::grow, std::memory_order_release),
                                           P::order(core::Tag::grow, std::memory_order_acquire))) {
        return larger;
      }
      Store::discard(larger);
    }
    return store == failed() ? nullptr : store;
  }

  /// Returns the storage that another member has made; nullptr if there is none.
  Store* existing_storage(std::uint32_t members) noexcept {
    Store* store = storage_.load(P::order(core::Tag::grow, std::memory_order_acquire)); // T3
    return usable(store, members) ? store : nullptr;
  }

  std::uint64_t base() const noexcept { return opening_.base; }

  static bool usable(const Store* store, std::uint32_t members) noexcept {
    return store != nullptr && store != failed() && store->capacity() >= members;
  }

  /// Counts a member that leaves the region before any member has made storage, in which it would note that.
  void note_absent() noexcept {
    // [T6] relaxed: a member that left has read nothing of ours; the count only ends a wait. Guard:
    //      model_team absent_twice_3x3 (a plain store loses one, and members wait for ever); team_absent.
    absent_.fetch_add(1, P::order(core::Tag::absent, std::memory_order_relaxed));
  }
  std::uint32_t absent() const noexcept {
    return absent_.load(P::order(core::Tag::absent, std::memory_order_relaxed)); // T6
  }
  /// Returns the same to a member that looks whether a slot is free.
  std::uint32_t absent_by_now() const noexcept {
    return absent_.load(P::order(core::Tag::end_ring, std::memory_order_seq_cst)); // T7
  }
  RingEnd<P>& ring_end() noexcept { return ring_end_; }

  /// Notes that a member that leaves the region has started loops up to and including `loop`. Called only if
  /// Opening::next expects another number: as long as regions have as many loops as the regions before, the
  /// members write nothing that other members read.
  void reached(std::uint64_t loop) noexcept {
    std::uint64_t known = next_base_.load(P::order(core::Tag::next_base, std::memory_order_relaxed));
    // [T4] relaxed: read only by open(), after the join has ordered all of these. The loop makes it a
    //      maximum. Guard: model_team departs_apart_3x4 (a plain store lets numbers of loops come again).
    while (known <= loop && !next_base_.compare_exchange_weak(
                                known, loop + 1, P::order(core::Tag::next_base, std::memory_order_relaxed),
                                P::order(core::Tag::next_base, std::memory_order_relaxed))) {
    }
  }

  /// Returns whether a member has left the open region after an unexpected number of loops, or before there
  /// was storage.
  bool may_have_departures() const noexcept {
    return absent() != 0 ||
           next_base_.load(P::order(core::Tag::next_base, std::memory_order_relaxed)) != opening_.base; // T4
  }

  /// Notes a region of one member, which is the thread that calls close(): it takes no numbers.
  void note_alone() noexcept { alone_ = true; }

  /// Notes the size of the team; called by member 0, which is the thread that calls close().
  void set_members(std::uint32_t members) noexcept { members_ = members; }

  Team* next = nullptr; ///< in the list of unused teams

private:
  /// The opener's part in keeping marks young (core/marks.h).
  [[gnu::noinline]] void clear_slots() noexcept {
    if (opening_.storage != nullptr && opening_.storage != failed()) opening_.storage->clear_slots();
  }

  static Store* failed() noexcept { return reinterpret_cast<Store*>(std::uintptr_t{1}); }

  // Constant while a region is open; the first use of every slot has number 1.
  Opening opening_;
  typename P::template Atomic<Store*> storage_{nullptr};
  // Private to the forking thread.
  std::uint64_t loops_ = 1; // loops of the latest region, or loop numbers that it has used up: at least one
  core::ClearedSlots<P> cleared_;
  std::uint32_t members_ = 0;
  bool alone_ = false; // the region has one member
  // Written by members that leave a region.
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> next_base_{k_ring};
  typename P::template Atomic<std::uint32_t> absent_{0};
  RingEnd<P> ring_end_;
};

} // namespace wstree::loop
