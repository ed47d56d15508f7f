// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker of the tree makes of what is known about the loop, and what it tells about this execution.
#pragma once

#include "wstree/core/tree/worker.h"

namespace wstree::core {

template <class P> void Worker<P>::follow_plan(Shape& shape, const Entry& entry) noexcept {
  shape.lay_out(plan_->begins);
  believes_ = true;
  // Iteration n-1 is as long as much of a share, and was counted as a part of this member's.
  starts_last_ = plan_->is_sure && entry.index + 1 == plan_->busy && plan_->last * k_long_last > plan_->share;
  // Whoever has the end of the loop comes by it; to look whether it did costs more than it takes.
  leaves_last_ = entry.index >= plan_->busy || (plan_->is_short && entry.index + 1 != plan_->busy);
}

/// For the next executions of this loop.
template <class P> void Worker<P>::remember(std::uint32_t units, std::uint64_t spent) noexcept {
  if (measured_from_ == k_last)
    bins_->add_last(spent);
  else
    bins_->add(measured_from_, units, spent);
}

/// In a loop of few iterations, which goes on as if nobody had looked at the clock.
template <class P> void Worker<P>::remember_unclocked() noexcept {
  const std::uint64_t now = P::ticks();
  remember(given_, now - handed_out_);
  handed_out_ = now;
}

/// `units` units took `spent`. Once that was not as expected twice in a row (the first time this member may
/// have been interrupted), nothing more is taken from the plan.
template <class P> void Worker<P>::check_plan(std::uint32_t units, std::uint64_t spent) noexcept {
  if (!believes_ || measured_from_ == k_last) return;
  const bool was_foreseen = foreseen_ || !surprised_;
  foreseen_ = plan_->foresaw(measured_from_, units, spent, static_cast<float>(settings_->tail_batch));
  surprised_ = !foreseen_;
  if (foreseen_ || was_foreseen) return;
  believes_ = false;
  starts_last_ = false;
  batch_.distrust();
}

/// The next batch is the first one of a node whose first unit that is.
template <class P> void Worker<P>::expect(std::uint64_t unit) noexcept {
  if (plan_ != nullptr && believes_) batch_.expect(plan_->cost_at(unit), plan_->is_short);
}

/// Iteration n-1 before what the others could be relieved of.
template <class P> bool Worker<P>::take_last_first(Range& out) noexcept {
  starts_last_ = false;
  return take_last(out);
}

} // namespace wstree::core
