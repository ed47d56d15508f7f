// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brief loops whose members get equal parts, because nobody would steal.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace wstree::loop {

/// What is decided of the first loops of an open region, by their order in it. All members go by it, and have
/// no time to agree about anything else: the opener writes it between regions.
struct EvenPlan {
  static constexpr std::uint32_t k_loops = 8;
  static constexpr std::uint32_t bit(std::uint32_t loop) noexcept { return 1U << loop; }

  /// A loop of so many iterations.
  bool is_brief(std::uint32_t loop, std::uint64_t iterations, std::uint32_t members) const noexcept {
    return iterations <= most[loop] * members;
  }
  bool is_even(std::uint32_t loop) const noexcept { return (even & bit(loop)) != 0; }
  bool asks(std::uint32_t loop) const noexcept { return (asked & bit(loop)) != 0; }

  std::array<std::uint64_t, k_loops> most{}; ///< iterations of a member, if the loop is brief
  std::array<float, k_loops> cost{};         ///< ticks of an iteration
  std::uint32_t even = 0; ///< bits of the loops whose members get equal parts as long as they are brief
  std::uint32_t asked =
      0; ///< bits of those of which members say that they were uneven: `even` ones, and more
};

/// What a member did in a brief loop.
struct EvenShare {
  float share = 0; ///< iterations for each member
  float done = 0;  ///< those that this one executed
  float ticks = 0; ///< and what they took
  bool in_equal_parts = false;
  bool has_stolen = false;

  bool is_whole() const noexcept { return !has_stolen && done >= share * core::tuning::k_most_of_share - 1; }
  /// Ticks beyond what an equal part should take where iterations cost so much; 0: that is within what is
  /// usual.
  float excess(float cost, const core::Settings& settings) const noexcept {
    const float expected = cost * done;
    const float usual = core::tuning::k_excess * expected +
                        static_cast<float>(core::tuning::k_brief_steals * settings.steal_cost);
    return in_equal_parts && ticks > usual ? ticks - expected : 0;
  }
};

/// The loops of the regions that one place in the code opens, as the opener, which is member 0 of them, knows
/// them. A loop that was brief, that nobody stole in and that cost the same k_trusted times is executed in
/// equal parts: that saves all that looking for work costs, about a steal. After k_rounds of those the tree
/// has the loop k_tree_rounds times, to show whether it would steal now. A member whose equal part takes far
/// longer than expected objects. Then the tree has the loop for as many executions as that has cost steals,
/// so that on average nothing is lost by more than a steal. Zeroed memory is a valid state.
class EvenRegion {
public:
  const EvenPlan& plan() const noexcept { return plan_; }

  /// By member 0, in the region.
  void note(std::uint32_t loop, const EvenShare& share, const core::Settings& settings) noexcept {
    Known& known = known_[loop];
    const float cost = share.ticks / std::max(share.done, 1.0F);
    if (const float excess = share.excess(plan_.cost[loop], settings); excess != 0)
      return object(loop, excess, settings);
    if (share.in_equal_parts) {
      if (++known.rounds >= core::tuning::k_rounds)
        doubt(loop, core::tuning::k_trusted - core::tuning::k_tree_rounds);
    } else if (known.wary != 0) {
      --known.wary;
      return;
    } else if (std::max(cost, known.cost) > core::tuning::k_like_before * std::min(cost, known.cost)) {
      doubt(loop, 0);
      known.cost = cost;
      return;
    } else if (share.share * known.cost > longest_share(settings)) {
      return; // says nothing of the brief loops at this place
    } else if (!share.is_whole()) {
      doubt(loop, 0);
    } else if (known.trust < core::tuning::k_trusted) {
      if (++known.trust >= k_asked) changed_ |= EvenPlan::bit(loop);
    }
    known.cost += (cost - known.cost) * core::tuning::k_weight;
    const float planned = plan_.cost[loop];
    if (known.trust >= k_asked &&
        std::max(known.cost, planned) > core::tuning::k_other_cost * std::min(known.cost, planned))
      changed_ |= EvenPlan::bit(loop);
  }

  /// A member's equal part took so many ticks too much, or there were steals (0).
  void object(std::uint32_t loop, float excess, const core::Settings& settings) noexcept {
    const float steals = excess / static_cast<float>(settings.steal_cost);
    known_[loop].wary = static_cast<std::uint32_t>(std::min(steals, core::tuning::k_most_wary));
    doubt(loop, 0);
  }

  /// Between regions.
  void decide(const core::Settings& settings) noexcept {
    for (std::uint32_t loop = 0; changed_ != 0; ++loop, changed_ >>= 1) {
      if ((changed_ & 1) == 0) continue;
      const Known& known = known_[loop];
      constexpr float k_most = 1e12F;
      plan_.cost[loop] = known.cost;
      plan_.most[loop] =
          known.cost > 0 ? static_cast<std::uint64_t>(std::min(longest_share(settings) / known.cost, k_most))
                         : 0;
      set(plan_.even, loop, known.trust >= core::tuning::k_trusted);
      set(plan_.asked, loop, known.trust >= k_asked);
    }
  }
  bool has_changed() const noexcept { return changed_ != 0; }

private:
  static constexpr std::uint16_t k_asked = core::tuning::k_trusted - core::tuning::k_tree_rounds;

  struct Known {
    float cost = 0;           // ticks of an iteration
    std::uint32_t wary = 0;   // executions to come on the tree, whatever they show
    std::uint16_t trust = 0;  // executions in a row that were brief, even and alike
    std::uint16_t rounds = 0; // executions in equal parts since the tree had the loop
  };

  static float longest_share(const core::Settings& settings) noexcept {
    return core::tuning::k_brief * static_cast<float>(settings.shortest_target);
  }
  static void set(std::uint32_t& bits, std::uint32_t loop, bool value) noexcept {
    bits = value ? bits | EvenPlan::bit(loop) : bits & ~EvenPlan::bit(loop);
  }
  void doubt(std::uint32_t loop, std::uint16_t trust) noexcept {
    if (known_[loop].trust >= k_asked) changed_ |= EvenPlan::bit(loop);
    known_[loop].trust = trust;
    known_[loop].rounds = 0;
  }

  alignas(core::k_line_pair) EvenPlan plan_; // read by all members
  alignas(core::k_line_pair) std::array<Known, EvenPlan::k_loops> known_{};
  std::uint32_t changed_ = 0; // bits of loops to decide about
};

/// Those of one opener.
class EvenRegions {
public:
  /// Between regions. A place that falls on that of another one takes it.
  EvenRegion& at(const void* code) noexcept {
    const auto mixed = reinterpret_cast<std::uintptr_t>(code) * 0x9E3779B97F4A7C15U;
    Place& place = places_[mixed >> (64 - k_bits)];
    if (place.code != code) {
      place.region = {};
      place.code = code;
    }
    return place.region;
  }

private:
  static constexpr unsigned k_bits = 8;
  struct Place {
    EvenRegion region;
    const void* code = nullptr;
  };
  std::array<Place, std::size_t{1} << k_bits> places_{};
};

} // namespace wstree::loop
