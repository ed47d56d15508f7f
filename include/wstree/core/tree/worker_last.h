// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker of the tree does about iteration n-1.
//
// It is not in the tree. Compilers copy lastprivate variables out of the private copy of the thread that was
// told "last", after the loop: that thread must not get another chunk. So iteration n-1 is handed out by
// Tree::last to one member, which then retires from the loop: normally to the first that finds nothing else,
// and earlier if it looks so expensive that starting it now ends the loop sooner (last_iteration.h).
#pragma once

#include "wstree/core/tree/worker.h"

namespace wstree::core {

/// Nothing is left for anybody but iteration n-1.
template <class P> bool Worker<P>::nothing_else() noexcept {
  return view_.has_board(*settings_) ? view_.is_empty_by_board(rng_) : view_.is_empty();
}

/// Iteration n-1, for one member.
template <class P> bool Worker<P>::take_last(Range& out) noexcept {
  if (!claim_last()) return false;
  const std::uint64_t n = view_.shape().iterations();
  out = {n - 1, n, true};
  given_ = 1;
  measured_from_ = k_last;
  node_ = nullptr;
  ++counts_.iterations;
  ++counts_.batches;
  return true;
}

/// nullptr if iteration n-1 is not to be had, or not without keeping the own node.
template <class P> typename Arena<P>::Pair Worker<P>::pair_for_last() noexcept {
  return view_.tree().last.is_taken(loop_) ? nullptr : arena_->take();
}

/// Iteration n-1 instead of the next batch of the own node, whose rest has to be free for everybody then,
/// also for a member that has no memory to steal it. So the owner splits it as a thief would, and keeps
/// neither half. It does so before it claims the iteration: a member that found nothing it could take, and
/// then that somebody has the iteration, looks once more, and sees the halves (W1).
template <class P> bool Worker<P>::leave_for_last(typename Arena<P>::Pair pair, Range& out) noexcept {
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
template <class P> bool Worker<P>::last_is_short() const noexcept {
  return batch_.cost() > 0 && batch_.cost() < static_cast<float>(settings_->tail_batch);
}

/// The batch that was just taken ends where iteration n-1 begins: one dispatch for both if there is nothing
/// else to do.
template <class P> void Worker<P>::append_last(Range& out) noexcept {
  if (!nothing_else() || !claim_last()) return;
  ++out.end;
  out.last = true;
  ++counts_.iterations;
}

template <class P> bool Worker<P>::claim_last() noexcept {
  if (!view_.tree().last.claim(loop_)) return false;
  retired_ = true;
  return true;
}

/// Whoever asks looks at the nodes of many members. In a large team, and where iterations are short, that
/// costs more than it brings as long as there is much to do, and one member is enough: the one that has the
/// end of the loop.
template <class P> bool Worker<P>::is_time_to_ask() const noexcept {
  const Word word(raw_);
  return node_ == nullptr || (members_ <= k_small_team && batch_.cost() > price_of_asking()) ||
         (size_ - word.left() - word.right() <= k_near_the_end && begin_ + size_ == view_.shape().units());
}

/// Ticks of a batch for which a look at all members is a few percent.
template <class P> float Worker<P>::price_of_asking() const noexcept {
  return static_cast<float>(2 * settings_->steal_cost) * static_cast<float>(members_);
}

/// A thief asks in a large team if it is about to take the end of the loop.
template <class P> bool Worker<P>::reaches_last(const Target<P>& target) const noexcept {
  return members_ <= k_small_team || target.begin + target.size == view_.shape().units();
}

template <class P> bool Worker<P>::last_is_critical() const noexcept {
  float others = 0;
  float neighbour = 0; // cost near the end of the loop
  const auto see = [&](const Target<P>& target) {
    // Whoever starts the last iteration for nothing leaves the rest to the others. So what this member has
    // seen counts too.
    others += static_cast<float>(target.remaining()) * std::max(cost_of(target), batch_.cost() / 2);
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
  const float step = node_ != nullptr ? last_.estimate(begin_ + Word(raw_).left()) : batch_.cost();
  return last_.is_critical(members_, others, last, step);
}

} // namespace wstree::core
