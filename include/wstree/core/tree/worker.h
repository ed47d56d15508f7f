// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a team working on one loop: owning, advancing, stealing, searching (the paper's run, workOn,
// descend and findWork as one state machine, because OpenMP asks for one chunk at a time).
#pragma once

#include "wstree/core/batch.h"
#include "wstree/core/scheduler.h"
#include "wstree/core/tree/arena.h"
#include "wstree/core/tree/last_iteration.h"
#include "wstree/core/tree/plan.h"
#include "wstree/core/tree/search.h"
#include "wstree/core/tree/tree.h"

#include <cstdint>

namespace wstree::core {

/// Private to its member; next() is called until it returns false. The second half of it is in worker_split.h
/// and, for iteration n-1, which is not in the tree, in worker_last.h.
template <class P> class Worker {
public:
  using Loop = Tree<P>;
  using Memory = Arena<P>;
  using Word = WordOf<P>;

  /// The member's own root is root(index).
  void enter(Tree<P>& tree, Arena<P>& arena, const Entry& entry, const Learned<P>& learned = {}) noexcept {
    const Settings& settings = *entry.settings;
    Shape shape = shape_of(entry);
    plan_ = learned.plan;
    bins_ = learned.bins;
    leaves_last_ = believes_ = foreseen_ = surprised_ = false;
    if (plan_ != nullptr) follow_plan(shape, entry);
    view_ = View<P>(tree, shape, entry.use);
    loop_ = entry.loop;
    index_ = entry.index;
    members_ = entry.members;
    arena_ = &arena;
    settings_ = &settings;
    rng_ = Rng(entry.loop * 1'000'003 + entry.index);
    node_ = nullptr;
    given_ = 0;
    quick_ = 0;
    arrived_ = false;
    is_marked_ = false;
    retired_ = false;
    starved_ = false;
    leaves_frozen_ = false;
    counts_ = {};
    // A share of a few iterations leaves nothing to size, and reading the clock costs as much as dispatching
    // one of them.
    const bool is_timed = settings.batch == BatchMode::timed && shape.units() >= k_few_units * entry.members;
    clocked_ = settings.clocked || is_timed;
    handed_out_ = clocked_ || bins_ != nullptr ? P::ticks() : 0;
    near_ = entry.near != nullptr && entry.near->count != 0 ? entry.near : nullptr;
    search_.enter(settings, entry.index, entry.members, near_, handed_out_);
    batch_.enter(settings, entry.smallest, shape.shift(), shape.share(entry.members), handed_out_);
    last_.enter(shape, entry.members, settings);
  }

  /// The next piece of the loop for this member. False: there is nothing left for it; every unit is in
  /// somebody's hands.
  bool next(Range& out) noexcept { return next_quickly(out) || next_slowly(out); }

  /// The same where that is a batch out of the middle of the own node and nobody looks at the clock. False:
  /// next_slowly() has to be asked; nothing has happened.
  [[gnu::always_inline]] bool next_quickly(Range& out) noexcept {
    if (quick_ == 0) return false;
    const Word word(raw_);
    const std::uint32_t remaining = size_ - word.left() - word.right();
    const std::uint32_t units = batch_.size(remaining);
    if (units >= remaining) return false;
    const Word wanted = word.with_left(units);
    std::uint64_t seen = word.raw();
    if (!node_->advance(seen, wanted)) [[unlikely]]
      return false;
    raw_ = wanted.raw();
    --quick_;
    batch_.skip(given_);
    given_ = units;
    const std::uint64_t begin = begin_ + word.left();
    out = view_.shape().inner_range(begin, begin + units);
    counts_.iterations += out.end - out.begin;
    ++counts_.batches;
    return true;
  }

  bool next_slowly(Range& out) noexcept {
    quick_ = 0;
    if (given_ != 0) account();
    if (retired_) return false;
    if ((node_ != nullptr && go_on(out)) || (!arrived_ && arrive(out))) {
      allow_quick();
      return true;
    }
    return look_elsewhere(out);
  }

  const Counts& counts() const noexcept { return counts_; }

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
  const View<P>& view() const noexcept { return view_; }

private:
  static Shape shape_of(const Entry& entry) noexcept {
    const std::uint32_t most =
        entry.settings->batch == BatchMode::random ? k_max_share_from_both_ends : k_max_share;
    return {entry.iterations, entry.settings->roots == 0 ? entry.members : entry.settings->roots, most / 2};
  }

  /// Neither the own node nor the own root has anything for this member.
  bool look_elsewhere(Range& out) noexcept {
    // Without memory to steal from owners, only that somebody has the last iteration says that no owner will
    // leave the rest of its node to the others.
    if (!find(out) && ((leaves_last_ && foreseen_ && !starved_) || !take_last(out)) &&
        !(starved_ && find(out))) // what leave_for_last() has freed since
      return false;
    searched();
    return true;
  }

  /// How many of the next batches need nothing but an advance.
  void allow_quick() noexcept {
    const bool is_measured = clocked_ || bins_ != nullptr;
    const bool is_steady = settings_->batch == BatchMode::fixed || settings_->batch == BatchMode::timed;
    const std::uint32_t count = is_measured ? batch_.may_skip() : is_steady ? k_always : 0;
    if (count != 0 && node_ != nullptr && !may_start_last()) quick_ = count;
  }

  /// The batch that was handed out is done.
  void account() noexcept {
    if (batch_.may_skip() && has_rest()) {
      batch_.skip(given_);
      given_ = 0;
      return;
    }
    if (clocked_ && (settings_->clocked || bins_ != nullptr || !retired_)) {
      const std::uint64_t now = P::ticks();
      const std::uint64_t spent = now - handed_out_;
      handed_out_ = now;
      counts_.busy_ticks += spent;
      const std::uint32_t measured = given_ + batch_.pending();
      batch_.finished(given_, spent, now);
      if (bins_ != nullptr) remember(measured, spent);
      if (plan_ != nullptr) check_plan(measured, spent);
      if (settings_->batch == BatchMode::timed && node_ != nullptr) {
        float cost = batch_.cost();
        if (last_.is_of_interest()) {
          const std::uint64_t position = begin_ + Word(raw_).left();
          last_.learn(position, given_, cost);
          if (last_.may_matter(cost)) cost = last_.of_rest(position, begin_ + size_ - Word(raw_).right());
        }
        node_->publish_cost(cost);
      }
    } else {
      if (bins_ != nullptr) remember_unclocked();
      batch_.finished_unclocked();
    }
    given_ = 0;
  }

  /// The time that a search has taken is not that of the batch which it has brought.
  void searched() noexcept {
    if (clocked_ || bins_ != nullptr) handed_out_ = P::ticks();
  }

  /// The own node has: otherwise what was not clocked would be forgotten.
  bool has_rest() const noexcept {
    const Word word(raw_);
    return node_ != nullptr && size_ != word.left() + word.right();
  }

  /// Hands out units [begin, end).
  void give(Range& out, std::uint64_t begin, std::uint32_t units) noexcept {
    out = view_.shape().range(begin, begin + units);
    given_ = units;
    if (batch_.pending() == 0) measured_from_ = begin;
    counts_.iterations += out.end - out.begin;
    ++counts_.batches;
  }

  /// workOn: the next batch of the node that this member owns.
  [[gnu::always_inline]] bool go_on(Range& out) noexcept {
    const Word word(raw_);
    const std::uint32_t remaining = size_ - word.left() - word.right();
    if (remaining == 0) {
      node_ = nullptr;
      return false;
    }
    if (should_start_last())
      if (const auto pair = pair_for_last()) return leave_for_last(pair, out);
    const std::uint32_t units = batch_.size(remaining);
    const bool from_left = settings_->batch != BatchMode::random || rng_.coin();
    const Word wanted = from_left ? word.with_left(units) : word.with_right(units);
    if (!node_->advance(raw_, wanted)) return descend(out);
    raw_ = wanted.raw();
    give(out, from_left ? begin_ + word.left() : begin_ + size_ - word.right() - units, units);
    if (units == remaining && begin_ + size_ - word.right() == view_.shape().units() && last_is_short())
      append_last(out);
    return true;
  }

  /// First call in this loop: the root that has this member's number, unless somebody took it already.
  [[gnu::noinline]] bool arrive(Range& out) noexcept {
    arrived_ = true;
    if (index_ >= view_.shape().roots()) return false;
    const Target<P> target = view_.root(index_);
    return target.size != 0 && target.word.phase() == Phase::available && own(target, out);
  }

  /// tryOwn, with the first batch in the same step.
  bool own(const Target<P>& target, Range& out) noexcept {
    batch_.start_node();
    const std::uint32_t units = batch_.size(target.size);
    const bool from_left = settings_->batch != BatchMode::random || rng_.coin();
    const Word first(Phase::owned, view_.use(), from_left ? units : 0, from_left ? 0 : units);
    if (!target.node->own(target.raw, first)) return false;
    if (target.level == 0) target.node->publish_cost(batch_.cost()); // instead of an earlier loop's
    if (near_ != nullptr) target.node->publish_owner(near_->position);
    hold(target.node, target.begin, target.size, target.level, first);
    give(out, from_left ? begin_ : begin_ + size_ - units, units);
    return true;
  }

  void hold(Node<P>* node, std::uint64_t begin, std::uint32_t size, std::uint32_t level, Word word) noexcept {
    node_ = node;
    begin_ = begin;
    size_ = size;
    level_ = level;
    raw_ = word.raw();
    if (near_ != nullptr) show_held();
  }

  // What follows happens once or a few times per loop: kept out of the way of next().

  /// Tells neighbours where to find the node that this member owns, unless it is its root.
  [[gnu::noinline]] void show_held() noexcept {
    if (index_ >= view_.shape().roots()) return;
    Node<P>* const root = view_.tree().root(index_);
    if (node_ == root) return;
    if (level_ == 0) node_->write_range(begin_, size_);
    root->publish_held(node_, view_.use());
  }

  /// descend: a thief stopped the node of this member, which goes on with one of the children.
  [[gnu::noinline]] bool descend(Range& out) noexcept {
    Target<P> stopped{node_, begin_, size_, level_, raw_, Word(raw_)};
    node_ = nullptr;
    if (!expand(stopped, search_.chooses_left(stopped.level, true, rng_), out)) return false;
    searched();
    return true;
  }

  /// findWork.
  [[gnu::noinline]] bool find(Range& out) noexcept {
    if (settings_->strategy != Strategy::find_max)
      return search_.traverse(view_, rng_, [&](const Target<P>& target) { return claim(target, out); });
    mark_own_root();
    bool insist = false;
    for (std::uint32_t failed = 0;; ++failed) {
      if (failed != 0) let_others_go(failed);
      bool refused = false;
      const Target<P> target = search_.best(
          view_, rng_, [&](const Target<P>& seen) { return worth(seen, insist, refused); }, enough(),
          failed != 0);
      if (target.node == nullptr) {
        if (!refused) return false;
        insist = true; // what a thief left alone should be done by now; if it is not, the estimate was wrong
        wait_a_steal();
        continue;
      }
      if (target.remaining() == 0) continue; // its owner has done it while the others were looked at
      if (reaches_last(target) && should_start_last() && take_last(out)) return true;
      if (claim(target, out) == Claim::taken) return true;
      P::relax(); // a lost race means that somebody else got ahead; after a refusal worth() says 0
    }
  }

  /// At the end of a loop all members of a large team want the same few nodes. Those that got nothing wait,
  /// at random and longer each time, or each of them would hold up all others, and the owner.
  void let_others_go(std::uint32_t failed) noexcept {
    if (!view_.has_board(*settings_)) return;
    const std::uint64_t most = settings_->steal_cost << std::min(failed, k_longest_wait);
    const std::uint64_t ticks = rng_.below(static_cast<std::uint32_t>(most) + 1);
    const std::uint64_t since = P::ticks();
    while (P::ticks() - since < ticks) P::relax();
  }

  /// In a large team whoever has done its root says so, before it looks for work.
  void mark_own_root() noexcept {
    if (is_marked_ || !view_.has_board(*settings_)) return;
    is_marked_ = true;
    if (index_ >= view_.shape().roots() || index_ >= view_.shape().units()) return;
    if (view_.is_done(index_, rng_, [](const Target<P>&) { return true; })) view_.board().mark(index_);
  }

  /// Takes work from a node that has some.
  Claim claim(const Target<P>& target, Range& out) noexcept {
    bool taken = false;
    switch (target.word.phase()) {
    case Phase::available:
      taken = own(target, out);
      break;
    case Phase::owned: {
      if (starved_) return Claim::refused;
      const auto pair = arena_->take();
      starved_ = pair == nullptr;
      if (starved_) return Claim::refused;
      taken = steal(target, pair, out);
      break;
    }
    case Phase::stolen:
      taken = expand(target, search_.chooses_left(target.level, false, rng_), out);
      if (!taken && leaves_frozen_) return Claim::refused;
      break;
    }
    if (!taken) return Claim::lost_race;
    if (target.node != view_.tree().root(index_)) ++counts_.steals;
    return Claim::taken;
  }

  /// trySteal, first step: freeze the node. The pair is taken before, so that a frozen node never waits for
  /// memory.
  bool steal(Target<P> target, typename Arena<P>::Pair pair, Range& out) noexcept {
    if (!target.node->stop(target.word)) {
      arena_->untake(pair);
      return false;
    }
    target.word = target.word.stopped();
    const std::uint32_t eighths = settings_->strategy == Strategy::find_max ? search_.share() : 4;
    return publish(pair, target, search_.chooses_left(target.level, false, rng_), out, eighths);
  }

  // worker_split.h
  bool expand(const Target<P>& target, bool left, Range& out) noexcept;
  bool publish(typename Arena<P>::Pair pair, const Target<P>& target, bool left, Range& out,
               std::uint32_t eighths = 4) noexcept;
  typename Arena<P>::Pair hang(typename Arena<P>::Pair pair, const Target<P>& target, std::uint32_t half,
                               Word left, Word right) noexcept;
  bool adopt_theirs(typename Arena<P>::Pair pair, bool left, Range& out) noexcept;

  /// Estimated time that is left in a node for anybody to take; 0 if it is not worth a steal. `refused`: set
  /// if only the estimate, which is of the past, speaks against it; `insist`: do not listen to that.
  float worth(const Target<P>& target, bool insist, bool& refused) const noexcept {
    const std::uint32_t remaining = target.remaining();
    if (remaining == 0 || (starved_ && target.word.phase() == Phase::owned) ||
        (leaves_frozen_ && target.word.phase() == Phase::stolen))
      return 0;
    if (settings_->batch != BatchMode::timed) return static_cast<float>(remaining);
    const bool hurries = believes_ && plan_->is_short;
    const float cost = hurries ? plan_->share / view_.shape().share(members_) : cost_of(target);
    const float ticks = static_cast<float>(remaining) * (cost > 0 ? cost : 1.0F);
    // To be robbed costs an owner that does not look at the clock more than it is relieved of.
    const auto enough = static_cast<float>((hurries ? k_short_steals : 1) * settings_->steal_cost);
    if (!insist && target.word.phase() == Phase::owned && (hurries || target.node->cost() > 0) &&
        ticks < enough) {
      refused = true; // its owner, which is at work, has done it before a thief could begin
      return 0;
    }
    return ticks;
  }

  /// What a node has to be worth() to count as work when distance matters.
  float enough() const noexcept {
    return static_cast<float>(settings_->batch == BatchMode::timed ? settings_->near_enough
                                                                   : k_near_enough_units);
  }

  void wait_a_steal() const noexcept {
    const std::uint64_t since = P::ticks();
    while (P::ticks() - since < settings_->steal_cost) P::relax();
  }

  // worker_plan.h
  void follow_plan(Shape& shape, const Entry& entry) noexcept;
  void remember(std::uint32_t units, std::uint64_t spent) noexcept;
  [[gnu::noinline]] void remember_unclocked() noexcept;
  void check_plan(std::uint32_t units, std::uint64_t spent) noexcept;

  // worker_last.h
  bool nothing_else() noexcept;
  [[gnu::noinline]] bool take_last(Range& out) noexcept;
  typename Arena<P>::Pair pair_for_last() noexcept;
  [[gnu::noinline]] bool leave_for_last(typename Arena<P>::Pair pair, Range& out) noexcept;
  bool last_is_short() const noexcept;
  [[gnu::noinline]] void append_last(Range& out) noexcept;
  bool claim_last() noexcept;
  bool is_time_to_ask() const noexcept;
  float price_of_asking() const noexcept;
  bool reaches_last(const Target<P>& target) const noexcept;
  [[gnu::noinline]] bool last_is_critical() const noexcept;

  /// Whether to start iteration n-1 before the next batch of the own node.
  bool should_start_last() const noexcept {
    return may_start_last() && is_time_to_ask() && last_is_critical();
  }

  /// The same as far as it does not depend on the others, nor on how far this member has come in its node.
  bool may_start_last() const noexcept { return last_.may_matter(batch_.cost()); }

  /// Ticks per unit: what the node's owner says, or said before it was split, else what this member has seen.
  /// What stands in a root that nobody has owned yet is of an earlier loop.
  float cost_of(const Target<P>& target) const noexcept {
    const bool untouched_root = target.level == 0 && target.word.phase() == Phase::available;
    const float known = untouched_root ? 0 : target.node->cost();
    return known > 0 ? known : batch_.cost();
  }

  static constexpr std::uint64_t k_few_units = 4;
  static constexpr std::uint64_t k_short_steals = 4; // that nobody gains from in a short loop
  static constexpr std::uint32_t k_always = ~std::uint32_t{0};
  static constexpr std::uint64_t k_last = ~std::uint64_t{0}; // iteration n-1, instead of a unit
  static constexpr std::uint32_t k_small_team = 16;
  static constexpr std::uint32_t k_near_the_end = 4; // units
  static constexpr std::uint32_t k_sample = 16;      // roots
  static constexpr std::uint32_t k_longest_wait = 3; // doublings of the time that a steal takes
  static constexpr std::uint64_t k_near_enough_units = 4;
  static constexpr std::uint32_t k_patience = 16; // times that a member without memory lets others go on

  // What every batch needs stands together: between two batches the loop's own data have passed through the
  // caches.
  View<P> view_;
  Node<P>* node_ = nullptr; // owned by this member, or nullptr
  std::uint64_t raw_ = 0;   // what this member last wrote into node_'s word
  std::uint64_t begin_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t level_ = 0;
  std::uint32_t given_ = 0; // units of the batch that the caller is executing
  std::uint32_t quick_ = 0; // batches that next_quickly() may hand out
  Batcher batch_;
  Counts counts_;
  std::uint64_t measured_from_ = 0; // first unit since the clock was read, or k_last
  std::uint64_t handed_out_ = 0;
  bool clocked_ = false;
  bool arrived_ = false;
  bool is_marked_ = false; // the own root, on the board
  bool retired_ = false;
  bool starved_ = false;       // no memory for more nodes: this member only takes what needs none
  bool leaves_frozen_ = false; // starved, and it has waited in vain for somebody to split a node
  bool leaves_last_ = false;   // iteration n-1 is somebody else's
  bool believes_ = false;      // in the costs of the plan
  bool foreseen_ = false;      // the latest batch was as the plan said
  bool surprised_ = false;     // it was not
  const Settings* settings_ = nullptr;
  const Plan* plan_ = nullptr;  // nullptr: nothing is known about the loop
  CostBins<P>* bins_ = nullptr; // nullptr: nobody wants to know what it costs
  LastIteration last_;
  std::uint32_t index_ = 0;
  std::uint32_t members_ = 1;
  std::uint64_t loop_ = 0;
  const Neighbourhood* near_ = nullptr; // nullptr: distance does not matter
  Arena<P>* arena_ = nullptr;
  Rng rng_;
  Search<P> search_;
};

} // namespace wstree::core

#include "wstree/core/tree/worker_last.h"
#include "wstree/core/tree/worker_plan.h"
#include "wstree/core/tree/worker_split.h"

static_assert(wstree::core::Scheduler<wstree::core::Worker<wstree::core::StdPlatform>>);
