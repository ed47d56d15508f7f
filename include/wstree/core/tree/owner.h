// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The paper's algorithm: own, advance, steal, expand, descend (Prokopec & Odersky, section 3). search/
// chooses the node that a thief looks at, pacing.h the number of units that an owner takes.
#pragma once

#include "wstree/core/assertion.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/tree/holding.h"
#include "wstree/core/tree/order.h"
#include "wstree/core/tree/supply.h"
#include "wstree/core/tree/tree.h"

#include <cstdint>

namespace wstree::core {

/// The result of an attempt to claim a node.
enum class Claim : std::uint8_t {
  taken,
  lost_race, ///< another member got ahead; the node is worth another look
  refused,   ///< no memory for its children
};

/// One member's moves in the tree. A move that succeeds hands out a batch of the node that the member owns
/// from then on. Private to its member.
///
/// Pacing, which belongs to the member, decides the number of units in a batch: start_node(), size(units
/// left), gave(units), takes_left_end(coin), cost() of a unit, and searched() when a search has
/// taken time.
template <class P, class Pacing> class Owner {
public:
  using Word = WordOf<P>;
  using Pair = typename Node<P>::Pair;

  void enter(const View<P>& view, ArenaOf<P>& arena, const Entry& entry) noexcept {
    view_ = view;
    held_.drop();
    counts_ = {};
    supply_.enter(arena);
    order_ = Order(entry.settings->strategy, entry.index, entry.members);
    near_ = entry.near != nullptr && entry.near->count != 0 ? entry.near : nullptr;
    rng_ = Rng(entry.loop * 1'000'003 + entry.index);
    index_ = entry.index;
  }

  const View<P>& view() const noexcept { return view_; }
  std::uint32_t index() const noexcept { return index_; } ///< number of the member, and of its root
  Holding<P>& held() noexcept { return held_; }
  const Counts& counts() const noexcept { return counts_; }
  Counts& counts() noexcept { return counts_; }
  Supply<P>& supply() noexcept { return supply_; }
  const Order& order() const noexcept { return order_; }
  /// nullptr: distance does not matter.
  const Neighbourhood* near() const noexcept { return k_has_neighbours<P> ? near_ : nullptr; }
  Pacing& pacing() noexcept { return pacing_; }
  Rng& rng() noexcept { return rng_; }

  /// Takes the root that has this member's number, unless another member has taken it.
  [[gnu::noinline]] bool arrive(Range& out) noexcept {
    if (index_ >= view_.shape().roots()) return false;
    const Target<P> target = view_.root(index_);
    return target.size != 0 && target.word.phase() == Phase::available && own(target, out);
  }

  /// tryOwn, with the first batch in the same step.
  bool own(const Target<P>& target, Range& out) noexcept {
    WSTREE_ASSERT(Node<P>::is_untouched(target.word)); // INV2
    const Batch batch = first_batch(target.begin, target.size);
    WSTREE_ASSERT(batch.units <= target.size); // INV3
    if (!target.node->own(target.raw, batch.word)) return false;
    if (target.level == 0)
      target.node->publish_cost(static_cast<std::int64_t>(pacing_.cost())); // instead of an earlier loop's
    if (near() != nullptr) target.node->publish_owner(near()->position);
    hold({target.node, target.begin, target.size, target.level, batch.word});
    give(out, batch.begin, batch.units);
    return true;
  }

  /// tryAdvance: takes the next batch of the own node, of which something is left. Returns false if a thief
  /// stopped the node; descend() has to follow.
  [[gnu::always_inline]] bool advance(Range& out) noexcept {
    const std::uint32_t units = pacing_.size(held_.remaining());
    const bool from_left = pacing_.takes_left_end(rng_);
    const std::uint64_t begin = from_left ? held_.first() : held_.past() - units;
    if (!held_.advance(from_left, units)) return false;
    give(out, begin, units);
    return true;
  }

  /// Descends to one of the children after a thief has stopped the node of this member.
  [[gnu::noinline]] bool descend(Range& out) noexcept {
    const Target<P> stopped = held_.target();
    pacing_.start_search(counts_.busy_ticks);
    held_.drop();
    if (!expand(stopped, true, out)) return false;
    pacing_.searched();
    return true;
  }

  /// Takes work from any member's node, `eighths` of the rest if it has to be split.
  Claim claim(const Target<P>& target, std::uint32_t eighths, Range& out) noexcept {
    bool taken = false;
    switch (target.word.phase()) {
    case Phase::available:
      taken = own(target, out);
      break;
    case Phase::owned: {
      const Pair pair = supply_.take_to_steal();
      if (pair == nullptr) return Claim::refused;
      taken = steal(target, pair, eighths, out);
      break;
    }
    case Phase::stolen:
      taken = expand(target, false, out);
      if (!taken && supply_.is_exhausted()) return Claim::refused;
      break;
    }
    if (!taken) return Claim::lost_race;
    if (target.node != view_.tree().root(index_)) ++counts_.steals;
    return Claim::taken;
  }

  /// trySteal, second step, for every member that meets a frozen node: its victim, or a worker that helps.
  bool expand(const Target<P>& frozen, bool is_victim, Range& out) noexcept {
    const bool left = order_.chooses_left(frozen.level, is_victim, rng_);
    const auto [theirs, mine] = supply_.pair_for(*frozen.node, view_.use());
    WSTREE_ASSERT(theirs == nullptr || covers(theirs, frozen)); // INV6
    if (theirs != nullptr) return adopt(theirs, left, out);
    return mine != nullptr && publish(mine, frozen, left, k_half, out);
  }

  /// Leaves the rest of the own node to all members, also to one that has no memory to steal it: splits it as
  /// a thief would, and keeps neither half. Returns the frozen node.
  Target<P> leave(Pair pair) noexcept {
    Target<P> rest = held_.target();
    held_.drop();
    const Word free(Phase::available, view_.use(), 0, 0);
    // A faster thief has hung its own pair.
    if (!rest.node->stop(rest.word) || hang(pair, rest, rest.remaining() / 2, free, free) != pair)
      supply_.untake(pair);
    return rest;
  }

  /// `out` is handed out.
  [[gnu::always_inline]] void count(const Range& out) noexcept {
    counts_.iterations += out.end - out.begin;
    ++counts_.batches;
  }

private:
  static constexpr std::uint32_t k_half = 4; // eighths

  /// The first batch of a node, and the word that claims it.
  struct Batch {
    Word word;
    std::uint64_t begin;
    std::uint32_t units;
  };
  Batch first_batch(std::uint64_t begin, std::uint32_t size) noexcept {
    pacing_.start_node();
    const std::uint32_t units = pacing_.size(size);
    const bool from_left = pacing_.takes_left_end(rng_);
    return {Word(Phase::owned, view_.use(), from_left ? units : 0, from_left ? 0 : units),
            from_left ? begin : begin + size - units, units};
  }

  /// Hands out units [begin, begin + units).
  void give(Range& out, std::uint64_t begin, std::uint32_t units) noexcept {
    out = view_.shape().range(begin, begin + units);
    pacing_.gave(units);
    count(out);
  }

  void hold(const Holding<P>& node) noexcept {
    held_ = node;
    if (near() != nullptr) show_held();
  }
  /// Shows neighbours the node that this member owns, unless it is its root.
  [[gnu::noinline]] void show_held() noexcept {
    if (index_ >= view_.shape().roots()) return;
    Node<P>* const root = view_.tree().root(index_);
    if (held_.node() == root) return;
    if (held_.level() == 0) held_.node()->write_range(held_.begin(), held_.size());
    root->publish_held(held_.node(), view_.use());
  }

  /// trySteal, first step: freezes the node.
  bool steal(Target<P> target, Pair pair, std::uint32_t eighths, Range& out) noexcept {
    WSTREE_ASSERT(target.remaining() != 0); // INV5
    if (!target.node->stop(target.word)) {
      supply_.untake(pair);
      return false;
    }
    target.word = target.word.stopped();
    return publish(pair, target, order_.chooses_left(target.level, false, rng_), eighths, out);
  }

  /// Splits the rest of a frozen node in two, `eighths` of it for this member, takes the first batch of that
  /// and publishes both.
  bool publish(Pair pair, const Target<P>& frozen, bool left, std::uint32_t eighths, Range& out) noexcept {
    WSTREE_ASSERT(frozen.word.phase() == Phase::stolen); // INV6
    const std::uint32_t remaining = frozen.remaining();
    // The publisher's part is never empty.
    const auto theirs = static_cast<std::uint32_t>(std::uint64_t{remaining} * (8 - eighths) / 8);
    const std::uint32_t half = left ? remaining - theirs : theirs;
    const std::uint64_t first_unit = frozen.begin + frozen.word.left();
    const std::uint32_t size = left ? half : remaining - half;
    const std::uint64_t begin = left ? first_unit : first_unit + half;
    const Batch batch = first_batch(begin, size);
    const Word free(Phase::available, view_.use(), 0, 0);
    const Pair hung = hang(pair, frozen, half, left ? batch.word : free, left ? free : batch.word);
    if (hung != pair) {
      supply_.untake(pair);
      return adopt(hung, left, out);
    }
    hold({left ? pair : pair + 1, begin, size, frozen.level + 1, batch.word});
    give(out, batch.begin, batch.units);
    return true;
  }

  /// Makes `pair` the two halves of the rest of a frozen node, `half` units in the left one, and hangs it
  /// below the node. Returns the pair that hangs there.
  Pair hang(Pair pair, const Target<P>& frozen, std::uint32_t half, Word left, Word right) noexcept {
    const std::uint64_t first_unit = frozen.begin + frozen.word.left();
    const std::int64_t cost = frozen.node->published_cost();
    const std::uint32_t victim = frozen.node->owner();
    const std::uint32_t me = near() != nullptr ? near()->position : victim;
    const auto owner = [=](Word word) { return word.phase() == Phase::owned ? me : victim; };
    pair[0].prepare(left, view_.use(), first_unit, half, frozen.level + 1, cost, owner(left));
    pair[1].prepare(right, view_.use(), first_unit + half, frozen.remaining() - half, frozen.level + 1, cost,
                    owner(right));
    for (const int side : {0, 1}) pair[side].extension().start(frozen.node, view_.use());
    const Pair hung = frozen.node->adopt(pair, view_.use());
    WSTREE_ASSERT(covers(hung, frozen)); // INV6
    if (hung == pair) counts_.nodes += 2;
    return hung;
  }

  /// Returns whether two nodes cover exactly the units that were left in a frozen node.
  static bool covers(Pair pair, const Target<P>& frozen) noexcept {
    return pair[0].begin() == frozen.begin + frozen.word.left() &&
           pair[1].begin() == pair[0].begin() + pair[0].size() &&
           pair[0].size() + pair[1].size() == frozen.remaining();
  }

  /// Takes a free half, if one is left, of a node that another member has split.
  bool adopt(Pair pair, bool left, Range& out) noexcept {
    for (const int side : {left ? 0 : 1, left ? 1 : 0}) {
      const Target<P> target = view_.inner(pair + side);
      if (target.size > 0 && target.word.phase() == Phase::available && own(target, out)) return true;
    }
    return false;
  }

  View<P> view_;
  Holding<P> held_;
  Pacing pacing_;
  Counts counts_;
  Supply<P> supply_;
  const Neighbourhood* near_ = nullptr;
  Order order_;
  std::uint32_t index_ = 0;
  Rng rng_;
};

} // namespace wstree::core
