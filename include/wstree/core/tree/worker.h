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

/// Private to its member; next() is called until it returns false.
///
/// The last iteration n-1 is not in the tree. Compilers copy lastprivate variables out of the private copy of
/// the thread that was told "last", after the loop: that thread must not get another chunk. So iteration n-1
/// is handed out by Tree::last to one member, which then retires from the loop: normally to the first
/// that finds nothing else, and earlier if it looks so expensive that starting it now ends the loop sooner
/// (last_iteration.h).
template <class P> class Worker {
public:
  using Loop = Tree<P>;
  using Memory = Arena<P>;

  /// The member's own root is root(index).
  void enter(Tree<P>& tree, Arena<P>& arena, const Entry& entry, const Learned<P>& learned = {}) noexcept {
    const Settings& settings = *entry.settings;
    Shape shape = shape_of(entry);
    plan_ = learned.plan;
    bins_ = learned.bins;
    starts_last_ = leaves_last_ = believes_ = foreseen_ = false;
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
    arrived_ = false;
    is_marked_ = false;
    retired_ = false;
    starved_ = false;
    counts_ = {};
    // A share of a few iterations leaves nothing to size, and reading the clock costs as much as dispatching
    // one of them.
    clocked_ = settings.clocked || plan_ != nullptr ||
               (settings.batch == BatchMode::timed && shape.units() >= k_few_units * entry.members);
    handed_out_ = clocked_ || bins_ != nullptr ? P::ticks() : 0;
    near_ = entry.near != nullptr && entry.near->count != 0 ? entry.near : nullptr;
    search_.enter(settings, entry.index, entry.members, near_, handed_out_);
    batch_.enter(settings, entry.smallest, shape.shift(), shape.share(entry.members), handed_out_);
    last_.enter();
  }

  /// The next piece of the loop for this member. False: there is nothing left for it; every unit is in
  /// somebody's hands.
  bool next(Range& out) noexcept {
    if (given_ != 0) account();
    if (retired_) return false;
    if ((node_ != nullptr && go_on(out)) || (!arrived_ && arrive(out))) return true;
    if (starts_last_ && foreseen_ && take_last_first(out)) return true;
    if (!find(out) && (leaves_last_ || !take_last(out)) &&
        !(starved_ && find(out))) // what leave_for_last() has freed since
      return false;
    searched();
    return true;
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
    return {entry.iterations, entry.settings->roots == 0 ? entry.members : entry.settings->roots};
  }

  /// The batch that was handed out is done.
  void account() noexcept {
    if (clocked_ && (settings_->clocked || bins_ != nullptr || !retired_)) {
      const std::uint64_t now = P::ticks();
      const std::uint64_t spent = now - handed_out_;
      handed_out_ = now;
      counts_.busy_ticks += spent;
      batch_.finished(given_, spent, now);
      if (bins_ != nullptr) remember(spent);
      if (plan_ != nullptr && given_from_ != k_last) check_plan(spent);
      if (settings_->batch == BatchMode::timed && node_ != nullptr) {
        node_->publish_cost(batch_.cost());
        last_.learn(begin_ + Word(raw_).left(), given_, batch_.cost());
      }
    } else {
      if (bins_ != nullptr) remember_unclocked();
      batch_.finished_unclocked();
    }
    given_ = 0;
  }

  /// For the next executions of this loop.
  void remember(std::uint64_t spent) noexcept {
    if (given_from_ == k_last)
      bins_->add_last(spent);
    else
      bins_->add(given_from_, given_, spent);
  }

  /// In a loop of few iterations, which goes on as if nobody had looked at the clock.
  [[gnu::noinline]] void remember_unclocked() noexcept {
    const std::uint64_t now = P::ticks();
    remember(now - handed_out_);
    handed_out_ = now;
  }

  void follow_plan(Shape& shape, const Entry& entry) noexcept {
    shape.lay_out(plan_->begins);
    believes_ = true;
    // Iteration n-1 is as long as much of a share, and was counted as a part of this member's.
    starts_last_ =
        plan_->is_sure && entry.index + 1 == plan_->busy && plan_->last * k_long_last > plan_->share;
    // Whoever has the end of the loop comes by it; to look whether it did costs more than it takes.
    leaves_last_ = entry.index >= plan_->busy || (plan_->is_short && entry.index + 1 != plan_->busy);
  }

  /// A batch took `spent`. Once one of them was not as expected, nothing more is taken from the plan.
  void check_plan(std::uint64_t spent) noexcept {
    if (!believes_) return;
    believes_ = foreseen_ =
        plan_->foresaw(given_from_, given_, spent, static_cast<float>(settings_->tail_batch));
    starts_last_ = starts_last_ && believes_;
  }

  /// The next batch is the first one of a node whose first unit that is.
  void expect(std::uint64_t unit) noexcept {
    if (plan_ != nullptr && believes_) batch_.expect(plan_->cost_at(unit), plan_->is_short);
  }

  /// Iteration n-1 before what the others could be relieved of.
  [[gnu::noinline]] bool take_last_first(Range& out) noexcept {
    starts_last_ = false;
    return take_last(out);
  }

  /// The time that a search has taken is not that of the batch which it has brought.
  void searched() noexcept {
    if (clocked_ || bins_ != nullptr) handed_out_ = P::ticks();
  }

  /// Hands out units [begin, end).
  void give(Range& out, std::uint64_t begin, std::uint32_t units) noexcept {
    out = view_.shape().range(begin, begin + units);
    given_ = units;
    given_from_ = begin;
    counts_.iterations += out.end - out.begin;
    ++counts_.batches;
  }

  /// workOn: the next batch of the node that this member owns.
  bool go_on(Range& out) noexcept {
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
    // Here and not when it takes another node: what stands there may be of a use that is long past.
    if (near_ != nullptr && index_ < view_.shape().roots())
      view_.tree().root(index_)->publish_held(nullptr, view_.use());
    if (index_ >= view_.shape().roots()) return false;
    Target<P> target = view_.root(index_);
    if (target.size == 0) {
      if ((view_.use() & k_word_refresh_mask) == 0) target.node->refresh(view_.use());
      return false;
    }
    if ((view_.use() & k_link_refresh_mask) == 0) target.node->refresh_link(view_.use());
    return target.word.phase() == Phase::available && own(target, out);
  }

  /// tryOwn, with the first batch in the same step.
  bool own(const Target<P>& target, Range& out) noexcept {
    batch_.start_node();
    expect(target.begin);
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

  /// trySteal, second step, for everybody who meets a frozen node: its victim, or a worker that helps.
  bool expand(const Target<P>& target, bool left, Range& out) noexcept {
    while (true) {
      if (auto theirs = target.node->children(view_.use())) return adopt_theirs(theirs, left, out);
      if (const auto pair = arena_->take()) return publish(pair, target, left, out);
      P::yield(); // no memory here; the thief has its pair and is about to hang it
    }
  }

  /// Splits what is left of a frozen node in two, `eighths` of it for this member, takes the first batch of
  /// that and publishes both.
  bool publish(typename Arena<P>::Pair pair, const Target<P>& target, bool left, Range& out,
               std::uint32_t eighths = 4) noexcept {
    const std::uint32_t remaining = target.remaining();
    // The publisher's part is never empty.
    const auto theirs = static_cast<std::uint32_t>(std::uint64_t{remaining} * (8 - eighths) / 8);
    const std::uint32_t half = left ? remaining - theirs : theirs;
    const std::uint64_t first_unit = target.begin + target.word.left();
    batch_.start_node();
    const std::uint32_t size = left ? half : remaining - half;
    const std::uint64_t begin = left ? first_unit : first_unit + half;
    expect(begin);
    const std::uint32_t units = batch_.size(size);
    const bool from_left = settings_->batch != BatchMode::random || rng_.coin();
    const Word mine(Phase::owned, view_.use(), from_left ? units : 0, from_left ? 0 : units);
    const Word free(Phase::available, view_.use(), 0, 0);
    const auto hung = hang(pair, target, half, left ? mine : free, left ? free : mine);
    if (hung != pair) {
      arena_->untake(pair);
      return adopt_theirs(hung, left, out);
    }
    counts_.nodes += 2;
    hold(left ? pair : pair + 1, begin, size, target.level + 1, mine);
    give(out, from_left ? begin : begin + size - units, units);
    return true;
  }

  /// Makes `pair` the two halves of what is left of a frozen node, `half` units in the left one, and hangs it
  /// below the node. Returns the pair that hangs there.
  typename Arena<P>::Pair hang(typename Arena<P>::Pair pair, const Target<P>& target, std::uint32_t half,
                               Word left, Word right) noexcept {
    const std::uint64_t first_unit = target.begin + target.word.left();
    const float cost = target.node->cost();
    const std::uint32_t victim = target.node->owner();
    const std::uint32_t me = near_ != nullptr ? near_->position : victim;
    const auto owner = [=](Word word) { return word.phase() == Phase::owned ? me : victim; };
    pair[0].prepare(left, view_.use(), first_unit, half, target.level + 1, cost, owner(left));
    pair[1].prepare(right, view_.use(), first_unit + half, target.remaining() - half, target.level + 1, cost,
                    owner(right));
    return target.node->adopt(pair, view_.use());
  }

  /// Somebody else split the node: one of the halves may still be free.
  bool adopt_theirs(typename Arena<P>::Pair pair, bool left, Range& out) noexcept {
    for (const int side : {left ? 0 : 1, left ? 1 : 0}) {
      const Target<P> target = view_.inner(pair + side);
      if (target.size > 0 && target.word.phase() == Phase::available && own(target, out)) return true;
    }
    return false;
  }

  /// Estimated time that is left in a node for anybody to take; 0 if it is not worth a steal. `refused`: set
  /// if only the estimate, which is of the past, speaks against it; `insist`: do not listen to that.
  float worth(const Target<P>& target, bool insist, bool& refused) const noexcept {
    const std::uint32_t remaining = target.remaining();
    if (remaining == 0 || (starved_ && target.word.phase() == Phase::owned)) return 0;
    if (settings_->batch != BatchMode::timed) return static_cast<float>(remaining);
    const float cost = cost_of(target);
    const float ticks = static_cast<float>(remaining) * (cost > 0 ? cost : 1.0F);
    if (!insist && target.word.phase() == Phase::owned && target.node->cost() > 0 &&
        ticks < static_cast<float>(settings_->steal_cost)) {
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

  /// Nothing is left for anybody but iteration n-1.
  bool nothing_else() noexcept {
    return view_.has_board(*settings_) ? view_.is_empty_by_board(rng_) : view_.is_empty();
  }

  /// Iteration n-1, for one member.
  [[gnu::noinline]] bool take_last(Range& out) noexcept {
    if (!claim_last()) return false;
    const std::uint64_t n = view_.shape().iterations();
    out = {n - 1, n, true};
    given_ = 1;
    given_from_ = k_last;
    node_ = nullptr;
    ++counts_.iterations;
    ++counts_.batches;
    return true;
  }

  /// nullptr if iteration n-1 is not to be had, or not without keeping the own node.
  typename Arena<P>::Pair pair_for_last() noexcept {
    return view_.tree().last.is_taken(loop_) ? nullptr : arena_->take();
  }

  /// Iteration n-1 instead of the next batch of the own node, whose rest has to be free for everybody then,
  /// also for a member that has no memory to steal it. So the owner splits it as a thief would, and keeps
  /// neither half. It does so before it claims the iteration: a member that found nothing it could take, and
  /// then that somebody has the iteration, looks once more, and sees the halves (W1).
  [[gnu::noinline]] bool leave_for_last(typename Arena<P>::Pair pair, Range& out) noexcept {
    Target<P> rest{node_, begin_, size_, level_, raw_, Word(raw_)};
    node_ = nullptr;
    bool hung = false;
    if (rest.node->stop(rest.word)) { // else a thief did, and has its own pair
      const Word free(Phase::available, view_.use(), 0, 0);
      hung = hang(pair, rest, rest.remaining() / 2, free, free) == pair;
    }
    if (hung)
      counts_.nodes += 2;
    else
      arena_->untake(pair);
    // Where another member was faster, this one goes on as the victim of a thief does.
    return take_last(out) || expand(rest, search_.chooses_left(rest.level, true, rng_), out);
  }

  /// Not worth a dispatch of its own, let alone another member's attention.
  bool last_is_short() const noexcept {
    return batch_.cost() > 0 && batch_.cost() < static_cast<float>(settings_->tail_batch);
  }

  /// The batch that was just taken ends where iteration n-1 begins: one dispatch for both if there is nothing
  /// else to do.
  [[gnu::noinline]] void append_last(Range& out) noexcept {
    if (!nothing_else() || !claim_last()) return;
    ++out.end;
    out.last = true;
    ++counts_.iterations;
  }

  bool claim_last() noexcept {
    if (!view_.tree().last.claim(loop_)) return false;
    retired_ = true;
    return true;
  }

  /// Whether to start iteration n-1 before the next batch of the own node.
  bool should_start_last() const noexcept {
    // Where the costs are known, so is whose it is: after its root, and after one batch that was as expected.
    if (plan_ != nullptr && plan_->is_sure && believes_)
      return starts_last_ && foreseen_ && node_ != view_.tree().root(index_);
    return last_.may_matter(view_.shape(), members_, batch_.cost(), *settings_) && is_time_to_ask() &&
           last_is_critical();
  }
  /// Whoever asks looks at the nodes of many members. In a large team that costs more than it brings as long
  /// as there is much to do, and one member is enough: the one that has the end of the loop.
  bool is_time_to_ask() const noexcept {
    const Word word(raw_);
    return members_ <= k_small_team || node_ == nullptr ||
           (size_ - word.left() - word.right() <= k_near_the_end && begin_ + size_ == view_.shape().units());
  }
  /// A thief asks in a large team if it is about to take the end of the loop.
  bool reaches_last(const Target<P>& target) const noexcept {
    return members_ <= k_small_team || target.begin + target.size == view_.shape().units();
  }

  [[gnu::noinline]] bool last_is_critical() const noexcept {
    float others = 0;
    float neighbour = 0; // cost near the end of the loop
    const auto see = [&](const Target<P>& target) {
      // The higher of two estimates: whoever starts the last iteration for nothing leaves the rest to the
      // others.
      others += static_cast<float>(target.remaining()) * std::max(cost_of(target), batch_.cost());
      if (target.begin + target.size == view_.shape().units()) neighbour = cost_of(target);
      return false;
    };
    if (view_.has_board(*settings_)) {
      const std::uint32_t looked = std::min(k_sample, view_.shape().roots());
      view_.sample(looked, see);
      others *= static_cast<float>(view_.shape().roots()) / static_cast<float>(looked);
    } else {
      view_.any_leaf(see);
    }
    const bool mine = node_ != nullptr && begin_ + size_ == view_.shape().units();
    const float last = mine ? last_.estimate(view_.shape().units()) : neighbour;
    return last_.is_critical(members_, others, last, batch_.cost());
  }

  /// Ticks per unit: what the node's owner says, or said before it was split, else what this member has seen.
  /// What stands in a root that nobody has owned yet is of an earlier loop.
  float cost_of(const Target<P>& target) const noexcept {
    const bool untouched_root = target.level == 0 && target.word.phase() == Phase::available;
    const float known = untouched_root ? 0 : target.node->cost();
    return known > 0 ? known : batch_.cost();
  }

  /// The marks of a root are refreshed once in so many uses: often enough for 8 bits in a word and 23 in a
  /// link, and too rarely to cost anything. (The word of a root that is not empty changes in every use
  /// anyway.)
  static constexpr std::uint64_t k_word_refresh_mask = 0x1F;
  static constexpr std::uint64_t k_link_refresh_mask = 0xFFFF;
  static constexpr std::uint64_t k_few_units = 4;
  static constexpr std::uint64_t k_last = ~std::uint64_t{0}; // iteration n-1, instead of a unit
  static constexpr float k_long_last = 8;                    // such a part of a share is long
  static constexpr std::uint32_t k_small_team = 16;
  static constexpr std::uint32_t k_near_the_end = 4; // units
  static constexpr std::uint32_t k_sample = 16;      // roots
  static constexpr std::uint32_t k_longest_wait = 3; // doublings of the time that a steal takes
  static constexpr std::uint64_t k_near_enough_units = 4;

  View<P> view_;
  Node<P>* node_ = nullptr; // owned by this member, or nullptr
  std::uint64_t raw_ = 0;   // what this member last wrote into node_'s word
  std::uint64_t begin_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t level_ = 0;
  std::uint32_t given_ = 0;      // units of the batch that the caller is executing
  std::uint64_t given_from_ = 0; // the first of them, or k_last
  std::uint32_t index_ = 0;
  std::uint32_t members_ = 1;
  bool arrived_ = false;
  bool is_marked_ = false; // the own root, on the board
  bool retired_ = false;
  bool starved_ = false; // no memory for more nodes: this member only takes what needs none
  bool clocked_ = false;
  std::uint64_t handed_out_ = 0;
  std::uint64_t loop_ = 0;
  const Settings* settings_ = nullptr;
  const Neighbourhood* near_ = nullptr; // nullptr: distance does not matter
  Arena<P>* arena_ = nullptr;
  const Plan* plan_ = nullptr;  // nullptr: nothing is known about the loop
  CostBins<P>* bins_ = nullptr; // nullptr: nobody wants to know what it costs
  bool starts_last_ = false;    // iteration n-1 comes right after the own root
  bool leaves_last_ = false;    // and is somebody else's
  bool believes_ = false;       // in the costs of the plan
  bool foreseen_ = false;       // a batch was as the plan said
  Rng rng_;
  Batcher batch_;
  Search<P> search_;
  LastIteration last_;
  Counts counts_;
};

static_assert(Scheduler<Worker<StdPlatform>>);

} // namespace wstree::core
