// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a frozen node of the tree is split in two: by the thief that froze it, by its victim, or by whoever
// meets it.
#pragma once

#include "wstree/core/tree/worker.h"

namespace wstree::core {

/// trySteal, second step, for everybody who meets a frozen node: its victim, or a worker that helps.
template <class P> bool Worker<P>::expand(const Target<P>& target, bool left, Range& out) noexcept {
  for (std::uint32_t waited = 0;; ++waited) {
    if (auto theirs = target.node->children(view_.use())) return adopt_theirs(theirs, left, out);
    if (const auto pair = arena_->take()) return publish(pair, target, left, out);
    // No memory here. Who has frozen the node has its pair and is about to hang it. If that takes long it is
    // suspended, and will find both halves free when it goes on.
    starved_ = true;
    leaves_frozen_ |= waited == k_patience;
    if (leaves_frozen_) return false;
    P::yield();
  }
}

/// Splits what is left of a frozen node in two, `eighths` of it for this member, takes the first batch of
/// that and publishes both.
template <class P>
bool Worker<P>::publish(typename Arena<P>::Pair pair, const Target<P>& target, bool left, Range& out,
                        std::uint32_t eighths) noexcept {
  const std::uint32_t remaining = target.remaining();
  // The publisher's part is never empty.
  const auto theirs = static_cast<std::uint32_t>(std::uint64_t{remaining} * (8 - eighths) / 8);
  const std::uint32_t half = left ? remaining - theirs : theirs;
  const std::uint64_t first_unit = target.begin + target.word.left();
  batch_.start_node();
  const std::uint32_t size = left ? half : remaining - half;
  const std::uint64_t begin = left ? first_unit : first_unit + half;
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
template <class P>
typename Arena<P>::Pair Worker<P>::hang(typename Arena<P>::Pair pair, const Target<P>& target,
                                        std::uint32_t half, Word left, Word right) noexcept {
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
template <class P>
bool Worker<P>::adopt_theirs(typename Arena<P>::Pair pair, bool left, Range& out) noexcept {
  for (const int side : {left ? 0 : 1, left ? 1 : 0}) {
    const Target<P> target = view_.inner(pair + side);
    if (target.size > 0 && target.word.phase() == Phase::available && own(target, out)) return true;
  }
  return false;
}

} // namespace wstree::core
