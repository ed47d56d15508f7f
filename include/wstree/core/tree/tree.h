// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tree of one live loop: its roots, its last iteration, and how to walk over them.
#pragma once

#include "wstree/core/cost.h"
#include "wstree/core/last_taken.h"
#include "wstree/core/rng.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"
#include "wstree/core/shape.h"
#include "wstree/core/tree/handed_out.h"
#include "wstree/core/tree/node.h"
#include "wstree/core/tree/search/board.h"

#include <cstddef>
#include <cstdint>

namespace wstree::core {

/// A team's shared state of one loop. Lives in a ring slot that is used again and again (loop/team.h).
template <class P> struct Tree {
  Node<P>* roots = nullptr;
  /// From one root to the next, in nodes: roots may stand among other data of their members.
  std::size_t stride = 1;
  Node<P>* root(std::uint32_t i) const noexcept { return roots + i * stride; }
  /// Board::words() of the roots; nullptr: a team that is so small that all roots are looked at.
  DoneWord<P>* board = nullptr;
  /// These two identify loops by all bits of their number, and share a pair of lines.
  alignas(k_line_pair) LastTaken<P> last;
  HandedOut<P> handed_out;

  /// Empties the marks that would soon look current, of a tree with room for `most_roots` roots (marks.h).
  void refresh(std::uint64_t use, std::uint32_t most_roots) noexcept {
    for (std::uint32_t i = 0; i < most_roots; ++i) root(i)->refresh(use);
    if (board == nullptr) return;
    for (std::size_t w = 0; w < Board<P>::words(most_roots); ++w) board[w].refresh(use);
  }
  /// Forgets all uses. Only while no other thread can reach the tree.
  void clear(std::uint32_t most_roots) noexcept {
    for (std::uint32_t i = 0; i < most_roots; ++i) root(i)->clear();
    if (board == nullptr) return;
    for (std::size_t w = 0; w < Board<P>::words(most_roots); ++w) board[w].clear();
  }
};

/// A node as one visit found it. The range of a root follows from the shape, that of other nodes is stored
/// in them.
template <class P> struct Target {
  Node<P>* node = nullptr;
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  std::uint32_t level = 0;
  std::uint64_t raw = 0;
  WordOf<P> word;

  std::uint32_t remaining() const noexcept { return size - word.left() - word.right(); }
  void look_again(std::uint64_t use) noexcept {
    raw = node->inspect();
    word = WordOf<P>::seen(raw, use);
  }
  bool is_untouched_root() const noexcept { return level == 0 && word.phase() == Phase::available; }
  /// Returns the cost of a unit that the node's owner has published, or had before it was split; otherwise
  /// `own`. The cost in a root that no member has owned yet is of an earlier loop.
  Cost cost_or(Cost own) const noexcept {
    const Cost known = is_untouched_root() ? 0 : node->cost();
    return known != 0 ? known : own;
  }
  /// Returns the cost of a unit on a fast core, as estimated by a slow member of this pace.
  Cost fast_cost_or(Cost own, const Pace& pace) const noexcept {
    const std::int64_t known = is_untouched_root() ? 0 : node->published_cost();
    return known > 0 ? static_cast<Cost>(known) : known < 0 ? pace.fast(-static_cast<Cost>(known)) : own;
  }
};

/// Read access to the tree of one use of a slot.
template <class P> class View {
public:
  View() = default;
  View(Tree<P>& tree, const Shape& shape, std::uint64_t use) noexcept
      : tree_(&tree), shape_(shape), use_(use) {}

  const Shape& shape() const noexcept { return shape_; }
  std::uint64_t use() const noexcept { return use_; }
  Tree<P>& tree() const noexcept { return *tree_; }

  Target<P> root(std::uint32_t i) const noexcept {
    const std::uint64_t begin = shape_.root_begin(i);
    return look(tree_->root(i), begin, static_cast<std::uint32_t>(shape_.root_begin(i + 1) - begin), 0);
  }
  Target<P> inner(Node<P>* node) const noexcept {
    return look(node, node->begin(), node->size(), node->level());
  }
  /// Returns the node that the member with that root works on: the node that it holds elsewhere, or its root.
  Target<P> current(std::uint32_t root) const noexcept {
    Node<P>* const held = tree_->root(root)->held(use_);
    return held != nullptr ? inner(held) : this->root(root);
  }

  /// Returns the board of the roots that have units.
  Board<P> board() const noexcept { return {tree_->board, filled_roots(), use_}; }
  /// Returns the roots that have units.
  std::uint32_t filled_roots() const noexcept {
    const std::uint64_t units = shape_.units();
    return units >= shape_.roots() ? shape_.roots() : static_cast<std::uint32_t>(units);
  }
  bool knows_what_is_handed_out() const noexcept { return filled_roots() <= HandedOut<P>::k_roots; }
  /// Returns whether every owner is known to have handed out its root to the end.
  bool is_handed_out(std::uint64_t loop) const noexcept {
    return tree_->handed_out.is_all(filled_roots(), loop);
  }
  bool has_board(const Settings& settings) const noexcept {
    return shape_.roots() > settings.scan_all && tree_->board != nullptr;
  }

  /// Calls `visit(Target)` for each leaf below the root with something left, until it returns true. Returns
  /// whether there was none; then there will never be one. Each node's children come in any order.
  template <class Visit> bool is_done(std::uint32_t root, Rng& rng, Visit&& visit) const {
    const Target<P> target = this->root(root);
    bool stopped = false;
    return target.size == 0 || is_done(target, rng, visit, stopped);
  }

  /// Calls `visit(Target)` for every node below `target` that is not EXPANDED, left to right, until it
  /// returns true.
  template <class Visit> bool leaves(const Target<P>& target, Visit&& visit) const {
    if (target.word.phase() == Phase::stolen) {
      if (auto pair = target.node->children(use_)) {
        return leaves(inner(pair), visit) || leaves(inner(pair + 1), visit);
      }
    }
    return visit(target);
  }

  /// Calls `visit` for the leaves of the whole tree. Skips roots without units: their line may belong to
  /// another member.
  template <class Visit> bool any_leaf(Visit&& visit) const {
    std::uint64_t begin = 0;
    for (std::uint32_t i = 0; i < shape_.roots(); ++i) {
      const std::uint64_t end = shape_.root_begin(i + 1);
      if (end != begin &&
          leaves(look(tree_->root(i), begin, static_cast<std::uint32_t>(end - begin), 0), visit))
        return true;
      begin = end;
    }
    return false;
  }

  /// Returns whether nothing but iteration n-1 is left to take.
  bool is_empty() const {
    return !any_leaf([](const Target<P>& target) { return target.remaining() != 0; });
  }
  /// Returns is_empty() for a large team. Another member may finish meanwhile the work that this member has
  /// seen, so false is a hint.
  bool is_empty_by_board(Rng& rng) const {
    bool any = false;
    board().walk(
        rng,
        [&](std::uint32_t root) { return is_done(root, rng, [&](const Target<P>&) { return any = true; }); },
        [&] { return any; });
    return !any;
  }

private:
  using Word = WordOf<P>;

  template <class Visit> bool is_done(const Target<P>& target, Rng& rng, Visit& visit, bool& stopped) const {
    if (target.word.phase() == Phase::stolen) {
      if (auto pair = target.node->children(use_)) {
        const bool below_root = target.level != 0;
        if (below_root && target.node->is_marked_done()) return true;
        const int first = rng.coin() ? 0 : 1;
        bool done = is_done(inner(pair + first), rng, visit, stopped);
        if (stopped) return false;
        done = is_done(inner(pair + (1 - first)), rng, visit, stopped) && done;
        if (done && below_root) target.node->mark_done();
        return done;
      }
    }
    if (target.remaining() == 0) return true;
    stopped = visit(target);
    return false;
  }

  Target<P> look(Node<P>* node, std::uint64_t begin, std::uint32_t size, std::uint32_t level) const noexcept {
    const std::uint64_t raw = node->inspect();
    return {node, begin, size, level, raw, Word::seen(raw, use_)};
  }

  Tree<P>* tree_ = nullptr;
  Shape shape_;
  std::uint64_t use_ = 0;
};

} // namespace wstree::core
