// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of a reduction's members: kept from one reduction to the next.
#pragma once

#include "wstree/core/reduction/cells.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <cstddef>
#include <cstdint>
#include <new>

namespace wstree::core {

/// Memory of one reduction at a time. The opener is alone until it lets the other members in, and again when
/// they have left: that orders everything here but the members' accesses to each other's nodes.
/// `first_pairs`: of nodes that a member has before it allocates.
template <class Platform, std::uint32_t first_pairs = tuning::k_first_pairs>
class alignas(k_line_pair) ReductionStorage {
public:
  using P = ReductionPlatform<Platform>;

  /// nullptr if there is no memory.
  static ReductionStorage* create(std::uint32_t capacity) noexcept {
    const std::size_t bytes = bytes_for(capacity);
    void* const memory = P::allocate(bytes);
    return memory != nullptr ? ::new (memory) ReductionStorage(capacity) : nullptr;
  }
  static void destroy(ReductionStorage* storage) noexcept {
    const std::size_t bytes = bytes_for(storage->capacity_);
    storage->~ReductionStorage();
    P::release(storage, bytes);
  }
  ReductionStorage(const ReductionStorage&) = delete;
  ReductionStorage& operator=(const ReductionStorage&) = delete;

  std::uint32_t capacity() const noexcept { return capacity_; }

  /// Opens the next reduction, of up to capacity() members. Returns false if there is no memory for
  /// its values.
  bool open(std::size_t bytes_per_cell) noexcept {
    if (!has_cells_for(bytes_per_cell)) return false;
    cell_bytes_ = bytes_per_cell;
    ++use_;
    // The marks (marks.h): of a ring with one slot, which only the opener refreshes.
    if (cleared_.are_old(use_, 1)) tree_.clear(capacity_);
    if (bytes_per_cell == 0) return true;
    for (std::uint32_t i = 0; i < capacity_; ++i) {
      std::byte* const cell = root_cells_ + i * bytes_per_cell;
      ::new (static_cast<void*>(cell)) Cell<P>();
      tree_.root(i)->extension().assign_cell(cell);
    }
    return true;
  }
  std::uint64_t use() const noexcept { return use_; }
  Tree<P>& tree() noexcept { return tree_; }

  /// Returns the member's arena. Called by the member, when it enters.
  ReductionArena<P>& arena(std::uint32_t member) noexcept {
    arenas_[member].reset(&nodes_[std::size_t{2} * k_pairs * member], k_pairs, cell_bytes_, use_);
    return arenas_[member];
  }

  /// Calls `visit(cell)` for all cells of the current reduction. All members have left.
  template <class Visit> void each_cell(Visit&& visit) noexcept {
    if (cell_bytes_ == 0) return;
    for (std::uint32_t i = 0; i < capacity_; ++i) visit(root_cells_ + i * cell_bytes_);
    for (std::uint32_t i = 0; i < capacity_; ++i)
      if (arenas_[i].use() == use_) arenas_[i].cells().each(visit);
  }

private:
  static constexpr std::uint32_t k_pairs = first_pairs;

  explicit ReductionStorage(std::uint32_t capacity) noexcept : capacity_(capacity) {
    auto* at = reinterpret_cast<std::byte*>(this + 1);
    tree_.roots = make<Node<P>>(at, capacity);
    tree_.board = make<DoneWord<P>>(at, Board<P>::words(capacity));
    arenas_ = make<ReductionArena<P>>(at, capacity);
    nodes_ = make<Node<P>>(at, std::size_t{2} * k_pairs * capacity);
  }
  ~ReductionStorage() {
    for (std::uint32_t i = 0; i < capacity_; ++i) arenas_[i].~ReductionArena();
    if (root_bytes_ != 0) P::release(root_cells_, root_bytes_);
  }

  static std::size_t bytes_for(std::size_t capacity) noexcept {
    return sizeof(ReductionStorage) + capacity * (1 + 2 * k_pairs) * sizeof(Node<P>) +
           Board<P>::words(capacity) * sizeof(DoneWord<P>) + capacity * sizeof(ReductionArena<P>);
  }
  template <class T> static T* make(std::byte*& at, std::size_t count) noexcept {
    auto* const first = reinterpret_cast<T*>(at);
    for (std::size_t i = 0; i < count; ++i) ::new (static_cast<void*>(first + i)) T();
    at += count * sizeof(T);
    return first;
  }

  bool has_cells_for(std::size_t bytes_per_cell) noexcept {
    const std::size_t bytes = capacity_ * bytes_per_cell;
    if (bytes <= root_bytes_) return true;
    auto* const cells = static_cast<std::byte*>(P::allocate(bytes));
    if (cells == nullptr) return false;
    if (root_bytes_ != 0) P::release(root_cells_, root_bytes_);
    root_cells_ = cells;
    root_bytes_ = bytes;
    return true;
  }

  Tree<P> tree_;
  ReductionArena<P>* arenas_ = nullptr;
  Node<P>* nodes_ = nullptr; // k_pairs pairs for each member
  std::byte* root_cells_ = nullptr;
  std::size_t root_bytes_ = 0;
  std::size_t cell_bytes_ = 0;
  std::uint64_t use_ = 0;
  ClearedSlots<P> cleared_;
  std::uint32_t capacity_;
};

} // namespace wstree::core
