// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a member knows of a loop before it enters: what loops at the same code location have cost.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace wstree::core {

/// How a member takes its own share of a loop.
enum class Course : std::uint8_t {
  explore, ///< in batches that grow from one unit on: nothing is known, or the share is long
  quarter  ///< a quarter of what is left each time: the share takes no longer than a few steals
};

/// Loops at one code location as one member has seen them, whatever their trip counts were. It decides only
/// how the member takes its own share, so members need not agree. What a wrong prior costs is a few steals,
/// and most of a share where dear iterations begin behind the first batch: the others are as long as cheap
/// iterations may be. The first batch is short: by it a member notices that the loop has become another one.
/// A member that was wrong like that does not risk it again soon. Private to its member.
class Prior {
public:
  /// The member enters an execution of the loop with a share of `units` units.
  Course begin(float units, const Settings& settings) noexcept {
    if (wary_ != 0) {
      --wary_;
      return Course::explore;
    }
    const float longest = tuning::k_brief * static_cast<float>(settings.shortest_target);
    return confirmed_ >= tuning::k_confirmed && units * cost_ <= longest ? Course::quarter : Course::explore;
  }

  /// Ticks per unit.
  float cost() const noexcept { return cost_; }

  /// Ticks that a unit may take: on average, or anything.
  float dearest() const noexcept {
    return confirmed_ >= tuning::k_confirmed && wary_ == 0 ? cost_ : __builtin_inff();
  }

  /// The share is done: its `units` units took `ticks`. If that is far more than expected, others might have
  /// helped, had the member not believed its prior. For as many executions as it takes to earn what that may
  /// have cost, the member believes nothing: what a place does now and then may take a thousand times as long
  /// as what it does else. `steal` ticks are about what a belief saves.
  void compare(float units, float ticks, float steal) noexcept {
    const float excess = ticks - cost_ * units;
    if (cost_ == 0 || ticks <= tuning::k_like_before * cost_ * units || excess <= steal) return;
    wary_ = std::max(wary_, static_cast<std::uint32_t>(std::min(excess / steal, tuning::k_most_wary)));
  }

  /// The share took `cost` ticks per unit. One execution in a row may be another one: somebody was disturbed.
  void learn(float cost) noexcept {
    if (std::max(cost, cost_) <= tuning::k_like_before * std::min(cost, cost_)) {
      cost_ += (cost - cost_) * tuning::k_weight;
      surprises_ = 0;
      if (confirmed_ < tuning::k_confirmed) ++confirmed_;
    } else if (confirmed_ == 0 || ++surprises_ > tuning::k_excused) {
      *this = Prior(cost, wary_);
    }
  }

  /// Whether the member, with its share done, waits for the others to be done with theirs before it looks for
  /// work.
  bool waits() noexcept {
    if (searches_ == 0) return true;
    --searches_;
    return false;
  }
  /// It has waited, and the others were done in time, or not. The more often not, the more executions pass
  /// before it waits again.
  void learn_wait(bool in_time) noexcept {
    vain_ = in_time ? static_cast<std::uint8_t>(vain_ / 4)
                    : static_cast<std::uint8_t>(std::min(2 * vain_ + 1, tuning::k_most_searches));
    searches_ = vain_;
  }
  Prior() = default;
  /// A place about which nothing is known. `displaces`: another one was forgotten for it.
  explicit Prior(bool displaces) noexcept : displaces_(displaces) {}

  /// Whether another place was forgotten for this one since the last call.
  bool take_displaced() noexcept { return std::exchange(displaces_, false); }

private:
  Prior(float cost, std::uint32_t wary) noexcept : cost_(cost), wary_(wary), confirmed_(1) {}

  float cost_ = 0;             // ticks per unit; 0: not known
  std::uint32_t wary_ = 0;     // executions to come in which the member believes nothing
  std::uint8_t confirmed_ = 0; // executions that were alike, up to k_confirmed
  std::uint8_t surprises_ = 0; // executions in a row that were not
  std::uint8_t vain_ = 0;      // grows with the waits in vain
  std::uint8_t searches_ = 0;  // executions to come in which the member does not wait
  bool displaces_ = false;     // another place was forgotten, and nobody has asked
};

/// The priors of one member. A code location that falls on the place of another one takes it.
class Priors {
public:
  Prior& at(const void* site) noexcept {
    const auto mixed = reinterpret_cast<std::uintptr_t>(site) * 0x9E3779B97F4A7C15U;
    Place& place = places_[mixed >> (64 - k_bits)];
    if (place.site != site) place = {site, Prior(place.site != nullptr)};
    return place.prior;
  }

private:
  static constexpr unsigned k_bits = 8;
  struct Place {
    const void* site = nullptr;
    Prior prior;
  };
  std::array<Place, 1U << k_bits> places_{};
};

} // namespace wstree::core
