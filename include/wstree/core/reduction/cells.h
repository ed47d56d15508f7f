// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory for the values of nodes: outside of the nodes, because values may be large.
#pragma once

#include "wstree/core/assertion.h"
#include "wstree/core/extrema.h"
#include "wstree/core/platform.h"
#include "wstree/core/reduction/ascent.h"
#include "wstree/core/reduction/body.h"
#include "wstree/core/tree/arena.h"
#include "wstree/core/tuning.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <utility>

namespace wstree::core {

/// The value of one node, of any type: of batches from its left end, and of those from its right one; when
/// the node was pushed, of everything in it and below, on the left. Room for the values follows. The member
/// that takes the node from an arena makes it.
template <class P> class Cell {
public:
  enum Side : std::uint8_t { left = 1, right = 2 };
  Cell() noexcept = default;

  /// Returns the bytes with room for two values.
  static std::size_t bytes_for(const BodyCalls& calls) noexcept {
    return offset(calls) + 2 * room_for(calls);
  }

  /// nullptr if there is none.
  void* find(const BodyCalls& calls, Side side) noexcept {
    return (has_ & side) != 0 ? place(calls, side) : nullptr;
  }
  /// Returns room for a value that is not there; set() follows when it is.
  void* place(const BodyCalls& calls, Side side) noexcept {
    std::byte* at = reinterpret_cast<std::byte*>(this) + offset(calls);
    if (side == right) at += room_for(calls);
    if (calls.alignment > k_line_pair) at += -reinterpret_cast<std::uintptr_t>(at) & (calls.alignment - 1);
    return at;
  }
  void set(Side side) noexcept {
    WSTREE_ASSERT((has_ & side) == 0); // INV7
    has_ = static_cast<std::uint8_t>(has_ | side);
  }
  void drop(const BodyCalls& calls, Side side) noexcept {
    void* const value = find(calls, side);
    if (value == nullptr) return;
    has_ = static_cast<std::uint8_t>(has_ & ~side);
    if (calls.destroy != nullptr) calls.destroy(value);
  }

private:
  /// Memory of platforms is aligned to k_line_pair. Values that need more stand where they can.
  static std::size_t alignment(const BodyCalls& calls) noexcept {
    return clamp(calls.alignment, alignof(Cell), k_line_pair);
  }
  static std::size_t rounded(std::size_t bytes, const BodyCalls& calls) noexcept {
    return (bytes + alignment(calls) - 1) & ~(alignment(calls) - 1);
  }
  static std::size_t offset(const BodyCalls& calls) noexcept { return rounded(sizeof(Cell), calls); }
  static std::size_t room_for(const BodyCalls& calls) noexcept {
    const std::size_t slack = calls.alignment > k_line_pair ? calls.alignment - k_line_pair : 0;
    return rounded(calls.bytes + slack, calls);
  }

  typename P::template Plain<std::uint8_t> has_{0};
};

/// Cells of one member, two at a time, and all back at once. As core::Arena, but how large a cell is changes
/// from reduction to reduction. Zeroed memory is a valid arena that was not reset yet.
template <class P> class CellArena {
public:
  CellArena() = default;
  CellArena(const CellArena&) = delete;
  CellArena& operator=(const CellArena&) = delete;
  ~CellArena() {
    while (first_ != nullptr) {
      Chunk* const chunk = std::exchange(first_, first_->next);
      P::release(chunk, chunk->bytes);
    }
  }

  void reset(std::size_t bytes_per_cell) noexcept {
    cell_bytes_ = bytes_per_cell;
    current_ = first_;
    if (current_ != nullptr) current_->used = 0;
  }

  /// Returns two empty cells; nullptr if there is no memory.
  std::byte* take_two() noexcept {
    const std::size_t bytes = 2 * cell_bytes_;
    while (current_ == nullptr || current_->room() - current_->used < bytes) {
      Chunk*& next = current_ == nullptr ? first_ : current_->next;
      if (next == nullptr) {
        const std::size_t wanted = sizeof(Chunk) + std::max(tuning::k_pairs_of_cells * bytes, k_least);
        auto* const memory = static_cast<std::byte*>(P::allocate(wanted));
        if (memory == nullptr) return nullptr;
        next = ::new (static_cast<void*>(memory)) Chunk{nullptr, wanted, 0};
      }
      current_ = next;
      current_->used = 0;
    }
    std::byte* const cells = current_->begin() + current_->used;
    current_->used += bytes;
    for (const std::size_t at : {std::size_t{0}, cell_bytes_})
      ::new (static_cast<void*>(cells + at)) Cell<P>();
    return cells;
  }
  void untake() noexcept { current_->used -= 2 * cell_bytes_; }

  /// Calls `visit(cell)` for all that are taken.
  template <class Visit> void each(Visit&& visit) noexcept {
    if (current_ == nullptr) return;
    for (Chunk* chunk = first_;; chunk = chunk->next) {
      for (std::size_t at = 0; at != chunk->used; at += cell_bytes_) visit(chunk->begin() + at);
      if (chunk == current_) return;
    }
  }

private:
  static constexpr std::size_t k_least = 2048;

  struct alignas(k_line_pair) Chunk {
    Chunk* next;
    std::size_t bytes;
    std::size_t used; // bytes in use by the current reduction, up to the current chunk
    std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    std::size_t room() const noexcept { return bytes - sizeof(Chunk); }
  };

  Chunk* first_ = nullptr;
  Chunk* current_ = nullptr;
  std::size_t cell_bytes_ = 0;
};

/// A member's source of nodes in a reduction: each pair comes with its cells, so that a member that has a
/// node has room for its value.
template <class P> class alignas(k_line_pair) ReductionArena {
public:
  using Pair = typename Node<P>::Pair;

  /// The arena's member calls this at its entry into use number `use` of the storage.
  void reset(Node<P>* nodes, std::uint32_t pairs, std::size_t bytes_per_cell, std::uint64_t use) noexcept {
    use_ = use;
    nodes_.reset(nodes, pairs);
    cells_.reset(bytes_per_cell);
    cell_bytes_ = bytes_per_cell;
  }
  [[gnu::cold]] Pair take() noexcept {
    const Pair pair = nodes_.take();
    if (pair == nullptr || cell_bytes_ == 0) return pair;
    std::byte* const cells = cells_.take_two();
    if (cells == nullptr) {
      nodes_.untake(pair);
      return nullptr;
    }
    pair[0].extension().assign_cell(cells);
    pair[1].extension().assign_cell(cells + cell_bytes_);
    return pair;
  }
  void untake(Pair pair) noexcept {
    nodes_.untake(pair);
    if (cell_bytes_ != 0) cells_.untake();
  }
  CellArena<P>& cells() noexcept { return cells_; }
  std::uint64_t use() const noexcept { return use_; }

private:
  Arena<P> nodes_;
  CellArena<P> cells_;
  std::size_t cell_bytes_ = 0; // 0: values are nothing
  std::uint64_t use_ = 0;
};

} // namespace wstree::core
