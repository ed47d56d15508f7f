// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether what a loop has cost says anything about its next execution.
#pragma once

#include <algorithm>
#include <cstdint>

namespace wstree::loop {

/// Where the members of a team begin.
enum class Layout : std::uint8_t {
  unknown, ///< as if nothing were known about the loop
  equal,   ///< equal numbers of units
  cut      ///< equal costs
};

/// Nothing is believed, but seen: how well the cut that was made of earlier executions would have fitted each
/// one, how well equal shares would have, and what executions have really taken with a cut and without.
/// Private to the planner.
class Foresight {
public:
  /// Several executions in a row were as they had been foreseen.
  bool is_sure() const noexcept { return right_ >= k_sure && wrong_ == 0; }
  /// How much more rarely than at first executions need looking at: the longer they have been foreseen, and
  /// not at all if they were a surprise before.
  std::uint32_t calm() const noexcept {
    return is_sure() && needed_ == 1 ? std::clamp(right_ / k_sure, 1U, k_calmest) : 1;
  }
  /// Too many surprises to look at the first few executions one by one.
  bool is_restless() const noexcept { return needed_ >= k_restless; }
  bool is_trying() const noexcept { return tries_[1] < k_tries; }

  /// The loop has become another one. How often that happens is not forgotten.
  void start_again() noexcept {
    score_cut_ = score_equal_ = 0;
    pace_[0] = pace_[1] = 0;
    tries_[0] = tries_[1] = 0;
    patience_ = 1;
    forget_time();
  }

  /// Longest part over a fair one in the latest execution: of equal shares, and of the cut that knew nothing
  /// of it (0: there was none). Whoever was wrong, and not only once, has to be right more often before it is
  /// believed again. `noise`: so much of a fair part may be the measuring.
  void judge(double cut, double equal, double noise) noexcept {
    noise_ = static_cast<float>(noise);
    judge_equal(equal);
    if (cut == 0) return;
    learn(score_cut_, cut);
    if (cut < k_right + noise || cut - 1 < k_much_better * (equal - 1)) {
      ++right_;
      wrong_ = 0;
      if (right_ >= k_forgives * needed_ && needed_ > 1) needed_ /= 2;
    } else if (++wrong_ > k_excused) {
      right_ = 0;
      needed_ = std::min(2 * needed_, k_most_needed);
    }
  }
  void judge_equal(double equal) noexcept { learn(score_equal_, equal); }

  /// An execution of so much work took `elapsed` ticks, 0 if that is not known, with a cut or without.
  void compare(bool cut, std::uint64_t elapsed, double work) noexcept {
    if (elapsed == 0) return;
    const auto pace = static_cast<float>(static_cast<double>(elapsed) / std::max(work, 1.0));
    float& least = pace_[cut ? 1 : 0]; // one that was disturbed says nothing
    std::uint32_t& tries = tries_[cut ? 1 : 0];
    least = tries == 0 ? pace : std::min(least, pace);
    ++tries;
  }

  /// What to do next.
  Layout choose(bool is_short) const noexcept {
    if (right_ < needed_) return Layout::unknown;
    const float cut = score_cut_ > 0 ? score_cut_ : 1;
    if (score_equal_ < k_even + noise_ || cut + better(is_short) >= score_equal_) return Layout::equal;
    return cut_is_slower() ? Layout::unknown : Layout::cut;
  }
  /// By how much another layout has to be better than the present one. Short loops are measured badly.
  static constexpr float better(bool is_short) noexcept { return is_short ? k_better_if_short : k_better; }

  /// After each execution. True if it took so long that it should be looked at soon; if that was nothing, the
  /// next such one counts later.
  bool alarms(std::uint64_t elapsed, std::uint64_t slack) noexcept {
    ++quiet_;
    if (usual_time_ != 0 && elapsed > usual_time_ + usual_time_ / k_longer + slack) {
      if (quiet_ < patience_) return false;
      quiet_ = 0;
      return true;
    }
    usual_time_ = usual_time_ == 0 ? elapsed : std::min(usual_time_ + usual_time_ / 64, elapsed);
    return false;
  }
  void was_nothing() noexcept { patience_ = std::min(2 * patience_, k_most_patience); }
  /// Executions take another time from here on.
  void forget_time() noexcept { usual_time_ = 0; }

private:
  static constexpr double k_right = 1.2;        // a cut that foresaw an execution
  static constexpr double k_much_better = 0.25; // so is this part of the imbalance of equal shares
  static constexpr std::uint32_t k_sure = 3;
  static constexpr std::uint32_t k_calmest = 6;
  static constexpr std::uint32_t k_excused = 1; // surprises in a row: somebody may have been disturbed
  static constexpr std::uint32_t k_most_needed = 16;
  static constexpr std::uint32_t k_forgives = 4;
  static constexpr std::uint32_t k_restless = 4;
  static constexpr std::uint32_t k_tries = 3;
  static constexpr float k_slower = 1.01F;
  static constexpr float k_even = 1.02F; // nobody gains from cutting what is as even as this
  static constexpr float k_better = 0.03F;
  static constexpr float k_better_if_short = 0.15F;
  static constexpr std::uint64_t k_longer = 8; // such a part longer
  static constexpr std::uint64_t k_most_patience = 64;
  static constexpr float k_weight = 0.25F; // of the latest execution in a score

  static void learn(float& score, double seen) noexcept {
    const auto value = static_cast<float>(seen);
    score = score == 0 ? value : score + k_weight * (value - score);
  }
  bool cut_is_slower() const noexcept {
    return tries_[0] != 0 && tries_[1] >= k_tries && pace_[1] > k_slower * pace_[0];
  }

  std::uint32_t right_ = 0;  // executions in a row that were foreseen, but for those that were disturbed
  std::uint32_t wrong_ = 0;  // executions in a row that were not
  std::uint32_t needed_ = 1; // of these, before anything is done about it
  float noise_ = 0;
  float score_cut_ = 0;
  float score_equal_ = 0;
  float pace_[2] = {}; // least time per work without and with a cut
  std::uint32_t tries_[2] = {};
  std::uint64_t usual_time_ = 0; // of executions as they are laid out now, 0 if not known
  std::uint64_t quiet_ = 0;      // executions since the latest alarm
  std::uint64_t patience_ = 1;   // executions from one alarm to the next
};

} // namespace wstree::loop
