// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a team working on one reduction (the paper, appendix A.1).
#pragma once

#include "wstree/core/assertion.h"
#include "wstree/core/reduction/body.h"
#include "wstree/core/reduction/cells.h"
#include "wstree/core/reduction/pacing.h"
#include "wstree/core/tree/owner.h"
#include "wstree/core/tree/search/find_max.h"

#include <cstdint>

namespace wstree::core {

/// Private to its member. Moves in the tree are those of Owner. The tree has all iterations: nothing here
/// corresponds to lastprivate variables, so none is held back. The value of the node that a member owns is
/// its own until it is done with the node.
template <class Platform> class ReductionWorker {
public:
  using P = ReductionPlatform<Platform>;
  /// Looks for work in the order of a strategy other than find_max, as find() does.
  using OtherFind = bool (*)(ReductionWorker& worker, Range& batch);

  ReductionWorker(const ErasedBody& body, const MemberValues& values, OtherFind other_find) noexcept
      : body_(body), values_(values), other_find_(other_find) {}

  /// The entry of a reduction of entry.iterations - 1 elements: iteration n-1 of a tree is not in it.
  [[gnu::cold]] void enter(Tree<P>& tree, ReductionArena<P>& arena, const Entry& entry, std::uint64_t most,
                           Cost cost) noexcept {
    const Shape shape = shape_of(entry);
    pacing().enter(shape, entry, most, cost);
    owner_.enter(View<P>(tree, shape, entry.use), arena, entry);
    find_max_.enter(entry, owner_.near());
  }

  /// Works until every unit is taken, or the reduction has ended early.
  void run() noexcept {
    const OneThread::Inside inside(one_thread_);
    Range batch;
    for (bool has_work = owner_.arrive(batch); has_work || look_elsewhere(batch); has_work = false)
      if (!work_on(batch)) return;
  }

  const Counts& counts() const noexcept { return owner_.counts(); }

  static Shape shape_of(const Entry& entry) noexcept {
    const std::uint32_t most =
        entry.settings->batch == BatchMode::random ? k_max_share_from_both_ends : k_max_share;
    return {entry.iterations, entry.settings->roots == 0 ? entry.members : entry.settings->roots, most / 2};
  }

private:
  using Side = typename Cell<P>::Side;

  Holding<P>& held() noexcept { return owner_.held(); }
  BoundedPacing<P>& pacing() noexcept { return owner_.pacing(); }
  const View<P>& view() const noexcept { return owner_.view(); }
  std::uint64_t use() const noexcept { return view().use(); }

  /// Works on the node that was just claimed, with its first batch, and then on the rest that thieves leave.
  /// Returns false if the reduction has ended.
  bool work_on(Range& batch) noexcept {
    for (;;) {
      if (!execute(batch)) return false;
      account(batch);
      if (held().remaining() == 0) return complete();
      if (owner_.advance(batch)) continue;
      Node<P>* const stopped = held().node();
      const std::uint64_t begin = held().begin();
      // The half first: until it is claimed any member may take it.
      const bool goes_on = owner_.descend(batch);
      if (!prepare(*stopped, begin)) return false;
      if (!goes_on) return true;
    }
  }

  bool execute(const Range& batch) noexcept {
    if (view().shape().range(0, held().first()).end == batch.end) {
      return *values_.left.has_value ? body_.extend(values_.left, batch.begin, batch.end)
                                     : body_.start(values_.left, batch.begin, batch.end);
    }
    return body_.has_values() ? execute_right(batch) : body_.start(values_.batch, batch.begin, batch.end);
  }
  /// Executes a batch from the right end: this batch stands before those that came before.
  [[gnu::cold]] bool execute_right(const Range& batch) noexcept {
    const ValueSlot first = values_.batch, right = values_.right;
    if (!body_.start(first, batch.begin, batch.end)) return false;
    if (*right.has_value && !body_.combine(first.place, right.place, batch.end)) return false;
    body_.reset(right);
    *right.has_value = body_.move(right.place, first.place, batch.begin);
    body_.reset(first);
    return *right.has_value;
  }

  /// The batch is done.
  void account(const Range& batch) noexcept {
    if (pacing().may_skip() && held().remaining() != 0) return pacing().skip();
    if (!pacing().finish(true, owner_.counts().busy_ticks) || !pacing().is_timed()) return;
    pacing().learn(batch.begin, pacing().cost());
    held().node()->publish_cost(static_cast<std::int64_t>(pacing().cost()));
  }

  // The functions below run once or a few times per reduction.

  /// Completes the own node, which is done: its value goes up.
  [[gnu::cold]] bool complete() noexcept {
    Node<P>* const node = held().node();
    const std::uint64_t begin = held().begin();
    held().drop();
    if (!body_.has_values()) return true;
    const ValueSlot left = values_.left, right = values_.right;
    if (*left.has_value && *right.has_value) {
      if (!body_.combine(left.place, right.place, begin_of(begin))) return false;
      body_.reset(right);
    }
    if (!put(*node, Side::left, *left.has_value ? left : right, begin)) return false;
    Node<P>* const parent = node->extension().parent();
    return parent == nullptr || arrive(*parent);
  }

  /// Prepares the own node, which a thief has stopped, for the values of its halves: its own value waits
  /// for them.
  [[gnu::cold]] bool prepare(Node<P>& node, std::uint64_t begin) noexcept {
    return !body_.has_values() || (put(node, Side::left, values_.left, begin) &&
                                   put(node, Side::right, values_.right, begin) && arrive(node));
  }

  /// Counts this member's arrival; the member that arrives last goes on, up to a root.
  [[gnu::cold]] bool arrive(Node<P>& at) noexcept {
    for (Node<P>* node = &at; node != nullptr; node = node->extension().parent()) {
      const std::uint32_t before = node->extension().arrive(use());
      if (before == 0) return true; // a frozen node has units, so one child at least has a value
      const auto pair = node->children(use());
      const std::uint32_t all = 1U + (pair[0].size() != 0 ? 1U : 0U) + (pair[1].size() != 0 ? 1U : 0U);
      WSTREE_ASSERT(before < all); // INV8
      if (before + 1 != all) return true;
      if (body_.has_ended() || !combine(*node, pair)) return false;
    }
    return true;
  }

  /// Combines the values of a node in order: own batches from the left, left child, right child, own batches
  /// from the right.
  bool combine(Node<P>& node, typename Node<P>::Pair pair) noexcept {
    const std::uint64_t at = begin_of(pair[0].begin());
    if (pair[0].size() != 0 && !append(node, cell_of(pair[0]), Side::left, at)) return false;
    if (pair[1].size() != 0 && !append(node, cell_of(pair[1]), Side::left, begin_of(pair[1].begin())))
      return false;
    return append(node, cell_of(node), Side::right, at);
  }
  /// Appends the value of `cell` to that of the node; it need not be there.
  bool append(Node<P>& node, Cell<P>& cell, Side side, std::uint64_t at) noexcept {
    const BodyCalls& calls = *body_.calls;
    void* const value = cell.find(calls, side);
    if (value == nullptr) return true;
    Cell<P>& to = cell_of(node);
    if (void* const before = to.find(calls, Side::left)) {
      if (!body_.combine(before, value, at)) return false;
    } else {
      if (!body_.move(to.place(calls, Side::left), value, at)) return false;
      to.set(Side::left);
    }
    cell.drop(calls, side);
    return true;
  }
  bool put(Node<P>& node, Side side, ValueSlot value, std::uint64_t begin) noexcept {
    if (!*value.has_value) return true;
    Cell<P>& to = cell_of(node);
    if (!body_.move(to.place(*body_.calls, side), value.place, begin_of(begin))) return false;
    to.set(side);
    body_.reset(value);
    return true;
  }
  static Cell<P>& cell_of(Node<P>& node) noexcept { return *static_cast<Cell<P>*>(node.extension().cell()); }
  std::uint64_t begin_of(std::uint64_t unit) const noexcept { return unit << view().shape().shift(); }

  /// Looks for work elsewhere: neither the own node nor the own root has any for this member.
  [[gnu::cold]] bool look_elsewhere(Range& batch) noexcept {
    pacing().end_share(owner_.counts());
    if (!find(batch)) return false;
    pacing().searched();
    return true;
  }

  /// findWork.
  [[gnu::cold]] bool find(Range& batch) noexcept {
    if (owner_.order().strategy() != Strategy::find_max) return other_find_(*this, batch);
    Rng& rng = owner_.rng();
    find_max_.start(view(), rng);
    Worth<P> worth(pacing().settings(), owner_.supply(), pacing().cost(), pacing().least_worth());
    while (!body_.has_ended()) {
      const Target<P> target = find_max_.next(view(), rng, worth);
      if (target.node == nullptr) {
        const std::uint64_t wait = worth.accept_all();
        if (wait == 0) return false;
        for (const std::uint64_t since = P::ticks(); P::ticks() - since < wait;) P::relax();
        continue;
      }
      if (owner_.claim(target, find_max_.share(), batch) == Claim::taken) return true;
      P::relax(); // a lost race means that another thief got ahead; after a refusal the node is worth nothing
    }
    return false;
  }

  template <class> friend struct StrategySearch;

  ErasedBody body_;
  MemberValues values_;
  OtherFind other_find_; // nullptr: the strategy is find_max
  Owner<P, BoundedPacing<P>> owner_;
  FindMax<P> find_max_;
  [[no_unique_address]] OneThread one_thread_;
};

} // namespace wstree::core
