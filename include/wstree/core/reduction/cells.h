// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of nodes lie: outside of them, because they may be large.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/reduction/ascent.h"
#include "wstree/core/tree/arena.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <utility>

namespace wstree::core {

/// What all cells begin with, whatever they have room for.
template <class P> class CellHeader {
public:
  enum Side : std::uint8_t { left = 1, right = 2 };
  CellHeader() noexcept = default;

protected:
  bool has(Side side) const noexcept { return (has_ & side) != 0; }
  void add(Side side) noexcept { has_ = static_cast<std::uint8_t>(has_ | side); }
  void remove(Side side) noexcept { has_ = static_cast<std::uint8_t>(has_ & ~side); }

private:
  typename P::template Plain<std::uint8_t> has_{0};
};

/// The value of one node: of batches from its left end, and of those from its right one; when the node was
/// pushed, of everything in it and below, on the left. The member that takes the node from an arena makes it,
/// as a header.
template <class P, class T> class Cell : CellHeader<P> {
public:
  using Side = typename CellHeader<P>::Side;
  using CellHeader<P>::left;
  using CellHeader<P>::right;

  T* find(Side side) noexcept {
    return this->has(side) ? std::launder(reinterpret_cast<T*>(room(side))) : nullptr;
  }
  /// Room for a value that is not there; set() follows when it is.
  void* place(Side side) noexcept { return room(side); }
  void set(Side side) noexcept { this->add(side); }
  void drop(Side side) noexcept {
    T* const value = find(side);
    if (value == nullptr) return;
    this->remove(side);
    value->~T();
  }

private:
  /// Memory of platforms is aligned to k_line_pair. Values that need more stand where they can.
  static constexpr std::size_t k_alignment = std::min(alignof(T), k_line_pair);
  static constexpr std::size_t k_slack = alignof(T) - k_alignment;

  std::byte* room(Side side) noexcept {
    std::byte* const at = room_[side == right ? 1 : 0];
    if constexpr (k_slack == 0)
      return at;
    else
      return at + (alignof(T) - reinterpret_cast<std::uintptr_t>(at) % alignof(T)) % alignof(T);
  }

  alignas(k_alignment) std::byte room_[2][sizeof(T) + k_slack];
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

  /// Empty ones; nullptr if there is no memory.
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
      ::new (static_cast<void*>(cells + at)) CellHeader<P>();
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
    std::size_t used; // of the current reduction, up to the current chunk
    std::byte* begin() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
    std::size_t room() const noexcept { return bytes - sizeof(Chunk); }
  };

  Chunk* first_ = nullptr;
  Chunk* current_ = nullptr;
  std::size_t cell_bytes_ = 0;
};

/// What a member of a reduction takes its nodes from: each pair comes with its cells, so that a member that
/// has a node has room for its value.
template <class P> class alignas(k_line_pair) ReductionArena {
public:
  using Pair = typename Node<P>::Pair;

  /// By its member, when it enters the use `use` of the storage.
  void reset(Node<P>* nodes, std::uint32_t pairs, std::size_t bytes_per_cell, std::uint64_t use) noexcept {
    use_ = use;
    nodes_.reset(nodes, pairs);
    cells_.reset(bytes_per_cell);
    cell_bytes_ = bytes_per_cell;
  }
  Pair take() noexcept {
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
