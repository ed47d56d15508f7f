// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which way brief loops take least time: on the tree, in equal parts, or by one member alone.
#pragma once

#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

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

/// Decides for loops that come again and again. The way that has taken least time is preferred. The others
/// are tried in turn, ever less often as long as they are clearly worse. What a way has taken far too long
/// now and then counts against it until that is long ago. Zeroed memory is a valid state.
class WayChoice {
public:
  /// Of all loops that are decided together, in ticks.
  struct Execution {
    float ticks = 0; ///< what they took, with the way in and out
    float work = 0;  ///< what a member should have to do in them if all do the same: an estimate
  };

  WayChoice() = default;
  explicit WayChoice(Way preferred) noexcept : preferred_(preferred), rival_(preferred) {}

  /// That of the next execution.
  Way way() const noexcept { return trial_ != 0 ? rival_ : preferred_; }
  Way preferred() const noexcept { return preferred_; }
  /// Whether every way that may be better has been tried.
  bool is_settled() const noexcept { return between_ >= core::tuning::k_between_trials; }

  /// Nobody has seen what an execution took. What was better elsewhere counts no more, if that was always so.
  void miss() noexcept {
    if (!record_of(preferred_).is_known()) preferred_ = Way::tree;
    if (trial_ == 0 || --trial_ != 0) return;
    wait_ = between_ = std::max(between_, core::tuning::k_between_trials);
  }
  /// An execution of a team of `members` has taken its time, in the way that way() said before it. Not
  /// `alone_too`: nobody is to be alone.
  void judge(const Execution& now, std::uint32_t members, bool alone_too = true) noexcept {
    const float beyond = now.ticks - std::min(now.work, 2 * now.ticks);
    for (Record& record : records_) record.fade();
    record_of(way()).add(std::max(beyond, 0.0F), now.work);
    if (trial_ != 0) {
      ++tried_;
      fresh_ += std::min(beyond, 2 * (now.work + record_of(preferred_).mean()));
      if (--trial_ == 0) end_turn();
    } else if (const Way best = best_way(); best != preferred_) {
      prefer(best);
    } else if (wait_ != 0) {
      --wait_;
    } else {
      begin_trial(alone_too ? now.work * static_cast<float>(members - 1) : k_too_much);
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
      const bool again = std::exchange(is_far_, excess > 0);
      rare_ -= rare_ / core::tuning::k_rare;
      if (excess > 0 && again) { // it has become another one
        usual_ = std::min(beyond, most + rarest_);
        count_ = 1;
      } else if (excess > 0) { // somebody was interrupted, or it is so now and then: once counts nothing
        rare_ += std::min(excess, rarest_) / core::tuning::k_rare;
      }
      rarest_ = std::max(rarest_, excess);
      const float now = std::min(beyond, most);
      const float weight = 1 / static_cast<float>(count_);
      spread_ += (std::abs(now - usual_) - spread_) * weight;
      usual_ += (now - usual_) * weight;
    }
    void fade() noexcept {
      rare_ -= rare_ / core::tuning::k_long_ago;
      rarest_ -= rarest_ / core::tuning::k_long_ago;
    }
    /// So it has been in the latest `count` executions, whatever it was before.
    void renew(float usual, std::uint32_t count) noexcept {
      usual_ = usual;
      count_ = count;
    }

    bool is_known() const noexcept { return count_ != 0; }
    float rare() const noexcept { return rare_; }
    float mean() const noexcept { return usual_ + rare_; }
    /// By how much the mean may be wrong.
    float error() const noexcept { return spread_ / std::sqrt(static_cast<float>(count_)); }

  private:
    float usual_ = 0;
    float rare_ = 0;   // what a few executions have taken beyond that, on average over all
    float rarest_ = 0; // of these, the longest
    float spread_ = 0; // of what is usual, around its mean
    std::uint32_t count_ = 0;
    bool is_far_ = false; // the latest was such an execution
  };

  static constexpr float k_too_much = __builtin_inff();

  Record& record_of(Way way) noexcept { return records_[static_cast<std::size_t>(way)]; }
  const Record& record_of(Way way) const noexcept { return records_[static_cast<std::size_t>(way)]; }

  /// Whether chance hardly explains that the first one takes less than the second.
  static bool is_clearly_less(const Record& first, const Record& second) noexcept {
    const float less = second.mean() - first.mean();
    return less > 0 && less > first.error() + second.error(); // mostly it is not, and roots take their time
  }
  /// The preferred way, unless one is clearly better: otherwise trials decide.
  Way best_way() const noexcept {
    Way best = preferred_;
    for (const Way way : {Way::tree, Way::parts, Way::alone})
      if (record_of(way).is_known() && is_clearly_less(record_of(way), record_of(best))) best = way;
    return best;
  }
  void prefer(Way best) noexcept {
    preferred_ = best;
    trial_ = 0;
    between_ = core::tuning::k_between_trials / 4;
    wait_ = between_;
  }
  /// `more`: what member 0 would have to do besides its own work if it were alone.
  void begin_trial(float more) noexcept {
    const auto next = [](Way way) { return static_cast<Way>((static_cast<std::size_t>(way) + 1) % k_ways); };
    do rival_ = next(rival_);
    while (rival_ == preferred_ || (rival_ == Way::alone && more > record_of(preferred_).mean()));
    trial_ = core::tuning::k_turn;
    tried_ = 0;
    fresh_ = 0;
  }
  /// A few executions of the rival are over. As long as they say that it is better there are more of them.
  void end_turn() noexcept {
    Record& rival = record_of(rival_);
    const Record& usual = record_of(preferred_);
    const float fresh = fresh_ / static_cast<float>(tried_);
    if (fresh + rival.rare() < usual.mean()) {
      trial_ = core::tuning::k_turn;
      if (tried_ < core::tuning::k_trial) return;
      rival.renew(fresh, tried_);
      return prefer(rival_);
    }
    // As long as chance may decide, the next trial comes as soon.
    const bool is_early = between_ < core::tuning::k_between_trials;
    const std::uint32_t growth = is_clearly_less(usual, rival) ? 4 : is_early ? 2 : 1;
    between_ = std::clamp(growth * between_, core::tuning::k_turn, core::tuning::k_longest_between_trials);
    wait_ = between_;
  }

  std::array<Record, k_ways> records_{};
  std::uint32_t wait_ = core::tuning::k_turn; // executions until the next trial
  std::uint32_t between_ = 0;
  std::uint32_t trial_ = 0; // executions left of one; 0: there is none
  std::uint32_t tried_ = 0; // executions of the open trial
  float fresh_ = 0;         // what they have taken, all together
  Way preferred_ = Way::tree;
  Way rival_ = Way::tree; // tried last
};

} // namespace wstree::loop
