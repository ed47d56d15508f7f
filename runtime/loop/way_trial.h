// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of two ways takes less time, if everything else changes too.
#pragma once

#include "wstree/core/rng.h"
#include "wstree/core/tuning.h"

#include <cmath>
#include <cstdint>

namespace wstree::loop {

/// Executions in the two ways take turns: two in one way, four in the other one, two in the first one again.
/// So what grows or shrinks steadily is the same for both, and data stay with one member for a while, as they
/// would without a trial. Two and two are a pair. Which way begins is drawn for each two pairs, so that no
/// pattern in what comes goes with the turns for long. Zeroed memory is a valid state.
class WayTrial {
public:
  /// `number` of the trial, for drawing.
  explicit WayTrial(std::uint32_t number = 0) noexcept : random_(number) { draw(); }

  bool is_rivals_turn() const noexcept {
    const std::uint32_t turn = executions_ / core::tuning::k_turn % 4;
    return (turn == 1 || turn == 2) != is_rival_first_;
  }
  /// An execution took `ticks`, with `share` iterations for a member, of which each should take `cost`.
  /// Returns whether a pair is complete.
  bool add(float ticks, float share, float cost) noexcept {
    const bool is_rivals = is_rivals_turn();
    // Where sizes are equal, it makes no difference which cost is believed.
    (is_rivals ? rivals_ : preferreds_) += ticks;
    more_ += is_rivals ? -share : share;
    if (++executions_ % (2 * core::tuning::k_turn) != 0) return false;
    note((preferreds_ - rivals_ - cost * more_) / core::tuning::k_turn);
    preferreds_ = rivals_ = more_ = 0;
    if (pairs_ % 2 == 0) draw();
    return true;
  }

  std::uint32_t pairs() const noexcept { return pairs_; }
  /// By how many ticks an execution in the preferred way takes longer, so far.
  float gain() const noexcept { return mean_; }
  /// By how much that may be wrong; from two pairs on.
  float error() const noexcept { return 2 * std::sqrt(squares_ / static_cast<float>(pairs_ * (pairs_ - 1))); }

private:
  void draw() noexcept { is_rival_first_ = random_.coin(); }
  void note(float difference) noexcept {
    ++pairs_;
    const float change = difference - mean_;
    mean_ += change / static_cast<float>(pairs_);
    squares_ += change * (difference - mean_);
  }

  core::Rng random_;
  bool is_rival_first_ = false;
  std::uint32_t executions_ = 0;
  // Of the open pair:
  float preferreds_ = 0; // ticks
  float rivals_ = 0;
  float more_ = 0; // iterations of the preferred way, beyond the rival's
  // Of the others:
  std::uint32_t pairs_ = 0;
  float mean_ = 0;
  float squares_ = 0; // of what differs from the mean
};

} // namespace wstree::loop
