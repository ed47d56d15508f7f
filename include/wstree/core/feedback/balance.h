// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bounds of a static loop's parts, computed from the times that the members of earlier teams took for their
// parts (README.md).
#pragma once

#include "cost_curve.h"

#include "wstree/core/shape.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace wstree::core {

/// Returns the begin of a part of equal_part(); part `members` begins at the end.
constexpr std::uint64_t equal_bound(std::uint64_t iterations, std::uint32_t members,
                                    std::uint32_t part) noexcept {
  return equal_part(iterations, members, part).begin;
}

/// The loops with one number of iterations in one region. Between executions one thread calls learn();
/// while the loop is executed, all members may read the bounds. Works in one block of memory, whose size
/// bytes() gives for any number of members.
class Balance {
public:
  /// More members, or iterations whose products with a share have no room, are left alone.
  static constexpr std::uint32_t k_most_members = 1024;
  static constexpr std::uint64_t k_most_iterations = std::uint64_t{1} << 32;
  static constexpr bool can_cut(std::uint64_t iterations, std::uint32_t members) noexcept {
    return members > 1 && members <= k_most_members && iterations > members && iterations < k_most_iterations;
  }
  static constexpr std::size_t bytes(std::uint32_t members) noexcept {
    return CostCurve::room(members) * sizeof(CostCurve::Piece) + 3 * members * sizeof(std::int64_t) +
           2 * (std::size_t{members} + 1) * sizeof(std::uint64_t);
  }

  /// `memory`: bytes(members), aligned for a std::int64_t.
  void begin(void* memory, std::uint64_t iterations, std::uint32_t members) noexcept {
    *this = {};
    auto* pieces = static_cast<CostCurve::Piece*>(memory);
    curve_.reset(pieces, CostCurve::room(members), iterations);
    shares_ = reinterpret_cast<std::int64_t*>(pieces + CostCurve::room(members));
    errors_ = shares_ + members;
    believed_ = errors_ + members;
    bounds_ = reinterpret_cast<std::uint64_t*>(believed_ + members);
    wanted_ = bounds_ + members + 1;
    iterations_ = iterations;
    members_ = members;
    std::fill_n(errors_, members, 0);
    cut_equally();
  }

  std::uint64_t iterations() const noexcept { return iterations_; }
  std::uint32_t members() const noexcept { return members_; }
  bool is_equal() const noexcept { return equal_; }
  std::uint64_t bound(std::uint32_t part) const noexcept { return bounds_[part]; }
  /// Returns the time of the busiest member beside the mean one, in the latest execution:
  /// k_one if it is even.
  std::int64_t imbalance() const noexcept { return seen_; }

  /// Learns the members' times in the latest execution, in ticks, and cuts the next one. Calls `time(m)`
  /// for each member once.
  template <class Time> void learn(Time&& time) noexcept {
    std::int64_t sum = 0;
    for (std::uint32_t m = 0; m < members_; ++m) {
      shares_[m] = static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(time(m)), k_most_ticks));
      sum += shares_[m];
    }
    if (sum == 0) return;
    // Products of a time and k_one have room.
    const auto surplus = static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(sum) >> 32));
    for (std::uint32_t m = 0; m < members_; ++m)
      shares_[m] = (shares_[m] >> surplus) * k_one / (sum >> surplus);
    seen_ = members_ * *std::max_element(shares_, shares_ + members_);
    if (take_back(sum)) return;
    ++executions_;
    curve_.predict(bounds_, believed_, members_);
    doubt_ = 0;
    const std::int64_t weight = weigh(sum);
    const std::int64_t gain = std::min(choose_gain() * weight / k_same, k_one);
    if (gain > 0) curve_.learn(bounds_, shares_, members_, gain, doubt_);
    judge();
    if (pause_ != 0)
      --pause_;
    else
      move(weight > tuning::k_far_longer * k_same ? iterations_ : iterations_ / tuning::k_longest_move + 1);
  }

