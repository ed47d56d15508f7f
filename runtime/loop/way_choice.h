// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which way brief loops take least time: on the tree, in equal parts, or by one member alone.
#pragma once

#include "way_trial.h"

#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace wstree::loop {

/// How the members of a team share a loop that may be brief.
enum class Way : std::uint8_t {
  tree,
  parts, ///< one equal part for each member, and for whoever is there those of members that have not come
  alone  ///< all of it in one part, which is member 0's if that comes first
};
inline constexpr std::size_t k_ways = 3;

/// Loops of about one size are decided alike: by powers of two of the iterations of a member. The last size
/// has no end.
inline constexpr unsigned k_sizes = 18;

/// Decides for loops that come again and again. One way is preferred. The others are tried in turn, ever less
/// often as long as they are clearly worse, and at once if the preferred way has become worse. What a way has
/// taken far too long now and then counts against it until that is long ago. Zeroed memory is a valid state.
class WayChoice {
public:
  /// Of all loops that are decided together.
  struct Execution {
    float ticks = 0; ///< what they took, with the way in and out
    float work = 0;  ///< ticks that a member should have to work in them if all do the same: an estimate
    float share = 0; ///< iterations of a member; 0: nobody knows
  };

  WayChoice() = default;
  explicit WayChoice(Way preferred) noexcept : preferred_(preferred), rival_(preferred) {}

  /// That of the next execution.
  Way way() const noexcept { return is_trial_ && trial_.is_rivals_turn() ? rival_ : preferred_; }
  Way preferred() const noexcept { return preferred_; }
  /// Whether every way that may be better has been tried.
  bool is_settled() const noexcept { return between_ >= core::tuning::k_between_trials; }

  /// How many executions in a row somebody has to see from now on.
  std::uint32_t wanted() const noexcept {
    if (is_trial_ || wait_ == 0 || !is_settled()) return core::tuning::k_remembered;
    return record_of(preferred_).was_far() ? 2 * core::tuning::k_few : 0;
  }
  /// Nobody looked at `executions`: they count for how long ago something was.
  void pass(std::uint32_t executions) noexcept {
    wait_ -= std::min(wait_, executions);
    for (Record& record : records_) record.fade(static_cast<float>(executions));
  }
  /// Nobody has seen what an execution took. What was better elsewhere counts no more, if that was always so.
  void miss() noexcept {
    if (!record_of(preferred_).is_known()) preferred_ = Way::tree;
    if (!is_trial_ || ++missed_ != core::tuning::k_missed) return;
    if (way() == Way::tree) preferred_ = Way::tree; // which says that the loops are no longer brief
    end_trial(std::max(between_, core::tuning::k_between_trials));
  }
  /// An execution of a team of `members` has taken its time, in the way that way() said before it. Not
  /// `alone_too`: nobody is to be alone.
  void judge(const Execution& now, std::uint32_t members, bool alone_too = true) noexcept {
    missed_ = 0;
    for (Record& record : records_) record.fade(1);
    const float beyond = std::max(now.ticks - std::min(now.work, 2 * now.ticks), 0.0F);
    record_of(way()).add(beyond, now.work);
    const float more = alone_too ? now.work * static_cast<float>(members - 1) : k_too_much;
    if (is_trial_) {
      compare(now);
    } else if (now.work + record_of(preferred_).mean() > core::tuning::k_worse * (now.work + expected_)) {
      between_ = core::tuning::k_few; // what was found out before says nothing any more
      begin_trial(Way::tree, more);
    } else if (wait_ != 0) {
      --wait_;
    } else {
      begin_trial(after(rival_), more);
    }
  }

private:
  /// What one way takes beyond the work of a member: the way in and out, and waiting for others.
  class Record {
  public:
    void add(float beyond, float work) noexcept {
      if (count_ < core::tuning::k_remembered) ++count_;
      const float most = count_ == 1 ? beyond : usual_ + std::max(usual_, work);
      const float excess = beyond - most;
      rare_ -= rare_ / core::tuning::k_rare;
      if (excess <= 0) {
        far_ = 0;
        rare_before_ = rare_;
      } else if (++far_ == core::tuning::k_few) { // it has become another one
        far_ = 0;
        usual_ = std::min(beyond, most + rarest_);
        rare_ = rare_before_;
        count_ = 1;
      } else { // somebody was interrupted, or it is so now and then: once counts nothing
        rare_ += std::min(excess, rarest_) / core::tuning::k_rare;
      }
      rarest_ = std::max(rarest_, excess);
      usual_ += (std::min(beyond, most) - usual_) / static_cast<float>(count_);
    }
    void fade(float executions) noexcept {
      rare_ -= rare_ * (executions / core::tuning::k_long_ago);
      rarest_ -= rarest_ * (executions / core::tuning::k_long_ago);
    }

