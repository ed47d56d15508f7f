// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a team working on one loop on the tree (the paper's run and workOn as a state machine,
// because OpenMP calls for one chunk at a time).
#pragma once

#include "wstree/core/assertion.h"
#include "wstree/core/pacing.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/tree/arena.h"
#include "wstree/core/tree/giving_way.h"
#include "wstree/core/tree/last_iteration.h"
#include "wstree/core/tree/owner.h"
#include "wstree/core/tree/search/find_max.h"
#include "wstree/core/tree/search/traversal.h"
#include "wstree/core/tree/tree.h"

#include <cstdint>

namespace wstree::core {

/// Private to its member; next() is called until it returns false. Its parts: a member's moves in the tree
/// (owner.h), the search for work (search/), the sizes of batches (pacing.h), the start of iteration n-1
/// (last_iteration.h), and work that is left to faster members (giving_way.h).
template <class P> class Worker {
public:
  using Loop = Tree<P>;
  using Memory = Arena<P>;

  /// The member's own root is root(index).
  void enter(Tree<P>& tree, Arena<P>& arena, const Entry& entry) noexcept {
    const Shape shape = shape_of(entry);
    pacing().enter(shape, entry);
    owner_.enter(View<P>(tree, shape, entry.use), arena, entry);
    find_max_.enter(entry, owner_.near());
    last_.enter(shape, entry);
    way_.enter(entry);
    is_careful_ = last_.may_be_early() || way_.is_slow();
    stage_ = Stage::arriving;
  }

  /// After enter(), for a member that has had a part of the loop, counted in `counts`, and owns the rest of
  /// the root `held`, or nothing.
  void take_over(const Holding<P>& held, const Counts& counts, bool is_share_done) noexcept {
    owner_.held() = held;
    owner_.counts() = counts;
    if (counts.steals != 0) last_.note_late();
    pacing().go_on(is_share_done);
    stage_ = Stage::sharing;
  }

  /// After enter(): a member that has got iteration n-1 gets more, as no variable is copied out.
  void go_on_after_last() noexcept { with_last_ = Stage::sharing; }

  /// Gives this member its next batch of the loop. Returns false when nothing is left for it: every unit is
  /// in the hands of some member.
  bool next(Range& out) noexcept { return next_quickly(out) || next_slowly(out); }

  /// Does the same if the batch is out of the middle of the own node and the member need not read the clock.
  /// Returns false if the caller has to call next_slowly(); nothing has happened then.
  [[gnu::always_inline]] bool next_quickly(Range& out) noexcept {
    if (!pacing().is_quick()) return false;
    const std::uint32_t remaining = held().remaining();
    const std::uint32_t units = pacing().size(remaining);
    if (units >= remaining) return false;
    const std::uint64_t begin = held().first();
    if (!held().advance_quickly(units)) [[unlikely]]
      return false;
    pacing().gave_quickly(units);
    out = view().shape().inner_range(begin, begin + units);
    owner_.count(out);
    return true;
  }

  bool next_slowly(Range& out) noexcept {
    const OneThread::Inside inside(one_thread_);
    pacing().end_quick();
    if (pacing().given() != 0) account();
    if (stage_ == Stage::retired) {
      pacing().end_share(owner_.counts());
      return false;
    }
    if ((!held().is_empty() && go_on(out)) || (stage_ == Stage::arriving && arrive(out))) {
      if (!held().is_empty() &&
          !(is_careful_ && (last_.may_be_early(cost()) || way_.may_leave(pacing().settings(), cost()))))
        pacing().allow_quick();
      return true;
    }
    return look_elsewhere(out);
  }

  const Counts& counts() const noexcept { return owner_.counts(); }
  const View<P>& view() const noexcept { return owner_.view(); }

  // For traces.

  /// Returns the time when this member read the clock last, with Settings::clocked: at the end of a batch, or
  /// of a search.
  std::uint64_t clock() noexcept { return pacing().clock(); }
  /// Returns whether nothing is left of the member's node, so that next() will look elsewhere.
  bool is_at_end() noexcept { return held().is_empty() || held().remaining() == 0; }

  /// Returns the shape of a loop that members enter by `entry`.
  static Shape shape_of(const Entry& entry) noexcept {
    const std::uint32_t most =
        entry.settings->batch == BatchMode::random ? k_max_share_from_both_ends : k_max_share;
    return {entry.iterations, entry.settings->roots == 0 ? entry.members : entry.settings->roots, most / 2};
  }
  static std::uint64_t unclaimed(Tree<P>& tree, const Entry& entry) noexcept {
    const Shape shape = shape_of(entry);
    std::uint64_t iterations = tree.last.is_taken(entry.loop) ? 0 : 1;
    View<P>(tree, shape, entry.use).any_leaf([&](const Target<P>& leaf) {
      const std::uint64_t first = leaf.begin + leaf.word.left();
      const Range left = shape.range(first, first + leaf.remaining());
      iterations += left.end - left.begin;
      return false;
    });
    return iterations;
  }

private:
  /// Between `arriving` and `retired` a member owns a node or looks for one: held() says which.
  enum class Stage : std::uint8_t {
    arriving, ///< it has not looked at its root
    sharing,
    retired, ///< it has iteration n-1, and gets no more
  };

  Holding<P>& held() noexcept { return owner_.held(); }
  Pacing<P>& pacing() noexcept { return owner_.pacing(); }
  /// Returns the cost of a unit that this member has seen; 0: not known.
  Cost cost() noexcept { return pacing().cost(); }

  /// Ends the batch that was handed out.
  void account() noexcept {
    // Units that were not clocked would be forgotten at the end of a node.
    if (pacing().may_skip() && !held().is_empty() && held().remaining() != 0) return pacing().skip();
    if (!pacing().finish(stage_ != Stage::retired, owner_.counts().busy_ticks)) return;
    if (!pacing().is_timed() || held().is_empty()) return;
    auto published = static_cast<std::int64_t>(cost());
    if (is_careful_) [[unlikely]] {
      last_.learn(held().first(), cost());
      if (way_.is_slow()) published = -published;
    }
    held().node()->publish_cost(published);
  }

  /// Takes the member's root. First call in this loop.
  bool arrive(Range& out) noexcept {
    stage_ = Stage::sharing;
    if (!owner_.arrive(out)) return false;
    if (held().remaining() == 0) end_node(out);
    return true;
  }

  /// workOn: takes the next batch of the node that this member owns, or of the half that a thief has left
  /// of it.
  [[gnu::always_inline]] bool go_on(Range& out) noexcept {
    if (held().remaining() == 0) {
      held().drop();
      return false;
    }
    if (is_careful_) [[unlikely]] {
      if (should_start_last() && !last_.is_taken(view()))
        if (const auto pair = owner_.supply().take()) return leave_for_last(pair, out);
      if (way_.is_slow() && gives_way()) return false;
    }
    if (!owner_.advance(out)) return owner_.descend(out);
    if (held().remaining() == 0) end_node(out);
    return true;
  }

  /// The batch that was just taken is the last one of its node.
  void end_node(Range& out) noexcept {
    Tree<P>& tree = view().tree();
    if (held().node() == tree.root(owner_.index())) tree.handed_out.mark(owner_.index(), last_.loop());
    append_last_if_short(out);
  }

  /// Looks for work elsewhere: neither the own node nor the own root has any for this member.
  bool look_elsewhere(Range& out) noexcept {
    pacing().start_search(owner_.counts().busy_ticks);
    pacing().end_share(owner_.counts());
    const auto is_short_of_memory = [this] { return owner_.supply().is_short(); };
    // A member without node memory cannot steal from owners, but an owner may split its node as long as the
    // last iteration is not claimed: so search once more after that.
    if (!find(out) && !take_last_in_turn(out) && !(is_short_of_memory() && find(out))) return false;
    pacing().searched();
    return true;
  }

  // The functions below run once or a few times per loop: kept out of the way of next().

  /// findWork.
  [[gnu::noinline]] bool find(Range& out) noexcept {
    Rng& rng = owner_.rng();
    const auto claim = [&](const Target<P>& target) {
      const Claim claimed = owner_.claim(target, find_max_.share(), out);
      if (claimed == Claim::taken && target.is_untouched_root()) last_.note_late();
      return claimed;
    };
    if (owner_.order().strategy() != Strategy::find_max)
      return Traversal<P>(view(), owner_.order(), owner_.near(), rng).any(claim);
    if (view().knows_what_is_handed_out() && view().is_handed_out(last_.loop())) return false;
    find_max_.start(view(), rng);
    Worth<P> worth(pacing().settings(), owner_.supply(), cost());
    for (;;) {
      const Target<P> target = find_max_.next(view(), rng, worth);
      if (target.node == nullptr) return false;
      if (should_start_last() && take_last(out)) return true;
      if (way_.is_slow() && leaves(target)) continue;
      if (claim(target) == Claim::taken) return true;
      P::relax(); // after a lost race another member got ahead; after a refusal the node is worth nothing
    }
  }

  /// Frees the rest of the own node for faster members, if they should have it. Returns whether it was freed.
  [[gnu::noinline]] bool gives_way() noexcept {
    if (is_left_alone() ||
        !way_.should_leave(view(), owner_.rng(), pacing().settings(), cost(), pacing().clock()))
      return false;
    const auto pair = owner_.supply().take();
    if (pair == nullptr) return false;
    owner_.leave(pair);
    return true;
  }
  /// Returns whether this member, which is slow, has left the node to faster ones, and waited a moment.
  [[gnu::noinline]] bool leaves(const Target<P>& target) noexcept {
    const Cost cost = std::max(this->cost(), way_.cost_of(target));
    return !is_left_alone() &&
           way_.should_leave(view(), owner_.rng(), pacing().settings(), cost, P::ticks()) &&
           way_.wait(view(), owner_.rng(), pacing().settings(), cost);
  }
  /// Leaves iteration n-1 to faster members: waits for them as long as there is hope. Returns whether it has
  /// found other work meanwhile.
  [[gnu::noinline]] bool leaves_last(Range& out) noexcept {
    const Cost cost = way_.cost_of_last(view(), pacing().settings(), this->cost());
    while (cost != 0 && !last_.is_taken(view()) && way_.wait(view(), owner_.rng(), pacing().settings(), cost))
      if (find(out)) return true;
    return false;
  }
  /// Returns whether the only other member has iteration n-1, and leaves the loop with it.
  bool is_left_alone() const noexcept { return view().filled_roots() == 2 && last_.is_taken(view()); }
  bool take_last_in_turn(Range& out) noexcept {
    return (way_.is_slow() && leaves_last(out)) || take_last(out);
  }

  bool should_start_last() noexcept { return last_.should_start(view(), cost()); }

  /// Takes iteration n-1. Returns true to one member.
  [[gnu::noinline]] bool take_last(Range& out) noexcept {
    if (!last_.claim(view())) return false;
    stage_ = with_last_;
    const std::uint64_t n = view().shape().iterations();
    out = {n - 1, n, true};
    pacing().gave(1);
    held().drop();
    owner_.count(out);
    return true;
  }

  /// Takes iteration n-1 instead of the next batch of the own node, whose rest then has to be free for all
  /// members. This member leaves its node before it claims the iteration: a member that found nothing it
  /// could take, and then that the iteration is taken, looks once more, and sees the halves (W1).
  [[gnu::noinline]] bool leave_for_last(typename Arena<P>::Pair pair, Range& out) noexcept {
    const Target<P> rest = owner_.leave(pair);
    // If another member was faster, this one goes on as the victim of a thief does.
    return take_last(out) || owner_.expand(rest, true, out);
  }

  /// The batch that was just taken ends where iteration n-1 begins: one dispatch for both if there is nothing
  /// else to do.
  void append_last_if_short(Range& out) noexcept {
    if (out.end == view().shape().iterations() - 1 && last_.is_short(cost())) append_last(out);
  }
  [[gnu::noinline]] void append_last(Range& out) noexcept {
    if (!view().is_handed_out(last_.loop()) && !last_.is_all(view(), owner_.rng())) return;
    if (!last_.claim(view())) return;
    stage_ = with_last_;
    ++out.end;
    out.last = true;
    ++owner_.counts().iterations;
  }

  Owner<P, Pacing<P>> owner_;
  LastIteration<P> last_;
  GivingWay<P> way_;
  FindMax<P> find_max_;
  Stage stage_ = Stage::arriving;
  bool is_careful_ = false;          // the member may have to start iteration n-1 early, or is slow
  Stage with_last_ = Stage::retired; // stage of the member after iteration n-1
  [[no_unique_address]] OneThread one_thread_;
};

} // namespace wstree::core

static_assert(wstree::core::Scheduler<wstree::core::Worker<wstree::core::StdPlatform>>);