private:
  static constexpr std::int64_t k_one = CostCurve::k_one; // of shares, and of mean parts
  static constexpr std::int64_t k_same = 1 << 6;          // weight of a mean execution
  static constexpr std::int64_t k_most_weight = 1 << 16;
  static constexpr std::uint64_t k_most_ticks = std::uint64_t{1} << 46; // of a member
  static constexpr std::int64_t thousandths(std::int64_t count) noexcept { return count * k_one / 1000; }
  /// Returns a part of `ticks`.
  static std::int64_t part_of(std::int64_t ticks, std::int64_t share) noexcept {
    __extension__ using Wide = __int128;
    return static_cast<std::int64_t>(Wide{ticks} * share / k_one);
  }

  /// Returns the weight of an execution: its time beside the mean one's. Otherwise costs that many short
  /// executions have shown could cost a long one more than they have saved.
  std::int64_t weigh(std::int64_t sum) noexcept {
    const std::int64_t weight = usual_ > 0 ? std::min(sum * k_same / usual_, k_most_weight) : k_same;
    usual_ += (sum - usual_) / std::min<std::int64_t>(executions_, tuning::k_balanced_mean);
    return weight;
  }
  /// Adds the time that cut parts save beside equal ones, in an execution with costs as in the latest one.
  /// Returns whether they have lost more than they have saved: parts are equal until that has changed.
  bool take_back(std::int64_t sum) noexcept {
    std::int64_t saved = 0;
    if (equal_) {
      curve_.cut(wanted_, members_);
      saved = part_of(sum, seen_ - imbalance_of(wanted_));
    } else {
      for (std::uint32_t m = 0; m <= members_; ++m) wanted_[m] = equal_bound(iterations_, members_, m);
      saved = part_of(sum, imbalance_of(wanted_) - seen_);
      // One member alone that took longer may have been interrupted: excused, but not twice in turn.
      if (saved < -usual_ && part_of(sum, k_one - seen_ / members_) < tuning::k_far_longer * usual_ &&
          std::exchange(excused_, busiest()) != busiest())
        saved = -usual_;
    }
    saved_ += saved - std::max<std::int64_t>(saved_, 0) /
                          tuning::k_balanced_mean; // losses count until they are made up
    if (equal_ || saved_ >= 0) return false;
    cut_equally();
    settling_ = cut_executions_ = equal_executions_ = 0;
    cut_seen_ = equal_believed_ = 0;
    executions_ = 1;
    usual_ = std::max(usual_, sum / tuning::k_balanced_mean);
    return true;
  }
  std::uint32_t busiest() const noexcept {
    return static_cast<std::uint32_t>(std::max_element(shares_, shares_ + members_) - shares_);
  }
  /// imbalance(), if parts had had these bounds and iterations of one part cost the same.
  std::int64_t imbalance_of(const std::uint64_t* bounds) const noexcept {
    std::int64_t worst = 0;
    std::uint32_t from = 0;
    for (std::uint32_t m = 0; m < members_; ++m) {
      std::int64_t share = 0;
      for (std::uint64_t at = bounds[m]; at < bounds[m + 1];) {
        while (bounds_[from + 1] <= at) ++from;
        const std::uint64_t end = std::min(bounds[m + 1], bounds_[from + 1]);
        share += shares_[from] * static_cast<std::int64_t>(end - at) /
                 static_cast<std::int64_t>(bounds_[from + 1] - bounds_[from]);
        at = end;
      }
      worst = std::max(worst, share);
    }
    return members_ * worst;
  }

  /// Returns the weight of the latest execution. Errors that go on in one direction show that costs change;
  /// errors that alternate are noise, or the answer to the correction before.
  std::int64_t choose_gain() noexcept {
    constexpr std::int64_t k_rough = 1 << 14; // products of two rough errors have room
    std::int64_t error = 0;
    std::int64_t square = 0;
    std::int64_t before = 0;
    std::int64_t product = 0;
    for (std::uint32_t m = 0; m < members_; ++m) {
      const std::int64_t now = (shares_[m] - believed_[m]) * members_;
      const std::int64_t rough = now / k_rough;
      error = std::max(error, std::abs(now));
      square += rough * rough;
      before += errors_[m] * errors_[m];
      product += rough * errors_[m];
      errors_[m] = rough;
    }
    // Whether the correlation of the errors is clear.
    const std::int64_t clear = tuning::k_repeats * (square_root_of(square) * square_root_of(before));
    const std::int64_t usual = error_;
    error_ = executions_ == 1 ? 0 : error + tuning::k_error_memory * (usual - error);
    if (executions_ == 1) return k_one;
    if (settling_ != 0) {
      --settling_;
      return gain_ = k_one;
    }
    const bool surprised =
        error > thousandths(tuning::k_surprise) && error > tuning::k_surprise_times * usual;
    if (surprised || doubtful_) {
      // After one surprise a member may have been interrupted. After two in a row the costs have changed.
      error_ = usual;
      doubtful_ = !doubtful_;
      if (doubtful_) return 0;
      if (product > clear) {
        error_ = error;
        settling_ = tuning::k_settling;
        pause_ = 0;
        cut_executions_ = 0;
        cut_seen_ = equal_believed_ = 0;
        doubt_ = 1000 / tuning::k_surprise;
        return gain_ = k_one;
      }
    }
    doubt_ = tuning::k_doubt;
    constexpr std::int64_t least_gain = thousandths(tuning::k_least_gain);
    if (equal_) return gain_ = std::max(k_one / executions_, least_gain);
    if (product > clear)
      gain_ = std::min(tuning::k_gain_up * gain_, k_one);
    else if (product < -clear)
      gain_ = std::max(tuning::k_gain_down * gain_, least_gain);
    return gain_;
  }

  /// Finds out whether the cuts are any better than equal parts were; if not, makes parts equal for a while.
  void judge() noexcept {
    if (equal_) {
      equal_seen_ += (seen_ - equal_seen_) / std::min(++equal_executions_, 64U);
      return;
    }
    if (settling_ != 0 || doubtful_) return;
    ++cut_executions_;
    cut_seen_ += (seen_ - cut_seen_) / cut_executions_;
    for (std::uint32_t m = 0; m <= members_; ++m) wanted_[m] = equal_bound(iterations_, members_, m);
    equal_believed_ += (believed_worst(wanted_) - equal_believed_) / cut_executions_;
    if (cut_executions_ < tuning::k_probation) return;
    if (cut_seen_ > std::max(equal_seen_, equal_believed_) - thousandths(tuning::k_worth_moving) / 2) {
      cut_equally();
      pause_ = next_pause_;
      next_pause_ = std::min(2 * next_pause_, tuning::k_longest_pause);
      equal_executions_ = 0;
      executions_ = 1;
    } else {
      next_pause_ = tuning::k_first_pause;
    }
    cut_executions_ = 0;
    cut_seen_ = equal_believed_ = 0;
  }

  /// Cuts parts by the curve, if that is worth it. No bound moves by more than `longest` iterations.
  void move(std::uint64_t longest) noexcept {
    if (saved_ < 0) return;
    const std::int64_t now = believed_worst(bounds_);
    std::int64_t least = thousandths(tuning::k_worth_moving);
    if (equal_) {
      const std::int64_t seen = executions_;
      least = std::max({thousandths(tuning::k_worth_leaving),
                        thousandths(tuning::k_worth_leaving_at_first) / seen,
                        (error_ << 8) / square_root_of(seen << 16)});
    }
    if (now - k_one < least) return;
    curve_.cut(wanted_, members_);
    if (now - believed_worst(wanted_) < least) return;
    for (std::uint32_t m = 1; m < members_; ++m) {
      const std::uint64_t lowest = bounds_[m] > longest ? bounds_[m] - longest : 0;
      bounds_[m] = std::clamp(wanted_[m], lowest, bounds_[m] + longest);
    }
    if (equal_) settling_ = tuning::k_settling;
    equal_ = false;
  }

  std::int64_t believed_worst(const std::uint64_t* bounds) noexcept {
    curve_.predict(bounds, believed_, members_);
    return members_ * *std::max_element(believed_, believed_ + members_);
  }

  void cut_equally() noexcept {
    for (std::uint32_t m = 0; m <= members_; ++m) bounds_[m] = equal_bound(iterations_, members_, m);
    equal_ = true;
  }

  CostCurve curve_;
  std::int64_t* shares_ = nullptr;   // each member's part of the time of the latest execution
  std::int64_t* errors_ = nullptr;   // differences between measured and predicted shares, in mean parts
  std::int64_t* believed_ = nullptr; // predicted shares between some bounds
  std::uint64_t* bounds_ = nullptr;  // bounds of the parts in the next execution
  std::uint64_t* wanted_ = nullptr;  // bounds by the curve
  std::uint64_t iterations_ = 0;
  std::uint32_t members_ = 0;
  std::uint32_t executions_ = 0; // since the parts were equal for the first time, or again
  std::uint32_t settling_ = 0;   // executions that count alone
  std::uint32_t pause_ = 0;      // executions in which the parts stay equal
  std::uint32_t next_pause_ = tuning::k_first_pause;
  std::uint32_t equal_executions_ = 0;
  std::uint32_t cut_executions_ = 0;
  std::int64_t usual_ = 0;          // ticks of all members in the mean execution
  std::uint32_t excused_ = ~0U;     // the member that was the latest to take longer alone
  std::int64_t saved_ = 0;          // by cut parts, in ticks of all members, lately
  std::int64_t seen_ = k_one;       // imbalance of the latest execution
  std::int64_t equal_seen_ = k_one; // the mean of those with equal parts
  std::int64_t cut_seen_ = 0;       // the mean of the latest ones with cut parts
  std::int64_t equal_believed_ = 0; // predicted imbalance of equal parts in the executions with cut parts
  std::int64_t error_ = 0;          // usual error of the predicted shares
  std::int64_t gain_ = k_one;
  std::int64_t doubt_ = 0; // see CostCurve::learn()
  bool equal_ = true;
  bool doubtful_ = false; // the latest execution was a surprise
};

} // namespace wstree::core
