// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of the member that executes iteration n-1, which is not in the tree, and of the time.
#pragma once

#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"
#include "wstree/core/tree/tree.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <cstdint>

namespace wstree::core {

/// Compilers copy lastprivate variables out of the private copy of the thread that was told "last", after the
/// loop: that thread must not get another chunk. So Tree::last hands iteration n-1 out to one member, which
/// then retires from the loop: normally to the first that finds nothing else. In a team of two with few, long
/// iterations, a member starts it earlier if that ends the loop sooner (EXP: it is half of the work). The
/// other member, which has to do the rest, must have come by then, and the cost of the rest must be known. In
/// a larger team an early start costs more than it brings. Private to its member.
template <class P> class LastIteration {
public:
  void enter(const Shape& shape, const Entry& entry) noexcept {
    settings_ = entry.settings;
    loop_ = entry.loop;
    position_ = 0;
    cost_ = 0;
    rises_ = false;
    // Only a root with units shows whether its member has come.
    may_be_early_ = entry.members == 2 && shape.root_size(shape.roots() - 1) != 0 &&
                    entry.settings->batch == BatchMode::timed &&
                    shape.units() <= tuning::k_few_units_each * 2;
  }

  /// Returns the number of the execution.
  std::uint64_t loop() const noexcept { return loop_; }

  /// Returns whether the caller gets the iteration, and with it retires.
  bool claim(const View<P>& view) const noexcept { return view.tree().last.claim(loop_); }
  bool is_taken(const View<P>& view) const noexcept { return view.tree().last.is_taken(loop_); }

  /// Returns whether the iteration is not worth a dispatch of its own, let alone another member's attention.
  bool is_short(Cost cost) const noexcept { return cost != 0 && ticks_of(cost) < settings_->tail_batch; }
  /// Returns whether nothing but this iteration is left in the loop.
  bool is_all(const View<P>& view, Rng& rng) const noexcept {
    return view.has_board(*settings_) ? view.is_empty_by_board(rng) : view.is_empty();
  }

  /// A unit of a batch that ended before unit `position` took `cost`.
  void learn(std::uint64_t position, Cost cost) noexcept {
    if (!may_be_early_) return;
    rises_ = position > position_ && cost_ != 0 && cost > cost_;
    position_ = position;
    cost_ = cost;
  }
  /// Returns whether iteration n-1 may have to start early: at all, or if iterations take `cost`.
  bool may_be_early() const noexcept { return may_be_early_; }
  bool may_be_early(Cost cost) const noexcept {
    return may_be_early_ && ticks_of(cost) > settings_->shortest_target;
  }
  /// Notes that this member has stolen the other one's root, because that had not come.
  void note_late() noexcept { may_be_early_ = false; }
  /// Returns whether the member should start iteration n-1 before another batch.
  bool should_start(const View<P>& view, Cost cost) const noexcept {
    return may_be_early(cost) && ends_sooner(view, cost);
  }

private:
  /// Returns whether the cost of a node's unclaimed units is unknown: its owner has not finished the first
  /// unit, which may be long. The cost of units right behind this member's latest batch is known.
  bool is_unknown(const Target<P>& target) const noexcept {
    return target.remaining() != 0 && target.node->cost() == 0 &&
           target.begin + target.word.left() != position_;
  }
  /// Returns whether the loop ends sooner if this member starts iteration n-1 now, and leaves the rest to the
  /// other member, than if it takes another batch first. The other member is on average half a batch away
  /// from being free.
  [[gnu::noinline]] bool ends_sooner(const View<P>& view, Cost cost) const noexcept {
    const std::uint64_t own = ticks_of(cost);
    std::uint64_t others = 0;              // ticks of all that is unclaimed
    std::uint64_t last = rises_ ? own : 0; // and of the iteration; more if the last leaf's units cost more
    const bool must_wait = view.any_leaf([&](const Target<P>& target) {
      if (target.is_untouched_root() || is_unknown(target)) return true;
      // If the estimate is wrong, the other member does the whole rest. So a unit counts at least half of
      // this member's cost.
      const Cost each = target.cost_or(cost);
      others += ticks_of(std::max(each, cost / 2), target.remaining());
      if (target.begin + target.size == view.shape().units()) last = std::max(last, ticks_of(each));
      return false;
    });
    if (must_wait) return false;
    const std::uint64_t now = std::max(last, others + own / 2);
    const std::uint64_t later = std::max(own + last, (others + own / 2 + last) / 2);
    return now < tuning::k_convincing * later;
  }

  const Settings* settings_ = nullptr;
  std::uint64_t loop_ = 0;
  std::uint64_t position_ = 0; // behind the latest batch, which took
  Cost cost_ = 0;              // so much per unit:
  bool rises_ = false;         // more than one nearer to the begin before it
  bool may_be_early_ = false;
};

} // namespace wstree::core
