// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member in a loop on the tree that should be over soon, with as few instructions as that takes.
#pragma once

#include "wstree/core/assertion.h"
#include "wstree/core/platform.h"
#include "wstree/core/prior.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/holding.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// The result of a member's request in a brief loop.
enum class BriefStep : std::uint8_t {
  piece,
  over,  ///< every unit has been handed out, and iteration n-1 too
  unfold ///< this is not as expected: a Worker has to go on from here
};

/// The member takes the first unit of its root, looks at the clock, and takes the rest in a few pieces. Its
/// root is a node like any other: a thief may stop it between two pieces. A member that is done takes roots
/// whose members have not come, and waits while little is left in the other roots. If a piece takes too long,
/// a thief has been here, or more work is left than a few steals cost, the member goes on as a Worker: so the
/// prior decides the size of pieces, and nothing else. Private to its member.
template <class P> class Brief {
public:
  /// Returns whether a member takes part in a loop with the usual settings by a Brief.
  static bool is_for(const Entry& entry) noexcept {
    return entry.prior != nullptr && entry.prior->begin(entry.iterations, entry.members, *entry.settings);
  }

  void enter(Tree<P>& tree, const Entry& entry) noexcept {
    tree_ = &tree;
    entry_ = entry;
    shape_ = Shape(entry.iterations, entry.members);
    counts_ = {};
    counts_.known = 1;
    node_ = nullptr;
    given_ = 0;
    has_arrived_ = is_share_done_ = is_retired_ = false;
    holds_end_ = entry.index + 1 == entry.members;
    cost_ = entry.prior->cost();
    since_ = P::ticks();
    if (holds_end_) __builtin_prefetch(tree.root(0)); // others_are_done() reads the other roots
  }

  BriefStep next(Range& out) noexcept {
    if (given_ != 0 && !account() && node_ != nullptr) return BriefStep::unfold;
    if (node_ != nullptr) return advance(out) ? BriefStep::piece : BriefStep::unfold;
    if (!has_arrived_) {
      has_arrived_ = true;
      if (own(entry_.index, out)) return BriefStep::piece;
    }
    if (!is_share_done_) end_share();
    return is_retired_ ? BriefStep::over : look(out);
  }

  // For the Worker that goes on.

  const Entry& entry() const noexcept { return entry_; }
  const Counts& counts() const noexcept { return counts_; }
  bool is_share_done() const noexcept { return is_share_done_; }
  /// Returns the root of which the member has units left, as its member last wrote it; or nothing.
  Holding<P> held() const noexcept {
    return node_ == nullptr ? Holding<P>() : Holding<P>(node_, begin_, size_, 0, word_);
  }

private:
  using Word = WordOf<P>;

  std::uint32_t left() const noexcept { return size_ - word_.left(); }
  std::uint64_t ticks_of(std::uint64_t units) const noexcept { return units * cost_ >> Prior::k_fraction; }
  /// Returns the ticks of work that are not worth a steal from an owner at work, and so may be one piece.
  std::uint64_t grain() const noexcept { return tuning::k_brief_steals * entry_.settings->steal_cost; }
  /// Returns the roots that have units.
  std::uint32_t roots() const noexcept {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(shape_.units(), entry_.members));
  }

  /// Ends the piece that was handed out. Returns false if it took far longer than expected.
  bool account() noexcept {
    const std::uint32_t units = given_;
    given_ = 0;
    const std::uint64_t now = P::ticks();
    const std::uint64_t spent = elapsed(since_, now);
    since_ = now;
    counts_.busy_ticks += spent;
    const std::uint64_t expected = ticks_of(units);
    if (spent <= tuning::k_like_before * expected + grain()) return true;
    counts_.surprises = 1;
    // A member without a prior takes one unit first, too.
    if (units > 1) entry_.prior->regret(spent - expected, *entry_.settings);
    return false;
  }

  /// Takes the root that has this number, with its first unit. Returns false if a member has taken it before.
  bool own(std::uint32_t root, Range& out) noexcept {
    size_ = shape_.root_size(root);
    if (size_ == 0) return false;
    Node<P>* const node = tree_->root(root);
    const std::uint64_t raw = node->inspect();
    if (Word::seen(raw, entry_.use).phase() != Phase::available) return false;
    word_ = Word(Phase::owned, entry_.use, 1, 0);
    if (!node->own(raw, word_)) return false;
    node->publish_cost(0); // instead of an earlier loop's
    if (entry_.near != nullptr && entry_.near->count != 0) node->publish_owner(entry_.near->position);
    node_ = node;
    root_ = root;
    begin_ = shape_.root_begin(root);
    give(out, begin_, 1);
    return true;
  }
  /// Takes the next piece of that root. Returns false if a thief has stopped it.
  bool advance(Range& out) noexcept {
    const std::uint32_t rest = left();
    std::uint32_t units = rest;
    for (std::uint32_t cut = 1; ticks_of(units) > grain() && cut != tuning::k_part_of_rest;)
      units = std::max(rest / (cut *= 2), 1U);
    // The member's prior has the cost of its own share only.
    if (root_ != entry_.index) units = std::min(units, tuning::k_foreign_growth * word_.left());
    std::uint64_t seen = word_.raw();
    const Word wanted = word_.with_left(units);
    WSTREE_ASSERT(units != 0 && units <= rest); // INV3, INV4
    if (!node_->advance(seen, wanted)) {
      WSTREE_ASSERT(Word(seen) == word_.stopped()); // INV3, INV5
      return false;
    }
    const std::uint64_t begin = begin_ + word_.left();
    word_ = wanted;
    give(out, begin, units);
    // One dispatch for both, if nothing is left for this member to look for.
    if (node_ == nullptr && root_ + 1 == entry_.members && others_are_done() && claim_last()) {
      ++out.end;
      out.last = true;
      ++counts_.iterations;
    }
    return true;
  }
  /// Returns whether every other root has been handed out.
  bool others_are_done() const noexcept {
    for (std::uint32_t root = roots() - 1; root-- != 0;)
      if (!is_done(root)) return false;
    return true;
  }
  bool is_done(std::uint32_t root) const noexcept {
    const Word word = word_of(root);
    return word.phase() == Phase::owned && word.left() == shape_.root_size(root);
  }
  Word word_of(std::uint32_t root) const noexcept {
    return Word::seen(tree_->root(root)->inspect(), entry_.use);
  }

  void give(Range& out, std::uint64_t begin, std::uint32_t units) noexcept {
    out = {begin, begin + units, false};
    given_ = units;
    counts_.iterations += units;
    ++counts_.batches;
    if (left() != 0) return;
    node_ = nullptr;
    if (root_ + 1 == entry_.members) holds_end_ = true;
  }

  bool claim_last() noexcept {
    is_retired_ = tree_->last.claim(entry_.loop);
    if (is_retired_) tree_->root(entry_.members - 1)->note_last(entry_.loop);
    return is_retired_;
  }
  bool take_last(Range& out) noexcept {
    if (!claim_last()) return false;
    out = {entry_.iterations - 1, entry_.iterations, true};
    given_ = 1;
    ++counts_.iterations;
    ++counts_.batches;
    return true;
  }

  /// The member has nothing left of its share, or never had anything.
  void end_share() noexcept {
    is_share_done_ = true;
    counts_.forgotten = entry_.prior->take_displaced() ? 1 : 0;
    if (counts_.iterations != 0) entry_.prior->learn(counts_.iterations, counts_.busy_ticks);
  }

  /// Takes a root whose member has not come, or iteration n-1 when all roots have been handed out.
  BriefStep look(Range& out) noexcept {
    const std::uint32_t roots = this->roots();
    if (roots > entry_.settings->scan_all) return BriefStep::unfold;
    for (std::uint64_t since = 0;;) {
      bool are_done = true;
      for (std::uint32_t i = 0, root = entry_.index; i < roots; ++i) {
        root = root + 1 < roots ? root + 1 : 0;
        const std::uint32_t size = shape_.root_size(root);
        const Word word = word_of(root);
        if (size == 0 || (word.phase() == Phase::owned && word.left() == size)) continue;
        if (word.phase() == Phase::available && own(root, out)) {
          ++counts_.steals;
          return BriefStep::piece;
        }
        // A thief would get nothing from an owner that has little left.
        if (word.phase() == Phase::stolen || ticks_of(size - word.left()) > grain()) return BriefStep::unfold;
        are_done = false;
      }
      if (are_done) break;
      if (!wait(since)) return BriefStep::unfold;
    }
    // The member with the end of the loop is mostly about to take it.
    for (std::uint64_t since = 0; !holds_end_;) {
      if (tree_->root(entry_.members - 1)->is_last_noted(entry_.loop)) return BriefStep::over;
      if (!wait(since)) break;
    }
    if (entry_.pace != nullptr) return BriefStep::unfold; // a Worker leaves it to faster members
    return take_last(out) ? BriefStep::piece : BriefStep::over;
  }
  /// Waits for a part of the time that a few steals take, and leaves the other members their cache lines so
  /// long. Returns false if the member has waited long enough, from `since` on.
  bool wait(std::uint64_t& since) const noexcept {
    const std::uint64_t now = P::ticks();
    if (since == 0) since = now;
    if (elapsed(since, now) >= grain()) return false;
    do P::relax();
    while (elapsed(now, P::ticks()) < grain() / 8);
    return true;
  }

  Tree<P>* tree_;
  Entry entry_;
  Shape shape_;
  Counts counts_;
  std::uint64_t cost_;  // ticks per unit << Prior::k_fraction
  std::uint64_t since_; // when the clock was read last
  std::uint32_t given_; // units of the piece that the caller is executing; 0: none
  bool has_arrived_;
  bool is_share_done_;
  bool holds_end_;  // it had the end of the last root, or should have had
  bool is_retired_; // it has iteration n-1, and gets no more
  // The root that the member owns, while node_ is not nullptr:
  Node<P>* node_;
  Word word_; // the word that this member last wrote
  std::uint32_t root_;
  std::uint32_t size_;
  std::uint64_t begin_;
};

} // namespace wstree::core