    bool is_known() const noexcept { return count_ != 0; }
    bool was_far() const noexcept { return far_ != 0; } ///< the latest one
    float rare() const noexcept { return rare_; }
    float mean() const noexcept { return usual_ + rare_; }

  private:
    float usual_ = 0;
    float rare_ = 0;        // what a few executions have taken beyond that, on average over all
    float rare_before_ = 0; // without those in a row
    float rarest_ = 0;      // of these, the longest
    std::uint32_t count_ = 0;
    std::uint32_t far_ = 0; // how many are in a row
  };

  static constexpr float k_too_much = __builtin_inff();

  Record& record_of(Way way) noexcept { return records_[static_cast<std::size_t>(way)]; }
  const Record& record_of(Way way) const noexcept { return records_[static_cast<std::size_t>(way)]; }
  static Way after(Way way) noexcept {
    return static_cast<Way>((static_cast<std::size_t>(way) + 1) % k_ways);
  }

  /// Of `first`, or the next one that may be better. `more`: what member 0 would have to do besides its own
  /// work if it were alone.
  void begin_trial(Way first, float more) noexcept {
    for (rival_ = first;
         rival_ == preferred_ || (rival_ == Way::alone && more > record_of(preferred_).mean());)
      rival_ = after(rival_);
    is_trial_ = true;
    trial_ = WayTrial(++trials_);
  }
  void compare(const Execution& now) noexcept {
    // Somebody may have been interrupted, which counts in the record.
    const float ticks = std::min(now.ticks, 3 * now.work + 2 * record_of(preferred_).mean());
    if (trial_.add(ticks, now.share, now.share > 0 ? now.work / now.share : 0)) decide();
  }
  void decide() noexcept {
    const std::uint32_t pairs = trial_.pairs();
    if (pairs < core::tuning::k_least_pairs) return;
    const Record& usual = record_of(preferred_);
    const Record& rival = record_of(rival_);
    float gain = trial_.gain() + usual.rare() - rival.rare();
    // Few pairs decide if all that is known says the same.
    const bool is_likely = (gain > 0) == (rival.mean() < usual.mean());
    const bool is_sure =
        std::abs(gain) > trial_.error() && (is_likely || pairs >= core::tuning::k_most_pairs);
    if (!is_sure && pairs < core::tuning::k_most_pairs) return;
    // What comes now and then hides the difference: the records leave that out.
    if (!is_sure) gain = usual.mean() - rival.mean() - usual.mean() / 8;
    if (gain > 0) {
      preferred_ = rival_;
      return end_trial(core::tuning::k_between_trials / 4);
    }
    // As long as chance may decide, the next trial comes sooner.
    const std::uint32_t most =
        is_sure ? core::tuning::k_longest_between_trials : core::tuning::k_longest_between_trials / 4;
    end_trial(std::clamp((is_sure ? 4 : 2) * between_, core::tuning::k_few, std::max(most, between_)));
  }
  void end_trial(std::uint32_t between) noexcept {
    is_trial_ = false;
    wait_ = between_ = between;
    expected_ = record_of(preferred_).mean();
  }

  std::array<Record, k_ways> records_{};
  std::uint32_t wait_ = core::tuning::k_few; // executions until the next trial
  std::uint32_t between_ = 0;
  float expected_ = __builtin_inff(); // mean of the preferred way when the last trial ended
  std::uint32_t missed_ = 0;          // executions in a row
  std::uint32_t trials_ = 0;          // goes round: for drawing only
  bool is_trial_ = false;             // one is open
  Way preferred_ = Way::tree;
  Way rival_ = Way::tree; // tried last
  WayTrial trial_;
};

} // namespace wstree::loop
