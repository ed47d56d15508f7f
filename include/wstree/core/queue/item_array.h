// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The circular array behind a work-stealing queue, which its owner can double.
#pragma once

#include "wstree/core/platform.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace wstree::core {

/// Words at indices that never wrap: index i stands at i modulo the capacity. The first `k_initial` are part
/// of the array itself, so zeroed memory is a valid one. Arrays that were outgrown are kept until the queue
/// dies: a thief may still be about to read one, and nothing is allocated again in the next loop.
template <class P, std::size_t k_initial> class ItemArray {
  static_assert(std::has_single_bit(k_initial));

public:
  ItemArray() = default;
  ItemArray(const ItemArray&) = delete;
  ItemArray& operator=(const ItemArray&) = delete;
  ~ItemArray() {
    for (Block* block = grown_.load(std::memory_order_relaxed); block != nullptr;) { // alone
      Block* const previous = block->previous;
      P::release(block, Block::bytes(block->capacity));
      block = previous;
    }
  }

  /// Returns the number of items for which there is room. Only the owner calls it.
  std::int64_t capacity() const noexcept {
    const Block* const block = own();
    return static_cast<std::int64_t>(block == nullptr ? k_initial : block->capacity);
  }

  std::uint64_t read(std::int64_t index) const noexcept {
    // [Q4] acquire: a thread that sees the larger array sees the items that were copied into it; pairs
    //      with the release in grow(). Guard: model_queue, growth with a thief that sees the array before
    //      the index.
    const Block* const block = grown_.load(P::order(Tag::grow_array, std::memory_order_acquire));
    // [Q3] relaxed: an item counts only for the member that wins its index, and that orders it (Q7, L3).
    return slot(block, index).load(P::order(Tag::item, std::memory_order_relaxed));
  }

  /// Only the owner.
  void write(std::int64_t index, std::uint64_t word) noexcept {
    slot(own(), index).store(word, P::order(Tag::item, std::memory_order_relaxed)); // Q3
  }

  /// Doubles the capacity; the items [begin, end) are there before and after. Returns false if there is no
  /// memory; then nothing has changed. Only the owner.
  bool grow(std::int64_t begin, std::int64_t end) noexcept {
    Block* const old = own();
    const std::size_t capacity = 2 * (old == nullptr ? k_initial : old->capacity);
    void* const memory = P::allocate(Block::bytes(capacity));
    if (memory == nullptr) return false;
    Block* const block = ::new (memory) Block{capacity, old};
    for (std::size_t i = 0; i < capacity; ++i) ::new (static_cast<void*>(block->slots() + i)) Slot(0);
    for (std::int64_t i = begin; i < end; ++i)
      slot(block, i).store(slot(old, i).load(P::order(Tag::item, std::memory_order_relaxed)), // Q3
                           P::order(Tag::item, std::memory_order_relaxed));
    // [Q4] release: see read().
    grown_.store(block, P::order(Tag::grow_array, std::memory_order_release));
    return true;
  }

private:
  using Slot = typename P::template Atomic<std::uint64_t>;

  struct Block {
    std::size_t capacity;
    Block* previous;
    Slot* slots() noexcept { return reinterpret_cast<Slot*>(this + 1); }
    const Slot* slots() const noexcept { return reinterpret_cast<const Slot*>(this + 1); }
    static std::size_t bytes(std::size_t capacity) noexcept {
      return sizeof(Block) + capacity * sizeof(Slot);
    }
  };
  static_assert(alignof(Slot) <= alignof(Block));

  /// Only the owner changes it, so it needs no order to read its own writes.
  Block* own() const noexcept { return grown_.load(std::memory_order_relaxed); }

  const Slot& slot(const Block* block, std::int64_t index) const noexcept {
    const auto i = static_cast<std::size_t>(index);
    return block == nullptr ? first_[i & (k_initial - 1)] : block->slots()[i & (block->capacity - 1)];
  }
  Slot& slot(Block* block, std::int64_t index) noexcept {
    const auto i = static_cast<std::size_t>(index);
    return block == nullptr ? first_[i & (k_initial - 1)] : block->slots()[i & (block->capacity - 1)];
  }

  typename P::template Atomic<Block*> grown_{nullptr}; // nullptr: first_ is in use
  Slot first_[k_initial]{};
};

} // namespace wstree::core
