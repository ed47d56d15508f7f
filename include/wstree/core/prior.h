// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member's knowledge of a loop before it enters: the costs of earlier loops at the same code location.
#pragma once

#include "wstree/core/extrema.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace wstree::core {

/// The loops at one code location as one member has seen them, with any numbers of iterations: the cost of
/// a unit, and the losses by wrong estimates. It decides only the size of the pieces in which the member
/// takes its own share (tree/brief.h), so members need not agree. Private to its member. Zeroed memory is a
/// valid state.
class Prior {
public:
  /// Costs are in ticks per unit << k_fraction.
  static constexpr unsigned k_fraction = 8;

  /// The member enters a loop of `units` units with `members` members. Returns whether its share should be
  /// over soon, and may be taken in large pieces.
  bool begin(std::uint64_t units, std::uint32_t members, const Settings& settings) noexcept {
    if (confirmed_ < tuning::k_confirmed || units >= k_most_units) return false;
    const std::uint64_t longest = tuning::k_brief * std::min(settings.shortest_target, k_most_target);
    if (units * cost_ > (longest * members) << k_fraction) return false;
    if (debt_ == 0) return true;
    --debt_;
    return false;
  }

  /// Returns whether a share takes, or may take, so long that a few hundred nanoseconds do not matter.
  bool is_long(std::uint64_t units, std::uint32_t members, const Settings& settings) const noexcept {
    return cost_ == 0 || units >= k_most_units ||
           units * cost_ > (tuning::k_brief * settings.shortest_target * members) << k_fraction;
  }
  std::uint64_t cost() const noexcept { return cost_; } ///< below 2^31; 0: not known
  /// Returns the cost that a unit may have: the usual one, or k_unknown, which stands for any cost, or 0 from
  /// a member in debt, which goes on as one without memory does.
  std::uint64_t dearest() const noexcept {
    return confirmed_ < tuning::k_confirmed ? k_unknown : debt_ == 0 ? cost_ : 0;
  }
  static constexpr std::uint64_t k_unknown = ~std::uint64_t{0};
  /// A brief loop has fewer units than this, so that each unit is one iteration (shape.h).
  static constexpr std::uint64_t k_most_units = std::uint64_t{1} << 24;

  /// Learns that `units` of the share took `ticks`. A single outlier changes nothing: the thread may have
  /// been preempted. `is_robbed`: thieves have taken the rest, and perhaps the expensive units, so the cost
  /// does not fall.
  void learn(std::uint64_t units, std::uint64_t ticks, bool is_robbed = false) noexcept {
    const std::uint64_t now = std::min(ticks, k_most_ticks) << k_fraction;
    const std::uint64_t usual = cost_ * units;
    if (cost_ != 0 && now <= tuning::k_like_before * usual && usual <= tuning::k_like_before * now) {
      surprises_ = 0;
      if (confirmed_ < tuning::k_confirmed) ++confirmed_;
      if (is_robbed && now < usual) return;
      // Between a quarter and a half of the difference, without a division.
      const auto change = static_cast<std::int64_t>(now - usual) >> (std::bit_width(units) + 1);
      cost_ = clamp<std::uint64_t>(cost_ + static_cast<std::uint64_t>(change), 1, k_most_cost);
    } else if (confirmed_ == 0 || ++surprises_ > tuning::k_excused) {
      if (is_robbed && now < usual) return;
      cost_ = clamp<std::uint64_t>(now / units, 1, k_most_cost);
      confirmed_ = 1;
      surprises_ = 0;
    }
  }

  /// Learns that a piece took `excess` ticks more than it should have, in which thieves might have helped
  /// if the member had known nothing. The member believes nothing until that has cost as much: a few steals
  /// each time.
  void regret(std::uint64_t excess, const Settings& settings) noexcept {
    const std::uint64_t price = std::max<std::uint64_t>(tuning::k_brief_steals * settings.steal_cost, 1);
    debt_ = std::max(debt_, static_cast<std::uint32_t>(std::min(excess / price, tuning::k_most_debt)));
  }

  Prior() = default;
  /// Makes the prior of a code location without a known cost. `displaces`: it has overwritten the prior of
  /// another code location.
  explicit Prior(bool displaces) noexcept : displaces_(displaces) {}

  /// Returns whether this prior has overwritten that of another code location since the last call.
  bool take_displaced() noexcept { return std::exchange(displaces_, false); }

private:
  static constexpr std::uint64_t k_most_ticks = std::uint64_t{1} << 52;
  static constexpr std::uint64_t k_most_target = std::uint64_t{1} << 30; // so that products have room
  static constexpr std::uint64_t k_most_cost = (std::uint64_t{1} << 31) - 1;

  std::uint64_t cost_ = 0;
  std::uint32_t debt_ = 0;     // executions to come in which the member believes nothing
  std::uint8_t confirmed_ = 0; // executions that were alike, up to k_confirmed
  std::uint8_t surprises_ = 0; // executions in a row that were not
  bool displaces_ = false;     // overwrote the prior of another code location, which has not been counted
};

/// A member's knowledge of code locations: a table in which each has two places. One that finds its first
/// place taken overwrites the second, which other bits choose: with one place each, most loops 233, 377, 610
/// or 987 bytes apart would overwrite each other.
template <class T, unsigned k_bits> class PerSite {
public:
  T& at(const void* site) noexcept {
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(site) * 0x9E3779B97F4A7C15U;
    const std::uint64_t first = mixed >> (64 - k_bits);
    const std::uint64_t second = first ^ ((mixed >> 24 | 1) % k_places);
    const void* const at_first = places_[first].site;
    Place& place = places_[at_first == site || at_first == nullptr ? first : second];
    if (place.site != site) {
      if constexpr (std::is_constructible_v<T, bool>)
        place = {site, T(place.site != nullptr)}; // true: the entry displaces another one
      else
        place = {site, T()};
    }
    return place.known;
  }

private:
  static constexpr std::size_t k_places = std::size_t{1} << k_bits;
  struct Place {
    const void* site = nullptr;
    T known;
  };
  std::array<Place, k_places> places_{};
};
using Priors = PerSite<Prior, 8>;

} // namespace wstree::core
