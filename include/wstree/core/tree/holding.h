// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The node that a member owns, and how far it has come in it.
#pragma once

#include "wstree/core/tree/tree.h"

#include <cstdint>

namespace wstree::core {

/// Private to its member. The data that every batch needs stand together: between two batches the loop's own
/// data have passed through the caches.
template <class P> class Holding {
public:
  using Word = WordOf<P>;

  Holding() = default;
  Holding(Node<P>* node, std::uint64_t begin, std::uint32_t size, std::uint32_t level, Word word) noexcept
      : node_(node), raw_(word.raw()), begin_(begin), size_(size), level_(level) {}

  bool is_empty() const noexcept { return node_ == nullptr; }
  void drop() noexcept { node_ = nullptr; }

  Node<P>* node() const noexcept { return node_; }
  std::uint32_t level() const noexcept { return level_; }
  std::uint64_t begin() const noexcept { return begin_; }
  std::uint32_t size() const noexcept { return size_; }
  /// Returns the first of the units [first(), past()) that are left.
  std::uint64_t first() const noexcept { return begin_ + Word(raw_).left(); }
  std::uint64_t past() const noexcept { return begin_ + size_ - Word(raw_).right(); }
  std::uint32_t remaining() const noexcept { return size_ - Word(raw_).left() - Word(raw_).right(); }
  /// Returns the node as its owner knows it; after advance() has failed, as the thief has left it.
  Target<P> target() const noexcept { return {node_, begin_, size_, level_, raw_, Word(raw_)}; }

  /// Takes `units` of the unclaimed units, from the left end or from the right one. Returns false if a thief
  /// stopped the node.
  bool advance(bool from_left, std::uint32_t units) noexcept {
    WSTREE_ASSERT(units != 0 && units <= remaining()); // INV3, INV4
    const Word word(raw_);
    const Word wanted = from_left ? word.with_left(units) : word.with_right(units);
    if (!node_->advance(raw_, wanted)) {
      WSTREE_ASSERT(Word(raw_) == word.stopped()); // INV3, INV5
      return false;
    }
    raw_ = wanted.raw();
    return true;
  }
  /// Does what advance() does, from the left end. If a thief stopped the node, nothing has happened:
  /// advance() finds out again.
  [[gnu::always_inline]] bool advance_quickly(std::uint32_t units) noexcept {
    const Word wanted = Word(raw_).with_left(units);
    std::uint64_t seen = raw_;
    if (!node_->advance(seen, wanted)) [[unlikely]]
      return false;
    raw_ = wanted.raw();
    return true;
  }

private:
  Node<P>* node_ = nullptr;
  std::uint64_t raw_ = 0; // the word that this member last wrote into the node
  std::uint64_t begin_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t level_ = 0;
};

} // namespace wstree::core
