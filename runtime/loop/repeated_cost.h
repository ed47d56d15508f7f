// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What regions cost that members execute piece by piece, and into how many pieces they are cut.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace wstree::loop {

/// How the members of a team of one size execute a region. All of them compute the same from what the opener has
/// handed to them.
struct PieceCount {
  std::uint64_t pieces; ///< the number of members: each member has one piece, its static share
  std::uint64_t iterations_each = 1; ///< in each piece; some have one more. 1, too, where that is not known
  std::uint64_t longest = 0;         ///< ticks that a member may take for its whole share; 0: it is not timed
};

/// What the opener of a region knows of earlier executions.
struct KnownCost {
  std::uint64_t work = 0; ///< ticks of all members together; 0: not known
  bool was_even = false;  ///< the members had the same to do
  bool is_calm = false;   ///< this has been so for a while: see RepeatedCost

  /// `iterations`: 0 if they are not known.
  constexpr PieceCount pieces(std::uint64_t iterations, std::uint32_t members,
                              const core::Settings& settings) const noexcept {
    namespace tuning = core::tuning;
    const PieceCount whole{members};
    if (iterations != 0 && iterations <= members) return whole;
    const std::uint64_t share = work / members;
    if (is_calm && share < tuning::k_whole * settings.shortest_target)
      return {members, 1, tuning::k_like_before * share + settings.shortest_target};
    std::uint64_t each = tuning::k_first_calls;
    if (work != 0) {
      const std::uint64_t longest = tuning::k_longest_call * settings.shortest_target;
      const std::uint64_t piece =
          std::clamp<std::uint64_t>(share / tuning::k_calls_of_share, settings.shortest_target, longest);
      each = std::clamp<std::uint64_t>(share / std::max<std::uint64_t>(was_even ? piece : piece / 2, 1),
                                       tuning::k_fewest_calls, tuning::k_most_calls);
    }
    if (iterations == 0) return {members * std::bit_floor(each)};
    // A power of two, so that pieces cost the same from execution to execution.
    const std::uint64_t size = std::bit_floor(std::max<std::uint64_t>(iterations / (each * members), 1));
    const std::uint64_t pieces = iterations / size;
    return pieces > members ? PieceCount{pieces, size} : whole;
  }
};

/// What the regions with one function have cost. Any thread; zeroed memory is a valid state. Members whose shares
/// are brief and even execute them whole, as without the library. What they believe is no longer believed as soon as
/// a share takes much longer, which costs one execution without steals; each such time twice as many executions have
/// to be calm before the next one.
class RepeatedCost {
public:
  /// relaxed everywhere: teams that execute the same function at the same time may mix what they know, which is a
  /// guess anyway.
  KnownCost known() const noexcept {
    return {work_.load(std::memory_order_relaxed), was_even_.load(std::memory_order_relaxed),
            calm_.load(std::memory_order_relaxed) >=
                core::tuning::k_calm << surprises_.load(std::memory_order_relaxed)};
  }
  /// Learns that the shared pieces took `work` ticks of all members together.
  void learn(std::uint64_t work, bool is_even, std::uint32_t members, const core::Settings& settings) noexcept {
    work_.store(std::max<std::uint64_t>(work, 1), std::memory_order_relaxed);
    was_even_.store(is_even, std::memory_order_relaxed);
    const bool is_calm = is_even && work / members < core::tuning::k_whole * settings.shortest_target;
    const std::uint32_t calm = calm_.load(std::memory_order_relaxed);
    calm_.store(is_calm ? std::min(calm + 1, k_most_calm) : 0, std::memory_order_relaxed);
  }
  /// A whole share has taken longer than PieceCount::longest.
  void regret() noexcept {
    calm_.store(0, std::memory_order_relaxed);
    const std::uint32_t surprises = surprises_.load(std::memory_order_relaxed);
    if (surprises < core::tuning::k_most_doubled) surprises_.store(surprises + 1, std::memory_order_relaxed);
  }

private:
  static constexpr std::uint32_t k_most_calm = core::tuning::k_calm << core::tuning::k_most_doubled;

  std::atomic<std::uint64_t> work_{0};
  std::atomic<std::uint32_t> calm_{0};      // executions in a row
  std::atomic<std::uint32_t> surprises_{0}; // whole shares that took too long
  std::atomic<bool> was_even_{false};
};

} // namespace wstree::loop
