// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether brief loops take less time on the tree or in equal parts.
#pragma once

#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace wstree::loop {

/// Decides for loops that come again and again: whichever way takes less time is preferred. The other way is
/// tried now and then, ever less often as long as it is worse. If equal parts suddenly take far longer, the
/// tree has the loops for as many executions as equal parts need to save as much. Zeroed memory is a valid
/// state.
class EvenChoice {
public:
  /// Of all loops that are decided together, in ticks.
  struct Execution {
    float ticks = 0; ///< what they took, with the way in and out
    float work = 0;  ///< what member 0 should have to do in them: an estimate
    float steal = 0; ///< a steal
  };

  EvenChoice() = default;
  explicit EvenChoice(bool prefers_even) noexcept : prefers_even_(prefers_even) {}

  /// Whether the next execution is in equal parts. In a trial both ways take turns, four executions each.
  bool is_even() const noexcept {
    return prefers_even_ != (trial_ != 0 && ((trial_ - 1) & core::tuning::k_turn) != 0);
  }
  /// Nobody has seen what the loops took. What was better elsewhere counts no more, if that was always so.
  void doubt() noexcept {
    if (records_[0].count + records_[1].count == 0) prefers_even_ = false;
  }
  /// An execution has taken its time; `is_even` as before it, `is_overdue` as objects() said. Returns whether
  /// equal parts have turned out to be better (1) or worse (-1); 0: nothing new.
  int judge(const Execution& now, bool is_overdue, std::uint32_t members) noexcept {
    const bool even = is_even();
    const Record& preferred = records_[prefers_even_ ? 1 : 0];
    // Somebody was interrupted, or the work is far less than what it should be.
    const float most = preferred.count == 0 ? now.ticks : 2 * (now.work + preferred.mean);
    const float beyond = std::min(now.ticks, most) - std::min(now.work, 2 * now.ticks);
    records_[even ? 1 : 0].add(std::max(beyond, 0.0F));
    int verdict = 0;
    if (trial_ != 0) {
      balance_ += even ? beyond : -beyond;
      if (--trial_ == 0 || is_overdue) verdict = decide(is_overdue, members);
    } else if (is_overdue) {
      prefers_even_ = false;
      wait_ = 0;
    } else if (wait_ != 0) {
      --wait_;
    } else if (preferred.count >= core::tuning::k_turn) { // there is something to compare with
      trial_ = core::tuning::k_trial;
      balance_ = 0;
    }
    if (is_overdue) wait_ = std::max(wait_, to_pay(now.steal));
    return verdict;
  }
  /// Equal parts have taken `now`, which is `part` of what is decided together. True: that is far too long.
  /// Once may be chance: somebody was interrupted. Twice, before they have saved as much again, is not.
  bool objects(const Execution& now, float part) noexcept {
    if (!is_settled_ && records_[0].count == 0) return false; // than what?
    const float mean = is_settled_ && prefers_even_ ? yardstick_ : records_[0].mean;
    const float usual = now.work + mean * part;
    const float least = static_cast<float>(core::tuning::k_brief_steals) * now.steal; // forks vary by as much
    const float excess = now.ticks - core::tuning::k_far_worse * usual - least;
    const bool owes = owed_ > 0;
    owed_ = excess > 0 ? owed_ + excess : std::max(owed_ - saved(now.steal) * part, 0.0F);
    return owes && excess > 0;
  }

private:
  static_assert(core::tuning::k_trial % (2 * core::tuning::k_turn) == 0);

  /// What one way takes beyond the work of member 0: the way in and out, and waiting for the others.
  struct Record {
    float mean = 0; // in ticks
    std::uint32_t count = 0;
    void add(float now) noexcept {
      ++count;
      mean += (now - mean) / static_cast<float>(std::min(count, core::tuning::k_trial));
    }
  };

  /// What an execution in equal parts saves.
  float saved(float steal) const noexcept { return std::max(gain_, steal); }
  /// Executions on the tree for what is owed, which is paid thereby.
  std::uint32_t to_pay(float steal) noexcept {
    const float owed = std::exchange(owed_, 0.0F);
    return static_cast<std::uint32_t>(
        std::min(owed / std::max(saved(steal), 1.0F), core::tuning::k_most_wary));
  }
  /// The trial is over.
  int decide(bool is_overdue, std::uint32_t members) noexcept {
    const bool is_even_better = !is_overdue && balance_ < 0;
    trial_ = 0;
    if (!is_overdue && prefers_even_ && !is_even_better && !std::exchange(is_doubtful_, true)) {
      trial_ = core::tuning::k_trial; // may be chance: once more
      return 0;
    }
    is_doubtful_ = false;
    gain_ = is_even_better ? -balance_ / static_cast<float>(core::tuning::k_trial / 2) : 0;
    yardstick_ = records_[1].mean;
    is_settled_ = true;
    if (prefers_even_ == is_even_better)
      between_ = std::min(2 * between_, core::tuning::k_longest_between_trials);
    else
      between_ = 0;
    prefers_even_ = is_even_better;
    wait_ = between_ = std::max({between_, core::tuning::k_between_trials, 16 * members});
    return is_even_better ? 1 : -1;
  }

  std::array<Record, 2> records_{}; // on the tree, in equal parts
  std::uint32_t wait_ = 0;          // executions until the next trial
  std::uint32_t between_ = 0;
  std::uint32_t trial_ = 0; // executions left of one; 0: there is none
  float balance_ = 0;       // of the trial: what equal parts have taken more than the tree, in ticks
  float gain_ = 0;          // ticks that equal parts saved in each execution of the latest trial
  float yardstick_ = 0;     // the mean of equal parts after the latest trial: costs may grow little by little
  float owed_ = 0;          // ticks that equal parts have taken too long, and not saved again
  bool prefers_even_ = false;
  bool is_settled_ = false;  // there was a trial
  bool is_doubtful_ = false; // the tree was better in the first half of one
};

} // namespace wstree::loop
