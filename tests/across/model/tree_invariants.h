// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What include/wstree/core/tree/node.h promises of every node, looked at after every step.
#pragma once

#include "engine/platform.h"

#include "wstree/core/tree/tree.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace wstree::model {

/// Walks over the whole tree, as it stands in the newest values, and compares it with what it was after the
/// step before. Units are iterations: loops under the model checker are short.
template <class P> class TreeInvariants {
public:
  using Word = core::WordOf<P>;
  using Tree = core::Tree<P>;
  using Target = core::Target<P>;

  /// A loop begins in which no unit was handed out.
  void start(const core::Shape& shape, std::uint64_t use) {
    shape_ = shape;
    use_ = use;
    nodes_.clear();
  }

  /// What is wrong; empty: nothing. `seen`: how often members were told about each iteration. `in_hands`:
  /// units that members may have got without having been told yet.
  std::string check(Tree& tree, const std::vector<std::uint8_t>& seen, std::uint32_t in_hands) {
    wrong_.clear();
    handed_.fill(k_nowhere);
    const core::View<P> view(tree, shape_, use_);
    for (std::uint32_t i = 0; i < shape_.roots(); ++i) visit(view, view.root(i));
    compare(seen, in_hands);
    check_last(tree, seen);
    return wrong_;
  }

private:
  enum Where : std::uint8_t { k_nowhere, k_unclaimed, k_handed };
  struct Known {
    const core::Node<P>* node;
    Word word;
    const core::Node<P>* children;
  };

  void complain(const std::string& what, const Target& target) {
    if (!wrong_.empty()) return;
    wrong_ = what + ", node of [" + std::to_string(target.begin) + ", " +
             std::to_string(target.begin + target.size) + ")";
  }

  Known& known(const Target& target) {
    for (Known& known : nodes_)
      if (known.node == target.node) return known;
    if (target.level != 0) {
      const bool is_untouched = target.word.phase() == core::Phase::available && count(target.word) == 0;
      const bool is_begun = target.word.phase() == core::Phase::owned && count(target.word) != 0;
      if (!is_untouched && !is_begun) complain("INV1: becomes reachable in a wrong state", target);
      nodes_.push_back({target.node, target.word, nullptr});
    } else {
      nodes_.push_back({target.node, Word(core::Phase::available, use_, 0, 0), nullptr});
    }
    return nodes_.back();
  }

  static std::uint32_t count(Word word) { return word.left() + word.right(); }

  void visit(const core::View<P>& view, const Target& target) {
    if (!wrong_.empty()) return;
    const core::Node<P>* const children = target.node->children(use_);
    Known& before = known(target);
    check_word(before.word, target);
    if (before.children != nullptr && children != before.children)
      complain("INV6: other children than before", target);
    if (children != nullptr && target.word.phase() != core::Phase::stolen)
      complain("INV6: children of a node that is not STOLEN", target);
    before.word = target.word;
    before.children = children;
    mark(target.begin, target.word.left(), k_handed, target);
    mark(target.begin + target.size - target.word.right(), target.word.right(), k_handed, target);
    if (children == nullptr)
      mark(target.begin + target.word.left(), target.remaining(), k_unclaimed, target);
    else
      visit_children(view, target);
  }

  void visit_children(const core::View<P>& view, const Target& target) {
    auto* const pair = target.node->children(use_);
    const Target left = view.inner(pair);
    const Target right = view.inner(pair + 1);
    if (left.begin != target.begin + target.word.left() || right.begin != left.begin + left.size ||
        left.size + right.size != target.remaining())
      complain("INV6: children do not cover what was left", target);
    visit(view, left);
    visit(view, right);
  }

  void check_word(Word before, const Target& target) {
    using core::Phase;
    const Word now = target.word;
    if (count(now) > target.size) complain("INV3: more was handed out than there is", target);
    if (now == before) return;
    if (before.phase() == Phase::stolen) return complain("INV5: a frozen word changes", target);
    if (before.phase() == Phase::available) {
      if (now.phase() != Phase::owned || count(now) == 0)
        complain("INV2: AVAILABLE becomes something else than OWNED with a first batch", target);
      return;
    }
    if (count(before) == target.size) return complain("INV4: a COMPLETED node changes", target);
    const bool grows =
        now.left() >= before.left() && now.right() >= before.right() && count(now) > count(before);
    const bool stays = now.left() == before.left() && now.right() == before.right();
    if (now.phase() == Phase::owned && !grows) complain("INV3: progress goes back", target);
    if (now.phase() == Phase::stolen && !stays) complain("INV5: stopped with other counts", target);
    if (now.phase() == Phase::available) complain("INV3: OWNED becomes AVAILABLE", target);
  }

  void mark(std::uint64_t begin, std::uint32_t units, Where where, const Target& target) {
    for (std::uint64_t i = begin; i < begin + units; ++i) {
      if (i >= handed_.size()) return complain("a unit outside of the loop", target);
      if (handed_[i] != k_nowhere) return complain("two nodes overlap", target);
      handed_[i] = where;
    }
  }

  void compare(const std::vector<std::uint8_t>& seen, std::uint32_t in_hands) {
    std::uint32_t untold = 0;
    for (std::uint64_t i = 0; i < shape_.units() && wrong_.empty(); ++i) {
      if (handed_[i] == k_nowhere) wrong_ = "unit " + std::to_string(i) + " is nowhere";
      if (handed_[i] == k_unclaimed && seen[i] != 0)
        wrong_ = "unit " + std::to_string(i) + " was handed out and can be claimed";
      untold += handed_[i] == k_handed && seen[i] == 0;
    }
    if (wrong_.empty() && untold > in_hands)
      wrong_ = std::to_string(untold) + " units are claimed that no worker has";
  }

  void check_last(Tree& tree, const std::vector<std::uint8_t>& seen) {
    if (wrong_.empty() && seen.back() != 0 && !tree.last.is_taken(use_))
      wrong_ = "the last iteration was handed out and can be claimed";
  }

  core::Shape shape_;
  std::uint64_t use_ = 0;
  std::vector<Known> nodes_;
  std::array<Where, 64> handed_{};
  std::string wrong_;
};

} // namespace wstree::model
