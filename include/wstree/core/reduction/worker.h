// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a team working on one reduction (the paper, appendix A.1).
#pragma once

#include "wstree/core/reduction/cells.h"
#include "wstree/core/reduction/pacing.h"
#include "wstree/core/reduction/value.h"
#include "wstree/core/tree/owner.h"
#include "wstree/core/tree/search/find_max.h"
#include "wstree/core/tree/search/traversal.h"

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace wstree::core {

/// What a reduction does with its elements. None throws: false means that it has failed, and that the
/// reduction is to end. Members call them at a time.
///
///   start(place, begin, end)   makes the value of [begin, end) at `place`
///   extend(value, begin, end)  continues `value` by the elements behind it
///   combine(left, right, at)   continues `left` by the value of what follows it; `at`: where `right` begins
///   move(place, value, at)     moves a value
///   goes_on()                  whether the batch that was taken may start; false ends the reduction
///   has_ended()                whether the reduction has ended early
template <class B>
concept ReductionBody = requires(B& body, void* place, typename B::Value& value, std::uint64_t n) {
  { body.start(place, n, n) } -> std::same_as<bool>;
  { body.extend(value, n, n) } -> std::same_as<bool>;
  { body.combine(value, value, n) } -> std::same_as<bool>;
  { body.move(place, value, n) } -> std::same_as<bool>;
  { body.goes_on() } -> std::same_as<bool>;
  { body.has_ended() } -> std::same_as<bool>;
};

/// Private to its member. Moves in the tree are those of Owner. The tree has all iterations: nothing here
/// corresponds to lastprivate variables, so none is held back. The value of the node that a member owns is
/// its own until it is done with the node.
template <class Platform, ReductionBody Body> class ReductionWorker {
public:
  using P = ReductionPlatform<Platform>;
  using Value = typename Body::Value;
  using Cell = core::Cell<P, Value>;
  /// Nothing has to be combined.
  static constexpr bool k_has_values = !std::is_empty_v<Value>;
  static constexpr std::size_t k_cell_bytes = k_has_values ? sizeof(Cell) : 0;

  explicit ReductionWorker(Body& body) noexcept : body_(body) {}

  /// The entry of a reduction of entry.iterations - 1 elements: iteration n-1 of a tree is not in it.
  void enter(Tree<P>& tree, ReductionArena<P>& arena, const Entry& entry, std::uint64_t most) noexcept {
    const Shape shape = shape_of(entry);
    pacing().enter(shape, entry, most);
    owner_.enter(View<P>(tree, shape, entry.use), arena, entry);
    find_max_.enter(entry, owner_.near());
  }

  /// Works until every unit is taken, or the reduction has ended early.
  void run() noexcept {
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
  Holding<P>& held() noexcept { return owner_.held(); }
  BoundedPacing<P>& pacing() noexcept { return owner_.pacing(); }
  const View<P>& view() const noexcept { return owner_.view(); }
  std::uint64_t use() const noexcept { return view().use(); }

  /// Works on the node that was just claimed, with its first batch, and then on what thieves leave of it.
  /// Returns false if the reduction has ended.
  bool work_on(Range& batch) noexcept {
    for (;;) {
      if (!body_.goes_on() || !execute(batch)) return false;
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
      if (left_.has_value()) return body_.extend(left_.value(), batch.begin, batch.end);
      if (!body_.start(left_.place(), batch.begin, batch.end)) return false;
      left_.set();
      return true;
    }
    // From the right end: this batch stands before those that came before.
    Maybe<Value> first;
    if (!body_.start(first.place(), batch.begin, batch.end)) return false;
    first.set();
    if (right_.has_value() && !body_.combine(first.value(), right_.value(), batch.end)) return false;
    right_.reset();
    if (!body_.move(right_.place(), first.value(), batch.begin)) return false;
    right_.set();
    return true;
  }

  /// The batch is done.
  void account(const Range& batch) noexcept {
    if (pacing().may_skip() && held().remaining() != 0) return pacing().skip();
    if (!pacing().finish(true, owner_.counts().busy_ticks) || !pacing().is_timed()) return;
    pacing().learn(batch.begin, pacing().cost());
    held().node()->publish_cost(pacing().cost());
  }

  // What follows happens once or a few times per reduction.

  /// The own node is done: its value goes up.
  [[gnu::noinline]] bool complete() noexcept {
    Node<P>* const node = held().node();
    const std::uint64_t begin = held().begin();
    held().drop();
    if constexpr (k_has_values) {
      if (left_.has_value() && right_.has_value()) {
        if (!body_.combine(left_.value(), right_.value(), begin_of(begin))) return false;
        right_.reset();
      }
      if (!put(*node, Cell::left, left_.has_value() ? left_ : right_, begin)) return false;
      if (Node<P>* const parent = node->extension().parent()) return arrive(*parent);
    }
    return true;
  }

  /// A thief has stopped the own node: its value waits for those of the halves.
  [[gnu::noinline]] bool prepare(Node<P>& node, std::uint64_t begin) noexcept {
    if constexpr (k_has_values)
      return put(node, Cell::left, left_, begin) && put(node, Cell::right, right_, begin) && arrive(node);
    return true;
  }

  /// Counts this member's arrival; the member that arrives last goes on, up to a root.
  bool arrive(Node<P>& at) noexcept {
    for (Node<P>* node = &at; node != nullptr; node = node->extension().parent()) {
      const std::uint32_t before = node->extension().arrive(use());
      if (before == 0) return true; // a frozen node has units, so one child at least has a value
      const auto pair = node->children(use());
      const std::uint32_t all = 1U + (pair[0].size() != 0 ? 1U : 0U) + (pair[1].size() != 0 ? 1U : 0U);
      if (before + 1 != all) return true;
      if (body_.has_ended() || !combine(*node, pair)) return false;
    }
    return true;
  }

  /// Own batches from the left, left child, right child, own batches from the right.
  bool combine(Node<P>& node, typename Node<P>::Pair pair) noexcept {
    const std::uint64_t at = begin_of(pair[0].begin());
    if (pair[0].size() != 0 && !append(node, cell_of(pair[0]), Cell::left, at)) return false;
    if (pair[1].size() != 0 && !append(node, cell_of(pair[1]), Cell::left, begin_of(pair[1].begin())))
      return false;
    return append(node, cell_of(node), Cell::right, at);
  }
  /// The value of `cell` behind that of the node; it need not be there.
  bool append(Node<P>& node, Cell& cell, typename Cell::Side side, std::uint64_t at) noexcept {
    Value* const value = cell.find(side);
    if (value == nullptr) return true;
    Cell& to = cell_of(node);
    if (Value* const before = to.find(Cell::left)) {
      if (!body_.combine(*before, *value, at)) return false;
    } else {
      if (!body_.move(to.place(Cell::left), *value, at)) return false;
      to.set(Cell::left);
    }
    cell.drop(side);
    return true;
  }
  bool put(Node<P>& node, typename Cell::Side side, Maybe<Value>& value, std::uint64_t begin) noexcept {
    if (!value.has_value()) return true;
    Cell& to = cell_of(node);
    if (!body_.move(to.place(side), value.value(), begin_of(begin))) return false;
    to.set(side);
    value.reset();
    return true;
  }
  static Cell& cell_of(Node<P>& node) noexcept {
    return *std::launder(static_cast<Cell*>(node.extension().cell()));
  }
  std::uint64_t begin_of(std::uint64_t unit) const noexcept { return unit << view().shape().shift(); }

  /// Neither the own node nor the own root has anything for this member.
  [[gnu::noinline]] bool look_elsewhere(Range& batch) noexcept {
    const Course course = pacing().end_share(owner_.counts());
    if (!find(batch, course)) return false;
    pacing().searched();
    return true;
  }

  /// findWork.
  bool find(Range& batch, Course course) noexcept {
    Rng& rng = owner_.rng();
    const auto claim = [&](const Target<P>& target) {
      return owner_.claim(target, find_max_.share(), batch);
    };
    if (owner_.order().strategy() != Strategy::find_max)
      return Traversal<P>(view(), owner_.order(), owner_.near(), rng).any(claim);
    find_max_.start(view(), rng);
    Worth<P> worth(pacing().settings(), owner_.supply(), pacing().cost(), course);
    while (!body_.has_ended()) {
      const Target<P> target = find_max_.next(view(), rng, worth);
      if (target.node == nullptr) {
        const std::uint64_t wait = worth.accept_all();
        if (wait == 0) return false;
        for (const std::uint64_t since = P::ticks(); P::ticks() - since < wait;) P::relax();
        continue;
      }
      if (claim(target) == Claim::taken) return true;
      P::relax(); // a lost race means that another thief got ahead; after a refusal the node is worth nothing
    }
    return false;
  }

  Body& body_;
  Owner<P, BoundedPacing<P>> owner_;
  FindMax<P> find_max_;
  Maybe<Value> left_;  // of the node that this member owns: of batches from its left end,
  Maybe<Value> right_; // and from its right one
};

} // namespace wstree::core
