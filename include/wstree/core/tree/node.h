// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node of the work-stealing tree and the transitions that the paper allows (Prokopec & Odersky, section 3).
#pragma once

#include "wstree/core/assertion.h"
#include "wstree/core/cost.h"
#include "wstree/core/platform.h"
#include "wstree/core/tree/word.h"

#include <cstdint>
#include <type_traits>

namespace wstree::core {

/// A platform's addition to a node: nothing, but in reductions (reduction/ascent.h).
struct NoExtension {
  template <class Parent> static void start(Parent*, std::uint64_t) noexcept {}
  static void clear() noexcept {}
};
template <class P> struct ExtensionOfNode : std::type_identity<NoExtension> {};
template <class P>
requires requires { typename P::NodeExtension; }
struct ExtensionOfNode<P> : std::type_identity<typename P::NodeExtension> {};

/// A range of units that one owner hands out to itself until a thief stops it.
///
///   state       word                 left by which member, and how
///   AVAILABLE   available, or stale  any member, by own(): the first batch is taken in the same step
///   OWNED       owned(l, r)          its owner by advance(); any thief by stop()
///   COMPLETED   owned, l + r = size  none
///   STOLEN      stolen(l, r)         any member, by adopt(): children are a function of the frozen range
///   EXPANDED    stolen + children    none
///
/// Invariants:
/// INV1  A node that becomes reachable is AVAILABLE with nothing handed out, or it is OWNED.
///       The latter departs from the paper: the worker that publishes the node has taken its
///       first batch, so that two thieves cannot pass one unit to and fro.
/// INV2  Nothing of an AVAILABLE node changes but by own(), which succeeds once per use.
/// INV3  While OWNED only the owner's advance() moves the counts, and they only grow.
/// INV4  l + r = size is final.
/// INV5  A thief replaces owned(l, r), l + r < size, by stolen(l, r).
///       This is the last change of the word in this use.
/// INV6  children changes from null once per use, only when the node is STOLEN:
///       to two nodes that cover exactly the units left. No member changes it
///       again in this use.
///
/// A root belongs to a loop slot that is used again and again: `use` numbers its uses, and the word and the
/// links carry marks of it (marks.h).
template <class P> class alignas(k_line_pair) Node {
public:
  using Pair = Node*; // two nodes in a row: left, then right
  using Word = WordOf<P>;

  /// Claims an AVAILABLE node together with its first batch. `seen_raw`: the result of inspect(). Returns
  /// whether the caller has the node now; if not, another member was faster.
  bool own(std::uint64_t seen_raw, Word first) noexcept {
    WSTREE_ASSERT(is_begun(first)); // INV2
    // [N1] relaxed both ways: the word carries all that the caller acts on. size_ and begin_ are constant
    //      since the link to this node was followed by an acquire (N5), and what the iterations read was
    //      ordered by the region's fork. Exclusiveness comes from the read-modify-write. Guard: model_tree
    //      (a plain store hands units out twice).
    return word_.compare_exchange_strong(seen_raw, first.raw(), P::order(Tag::own, std::memory_order_relaxed),
                                         P::order(Tag::own, std::memory_order_relaxed));
  }

  /// Moves the owner's counts on. Returns false if a thief has stopped this node; `expected` then holds the
  /// word that the thief left.
  bool advance(std::uint64_t& expected, Word wanted) noexcept {
    // [N2] relaxed both ways, for N1's reasons: no data travels with the units. A failure needs nothing but
    //      the word. Guard: model_tree.
    return word_.compare_exchange_strong(expected, wanted.raw(),
                                         P::order(Tag::advance, std::memory_order_relaxed),
                                         P::order(Tag::advance, std::memory_order_relaxed));
  }

  /// Freezes an OWNED node with units left. Returns false if the owner or another thief was faster.
  bool stop(Word seen) noexcept {
    WSTREE_ASSERT(seen.phase() == Phase::owned); // INV5
    std::uint64_t expected = seen.raw();
    // [N3] relaxed both ways: the thief takes over units, not data. Guard: model_tree.
    return word_.compare_exchange_strong(expected, seen.stopped().raw(),
                                         P::order(Tag::stop, std::memory_order_relaxed),
                                         P::order(Tag::stop, std::memory_order_relaxed));
  }

  /// Hangs `mine` below this STOLEN node, or returns the pair that was hung first in this use.
  Pair adopt(Pair mine, std::uint64_t use) noexcept {
    const std::uint64_t wanted = link(mine, use);
    // [N4] success release: *mine is complete before its address can be followed; pairs with N5 and with
    //      this failure. failure acquire: the caller goes on to read the pair that won. Guard: model_tree.
    std::uint64_t expected = children_.load(P::order(Tag::adopt, std::memory_order_acquire));
    while (!is_current(expected, use)) {
      if (children_.compare_exchange_weak(expected, wanted, P::order(Tag::adopt, std::memory_order_release),
                                          P::order(Tag::adopt, std::memory_order_acquire)))
        return mine;
    }
    return target(expected);
  }

  /// Returns the pair below this node, or nullptr while it is not EXPANDED.
  Pair children(std::uint64_t use) const noexcept {
    // [N5] acquire: a member that follows the link sees what the publisher wrote into the pair before N4.
    const std::uint64_t raw = children_.load(P::order(Tag::read_children, std::memory_order_acquire));
    return is_current(raw, use) ? target(raw) : nullptr;
  }

  /// Returns the raw word; Word::seen() interprets it.
  std::uint64_t inspect() const noexcept {
    // [N6] relaxed: a hint. A member acts on it by own(), advance() or stop(), which fail if it was old.
    return word_.load(P::order(Tag::inspect, std::memory_order_relaxed));
  }

  /// Publishes the owner's recent cost of a unit, for thieves that compare victims. 0: not known. Below 0:
  /// the owner is slow, so that slow members see that others would take less.
  void publish_cost(std::int64_t cost) noexcept {
    // [N7] relaxed: an estimate that nothing else depends on.
    cost_.store(cost, P::order(Tag::publish_cost, std::memory_order_relaxed));
  }
  Cost cost() const noexcept {
    const auto published = static_cast<Cost>(published_cost());
    return published >> 63 != 0 ? -published : published;
  }
  std::int64_t published_cost() const noexcept {
    return cost_.load(P::order(Tag::publish_cost, std::memory_order_relaxed)); // N7
  }

  /// Publishes the position (neighbourhood.h) of the member that has this node, or had it last; of a free
  /// half, of the member whose node was split. Has no meaning in a root that no member has owned in this use.
  void publish_owner(std::uint32_t position) noexcept {
    // [N9] relaxed: a hint for thieves that compare distances; nothing else depends on it.
    owner_.store(position, P::order(Tag::publish_owner, std::memory_order_relaxed));
  }
  std::uint32_t owner() const noexcept {
    return owner_.load(P::order(Tag::publish_owner, std::memory_order_relaxed)); // N9
  }

  /// Publishes in a root that its member owns `node` now, and no longer the root, so that neighbours find
  /// work that the member has brought from far away. nullptr: the member has owned no node but the root in
  /// this use.
  void publish_held(Node* node, std::uint64_t use) noexcept {
    // [N10] release: begin and size of *node are written before its address can be followed; pairs with the
    //      acquire in held(). Guard: model_tree neighbours_3x4.
    held_.store(link(node, use), P::order(Tag::publish_held, std::memory_order_release));
  }
  Node* held(std::uint64_t use) const noexcept {
    // [N10] acquire: pairs with the release in publish_held().
    const std::uint64_t raw = held_.load(P::order(Tag::publish_held, std::memory_order_acquire));
    return is_current(raw, use) ? target(raw) : nullptr;
  }

  /// Notes that nothing is left below this node, which is EXPANDED and no root. For the walks of large
  /// teams (board.h), which would otherwise look at all that has been done below.
  void mark_done() noexcept {
    // [N12] relaxed: as N11. Looked at first, because all members that walk at a time find the same.
    if (!is_marked_done()) done_.store(1, P::order(Tag::mark_below, std::memory_order_relaxed));
  }
  bool is_marked_done() const noexcept {
    return done_.load(P::order(Tag::mark_below, std::memory_order_relaxed)) != 0; // N12
  }

  /// Notes in the last root that a member has iteration n-1 of the loop number `loop`.
  void note_last(std::uint64_t loop) noexcept {
    // [N12] relaxed: a member that misses the note claims the iteration in vain. A value from 2^32 loops ago
    //       leaves the iteration to the owner of the end of this root, which claims it in any case.
    done_.store(static_cast<std::uint32_t>(loop), P::order(Tag::mark_below, std::memory_order_relaxed));
  }
  bool is_last_noted(std::uint64_t loop) const noexcept {
    return done_.load(P::order(Tag::mark_below, std::memory_order_relaxed)) ==
           static_cast<std::uint32_t>(loop); // N12
  }

  /// Writes the range of a root, which otherwise follows from the shape. A member that owns another
  /// member's root does so before publish_held(), which makes the root look like any other node.
  void write_range(std::uint64_t begin, std::uint32_t size) noexcept {
    begin_ = begin;
    size_ = size;
    level_ = 0;
  }

  /// Writes a node before it is published. `word` is AVAILABLE, or OWNED by the publisher, which then has
  /// the first batch.
  void prepare(Word word, std::uint64_t use, std::uint64_t begin, std::uint32_t size, std::uint32_t level,
               std::int64_t cost, std::uint32_t owner) noexcept {
    WSTREE_ASSERT(word.left() + word.right() <= size && (is_begun(word) || is_untouched(word))); // INV1
    word_.store(word.raw(), std::memory_order_relaxed);             // not shared yet: published by N4
    children_.store(link(nullptr, use), std::memory_order_relaxed); // likewise
    publish_cost(cost);
    publish_owner(owner);
    done_.store(0, std::memory_order_relaxed); // likewise
    size_ = size;
    begin_ = begin;
    level_ = level;
  }

  /// Empties words that are so old that their marks would soon look current. Any member that enters `use`
  /// calls it for a root.
  void refresh(std::uint64_t use) noexcept {
    // [N8] relaxed: an old word and an empty one mean the same in this use, and no data goes with either. The
    //      read-modify-write leaves alone what another member has just written. Guard: model_tree round_2x2
    //      (a plain store takes back what a member owns); team_round (a mark that is not refreshed).
    std::uint64_t raw = word_.load(P::order(Tag::refresh, std::memory_order_relaxed));
    if (Word(raw).is_old(use))
      word_.compare_exchange_strong(raw, Word(Phase::available, use, 0, 0).raw(),
                                    P::order(Tag::refresh, std::memory_order_relaxed),
                                    P::order(Tag::refresh, std::memory_order_relaxed));
    Link::template refresh<P>(children_, use);
    Link::template refresh<P>(held_, use);
  }

  /// Forgets all uses. Only while no other thread can reach the node. Does not write words that are still
  /// zero, so that unused memory stays untouched.
  void clear() noexcept {
    Link::template clear<P>(word_);
    Link::template clear<P>(children_);
    Link::template clear<P>(held_);
    extension_.clear();
  }

  /// Return whether a node may be published, or claimed, with this word.
  static constexpr bool is_untouched(Word word) noexcept {
    return word.phase() == Phase::available && word.left() + word.right() == 0;
  }
  static constexpr bool is_begun(Word word) noexcept {
    return word.phase() == Phase::owned && word.left() + word.right() != 0;
  }

  std::uint32_t size() const noexcept { return size_; }
  std::uint64_t begin() const noexcept { return begin_; }
  std::uint32_t level() const noexcept { return level_; }

  using Extension = typename ExtensionOfNode<P>::type;
  Extension& extension() noexcept { return extension_; }

private:
  using AtomicLink = typename P::template Atomic<std::uint64_t>;

  /// | use:23 | node:41 |: user addresses have 48 bits, and nodes are aligned to 128 bytes.
  using Link = Marked<typename MarksOf<P>::Link, 41>;

  static std::uint64_t link(Pair pair, std::uint64_t use) noexcept {
    return Link::of(use, reinterpret_cast<std::uintptr_t>(pair) >> 7 & Link::k_mask);
  }
  static Pair target(std::uint64_t raw) noexcept {
    return reinterpret_cast<Pair>(static_cast<std::uintptr_t>(Link::value(raw) << 7));
  }
  static bool is_current(std::uint64_t raw, std::uint64_t use) noexcept {
    return Link::is_of(raw, use) && Link::value(raw) != 0;
  }

  // Read by every search; word_ and cost_ are written by the owner per batch.
  typename P::template Atomic<std::uint64_t> word_{0};
  AtomicLink children_{0};
  typename P::template Atomic<std::int64_t> cost_{0};
  AtomicLink held_{0};                                // only in roots: written by the root's member
  typename P::template Plain<std::uint32_t> size_{0}; // constant after publication; for searches
  typename P::template Atomic<std::uint32_t> owner_{0};
  typename P::template Atomic<std::uint32_t> done_{0};
  // Needed only by a member that claims or splits the node; constant after publication.
  alignas(k_line_pair / 2) typename P::template Plain<std::uint64_t> begin_{0};
  typename P::template Plain<std::uint32_t> level_{0};
  [[no_unique_address]] Extension extension_{};
};

static_assert(sizeof(Node<StdPlatform>) == k_line_pair && alignof(Node<StdPlatform>) == k_line_pair);

} // namespace wstree::core
