// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member's supply of pairs of nodes, which it needs to split other nodes, and its behaviour without memory.
#pragma once

#include "wstree/core/tree/arena.h"
#include "wstree/core/tuning.h"

#include <cstdint>

namespace wstree::core {

/// A member's supply of memory for more nodes. It only gets worse while the member is in a loop.
enum class NodeMemory : std::uint8_t {
  enough,
  short_of,  ///< there was none: the member only takes work that needs none
  exhausted, ///< and it has waited in vain for a thief to split the node that the thief has frozen
};

/// Private to its member.
template <class P> class Supply {
public:
  using Pair = typename Node<P>::Pair;

  void enter(ArenaOf<P>& arena) noexcept {
    arena_ = &arena;
    memory_ = NodeMemory::enough;
  }

  bool is_short() const noexcept { return memory_ != NodeMemory::enough; }
  bool is_exhausted() const noexcept { return memory_ == NodeMemory::exhausted; }

  /// Takes a pair for an owner, which can do without. nullptr: no memory.
  Pair take() noexcept { return arena_->take(); }
  /// Takes a pair for a thief, before it freezes a node: so that a frozen node never waits for memory.
  /// nullptr: it steals from no owner any more.
  Pair take_to_steal() noexcept {
    if (is_short()) return nullptr;
    const Pair pair = take();
    if (pair == nullptr) memory_ = NodeMemory::short_of;
    return pair;
  }
  /// Takes back the pair of the latest take, which no other member has seen.
  void untake(Pair pair) noexcept { arena_->untake(pair); }

  /// Either the pair below a frozen node, or a pair to hang there.
  struct Choice {
    Pair theirs = nullptr;
    Pair mine = nullptr;
  };
  /// Returns neither if there is no memory, and the thief that has frozen the node has not hung its pair for
  /// long. That thief is suspended, and will find both halves free when it goes on.
  Choice pair_for(const Node<P>& frozen, std::uint64_t use) noexcept {
    for (std::uint32_t waited = 0;; ++waited) {
      if (const Pair theirs = frozen.children(use)) return {theirs, nullptr};
      if (const Pair mine = take()) return {nullptr, mine};
      if (!is_short()) memory_ = NodeMemory::short_of;
      if (waited == tuning::k_patience_for_a_thief) memory_ = NodeMemory::exhausted;
      if (is_exhausted()) return {};
      P::yield();
    }
  }

private:
  ArenaOf<P>* arena_ = nullptr;
  NodeMemory memory_ = NodeMemory::enough;
};

} // namespace wstree::core
