// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a worker of the tree makes of what is known about the loop, and what it tells about this execution.
#pragma once

#include "wstree/core/tree/worker.h"

namespace wstree::core {

template <class P> void Worker<P>::follow_plan(Shape& shape, const Entry& entry) noexcept {
  shape.lay_out(plan_->begins);
  believes_ = true;
  const bool has_end = entry.index + 1 == entry.members;
  // Whoever has the end of the loop comes by it; to look whether it did costs more than it takes.
  leaves_last_ = plan_->is_short && !has_end;
}

/// For the next executions of this loop.
template <class P> void Worker<P>::remember(std::uint32_t units, std::uint64_t spent) noexcept {
  const std::uint64_t ticks = spent | 1; // what was never executed has none
  if (measured_from_ == k_last)
    bins_->add_last(ticks);
  else
    bins_->add(measured_from_, units, ticks);
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
  if (foreseen_ && plan_->is_short && node_ != nullptr) batch_.hurry(plan_->share);
  if (foreseen_ || was_foreseen) return;
  believes_ = leaves_last_ = false;
}

} // namespace wstree::core
