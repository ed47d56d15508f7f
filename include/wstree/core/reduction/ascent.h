// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A reduction's addition to a node: the link to its parent, and the number of children that have arrived
// there (the paper, appendix A.1).
#pragma once

#include "wstree/core/marks.h"
#include "wstree/core/neighbourhood.h"
#include "wstree/core/platform.h"
#include "wstree/core/tree/arena.h"
#include "wstree/core/tree/node.h"

#include <cstdint>

namespace wstree::core {

/// The paper's PREPARED and PUSHED, as a count. Three members arrive at a node that was split: its owner,
/// when it has put down the value of its own batches (PREPARED), and the two that push the values of the left
/// child and of the right one. Children without units push nothing. The last member that arrives combines the
/// values, in order, and goes up (PUSHED). So nothing is combined twice, and no member waits.
///
/// INV7  A node's own value is written once per use, by its last owner, before that one arrives.
/// INV8  The values of a node and its children are touched after that only by the member that arrived last.
template <class P> class Ascent {
public:
  /// Prepares a node that is not published yet.
  void start(Node<P>* parent, std::uint64_t use) noexcept {
    parent_ = parent;
    arrivals_.store(Count::of(use), std::memory_order_relaxed); // not shared yet: published by N4
  }
  Node<P>* parent() const noexcept { return parent_; }

  /// Sets the cell for the node's value: two cells of a pair belong to it from the moment it is taken.
  void assign_cell(void* cell) noexcept { cell_ = cell; }
  void* cell() const noexcept { return cell_; }

  /// Counts this member's arrival; returns how many had arrived before.
  std::uint32_t arrive(std::uint64_t use) noexcept {
    std::uint64_t seen = arrivals_.load(P::order(Tag::arrive, std::memory_order_relaxed)); // A1, a guess
    std::uint64_t wanted = 0;
    do {
      wanted = Count::of(use, Count::value_in(seen, use) + 1);
      // [A1] acq_rel: release hands the value that was put down over to the member that arrives last, acquire
      //      lets that one read all of them, and the link to the children. Guard: model_reduction (either
      //      half is missed by values of another time; a plain store loses an arrival, and the result).
    } while (!arrivals_.compare_exchange_weak(seen, wanted, P::order(Tag::arrive, std::memory_order_acq_rel),
                                              P::order(Tag::arrive, std::memory_order_relaxed)));
    return static_cast<std::uint32_t>(Count::value(wanted)) - 1;
  }

  /// As Node::clear(). The way up and the cell of a root stay.
  void clear() noexcept { Count::template clear<P>(arrivals_); }

private:
  using Count = Marked<typename MarksOf<P>::Counter, 2>; // up to three

  typename P::template Plain<Node<P>*> parent_{nullptr}; // null in a root
  typename P::template Plain<void*> cell_{nullptr};
  typename P::template Atomic<std::uint64_t> arrivals_{0};
};

template <class P> class CellArena;
template <class P> class ReductionArena;

/// The platform of reductions on P.
template <class P> struct ReductionPlatform : P {
  using NodeExtension = Ascent<ReductionPlatform>;
  using NodeArena = ReductionArena<ReductionPlatform>;
};

/// Members of a reduction are equally far from each other.
template <class P> inline constexpr bool k_has_neighbours<ReductionPlatform<P>> = false;

static_assert(sizeof(Node<ReductionPlatform<StdPlatform>>) == k_line_pair);

} // namespace wstree::core
