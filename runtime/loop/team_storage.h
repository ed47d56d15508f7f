// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory behind a team: for every slot of the ring one tree, and for every member its roots, arenas and
// position.
#pragma once

#include "wstree/core/arena.h"
#include "wstree/core/tree.h"
#include "wstree/core/worker.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace wstree::loop {

using core::Word;

/// Loops that a member may be ahead of the slowest one (a power of two).
inline constexpr std::uint64_t k_ring = 8;

/// What a member did in a loop, for whoever leaves it last.
struct alignas(core::k_line_pair) Account {
  core::Counts counts;
  std::uint64_t entered = 0;
  std::uint64_t left = 0;
};

template <class P> struct Slot {
  core::Tree<P> tree;
  /// Members that left the present loop: | loop:48 | count:16 |. Used only when loops are measured.
  alignas(core::k_line_pair) typename P::template Atomic<std::uint64_t> leavers{0};
};

/// One line pair per member: where it is.
template <class P> struct alignas(core::k_line_pair) Line {
  /// | number of the loop that the member started last:63 | it has left the region:1 |
  typename P::template Atomic<std::uint64_t> position{0};
};

/// Arrays for `capacity` members in one block. Zeroed memory is a valid state of everything in it, so only
/// what is used is ever written: several members may make one for the same team at the same time, and all but
/// one are given back.
template <class P> class alignas(core::k_line_pair) Storage {
public:
  using Node = core::Node<P>;

  /// nullptr if there is no memory. `previous` (may be null) is kept until this storage dies, because members
  /// may still be about to look at its capacity.
  static Storage* create(std::uint32_t members, Storage* previous) noexcept {
    const std::uint32_t capacity = std::bit_ceil(members);
    const Layout layout(capacity);
    void* memory = P::allocate(layout.bytes);
    return memory == nullptr ? nullptr : ::new (memory) Storage(capacity, layout, previous);
  }

  static void destroy_one(Storage* storage) noexcept {
    if (storage == nullptr) return;
    const std::size_t bytes = Layout(storage->capacity_).bytes;
    storage->~Storage();
    P::release(storage, bytes);
  }

  /// The storage and all that it replaced.
  static void destroy(Storage* storage) noexcept {
    while (storage != nullptr) {
      Storage* previous = storage->previous_;
      destroy_one(storage);
      storage = previous;
    }
  }

  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::uint32_t capacity() const noexcept { return capacity_; }
  Slot<P>& slot(std::uint64_t loop) noexcept { return slots_[loop % k_ring]; }
  /// Of the member alone, empty again.
  core::Arena<P>& fresh_arena(std::uint64_t loop, std::uint32_t member) noexcept {
    const std::size_t at = index(loop, member);
    arenas_[at].reset(pairs_ + 2 * k_first_pairs * at, k_first_pairs);
    return arenas_[at];
  }
  Account& account(std::uint64_t loop, std::uint32_t member) noexcept {
    return accounts_[index(loop, member)];
  }
  Line<P>& line(std::uint32_t member) noexcept { return lines_[member]; }

  /// Makes the roots of members >= `first` in all slots AVAILABLE. Only while no member is in a loop.
  void clear_roots(std::uint32_t first) noexcept {
    for (std::uint64_t s = 0; s < k_ring; ++s)
      for (std::uint32_t m = first; m < capacity_; ++m) slots_[s].tree.roots[m].clear();
  }

private:
  static constexpr std::uint32_t k_first_pairs = 8; // nodes of a loop with a few steals; more are allocated

  struct Layout {
    std::size_t slots, roots, pairs, lines, arenas, accounts, bytes;
    explicit Layout(std::size_t capacity) noexcept {
      std::size_t at = sizeof(Storage);
      auto place = [&at](std::size_t size, std::size_t count) {
        const std::size_t here = at;
        at = (at + size * count + core::k_line_pair - 1) / core::k_line_pair * core::k_line_pair;
        return here;
      };
      slots = place(sizeof(Slot<P>), k_ring);
      roots = place(sizeof(Node), k_ring * capacity);
      lines = place(sizeof(Line<P>), capacity);
      accounts = place(sizeof(Account), k_ring * capacity);
      arenas = place(sizeof(core::Arena<P>), k_ring * capacity);
      pairs = place(sizeof(Node), 2 * k_first_pairs * k_ring * capacity);
      bytes = at;
    }
  };

  Storage(std::uint32_t capacity, const Layout& layout, Storage* previous) noexcept
      : capacity_(capacity), previous_(previous) {
    slots_ = at<Slot<P>>(layout.slots);
    lines_ = at<Line<P>>(layout.lines);
    accounts_ = at<Account>(layout.accounts);
    arenas_ = at<core::Arena<P>>(layout.arenas);
    pairs_ = at<Node>(layout.pairs);
    auto* roots = at<Node>(layout.roots);
    for (std::uint64_t s = 0; s < k_ring; ++s) slots_[s].tree.roots = roots + s * capacity;
  }

  ~Storage() {
    for (std::uint64_t i = 0; i < k_ring * capacity_; ++i) arenas_[i].~Arena();
  }

  template <class T> T* at(std::size_t offset) noexcept {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(this) + offset);
  }

  /// Members next to each other in a slot are far apart in what they write: each array has its own line
  /// pairs, and the arenas, which only their member reads, are grouped by member.
  std::size_t index(std::uint64_t loop, std::uint32_t member) const noexcept {
    return member * k_ring + loop % k_ring;
  }

  std::uint32_t capacity_;
  Storage* previous_;
  Slot<P>* slots_ = nullptr;
  Line<P>* lines_ = nullptr;
  core::Arena<P>* arenas_ = nullptr;
  Account* accounts_ = nullptr;
  Node* pairs_ = nullptr;
};

} // namespace wstree::loop
