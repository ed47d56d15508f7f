// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The costs of regions that members execute piece by piece, and into how many pieces they are cut.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

namespace wstree::loop {

/// The opener's knowledge of earlier executions.
struct KnownCost {
  std::uint64_t cost = 0; ///< ticks of an iteration << k_fraction; 0: not known
  bool was_even = false;  ///< the members had the same to do

  static constexpr unsigned k_fraction = 8;

  /// Returns how many pieces each of `members` should have in a loop of `iterations`, which are more; 0: they
  /// are not known, and `cost` is that of the whole loop.
  constexpr std::uint64_t pieces_each(std::uint64_t iterations, std::uint32_t members,
                                      const core::Settings& settings) const noexcept {
    namespace tuning = core::tuning;
    const std::uint64_t most =
        iterations == 0 ? tuning::k_most_calls : std::min(iterations / members, tuning::k_most_calls);
    if (cost == 0) return std::min(tuning::k_first_calls, most);
    const std::uint64_t share = work(iterations) / members;
    const std::uint64_t least = std::max<std::uint64_t>(settings.shortest_target, 1);
    if (was_even)
      return std::clamp(share / (tuning::k_even_call * least), std::min(tuning::k_fewest_even_calls, most),
                        most);
    const std::uint64_t piece = std::clamp(share / tuning::k_uneven_calls, tuning::k_shortest_call * least,
                                           tuning::k_longest_call * least);
    return std::clamp(share / piece, std::min(tuning::k_fewest_calls, most), most);
  }
  /// Returns the ticks of all members together.
  constexpr std::uint64_t work(std::uint64_t iterations) const noexcept {
    constexpr std::uint64_t k_most = std::uint64_t{1} << 56;
    iterations = std::max<std::uint64_t>(iterations, 1);
    return cost > k_most / iterations ? (k_most >> k_fraction) : cost * iterations >> k_fraction;
  }
};

/// The costs of regions with one function. Any thread; zeroed memory is a valid state.
///
/// Members whose shares are brief and even execute them whole, as without the library. Only the time of such
/// a region from the fork to the join is seen. If it is much longer than that of regions that were cut, the
/// next regions are cut again. That costs one execution without steals, and twice as many executions have to
/// be calm before the next one.
class RepeatedCost {
public:
  // relaxed everywhere: teams that execute one function at the same time may mix their costs, which are
  // guesses anyway.
  KnownCost known() const noexcept {
    return {cost_.load(std::memory_order_relaxed), was_even_.load(std::memory_order_relaxed)};
  }
  /// Returns whether members should execute their shares whole. `iterations`: 0 if they are not known.
  bool is_whole(std::uint64_t iterations, const core::Settings& settings) const noexcept {
    if (!settings.history || calm_.load(std::memory_order_relaxed) <
                                 core::tuning::k_calm << surprises_.load(std::memory_order_relaxed))
      return false;
    if (iterations == 0) return true;
    return known().work(iterations) <= longest_whole(members_.load(std::memory_order_relaxed), settings);
  }
  /// Learns that `iterations`, 0 if they are not known, took `work` ticks of all members together, in pieces,
  /// and `wall` from the fork to the join.
  void learn(std::uint64_t work, std::uint64_t iterations, bool is_even, std::uint32_t members,
             std::uint64_t wall, const core::Settings& settings) noexcept {
    constexpr std::uint64_t k_most_work = std::uint64_t{1} << 55;
    const std::uint64_t cost =
        (std::min(work, k_most_work) << KnownCost::k_fraction) / std::max<std::uint64_t>(iterations, 1);
    cost_.store(std::max<std::uint64_t>(cost, 1), std::memory_order_relaxed);
    was_even_.store(is_even, std::memory_order_relaxed);
    members_.store(members, std::memory_order_relaxed);
    const std::uint32_t calm = calm_.load(std::memory_order_relaxed);
    const bool is_calm = is_even && work <= longest_whole(members, settings);
    calm_.store(is_calm ? std::min(calm + 1, k_most_calm) : 0, std::memory_order_relaxed);
    if (is_calm)
      wall_.store(calm == 0 ? wall : std::min(wall, wall_.load(std::memory_order_relaxed)),
                  std::memory_order_relaxed);
  }
  /// Learns that a region without pieces took `wall` ticks.
  void check_whole(std::uint64_t wall, const core::Settings& settings) noexcept {
    const std::uint64_t usual = wall_.load(std::memory_order_relaxed);
    if (wall <= core::tuning::k_like_cut * usual + settings.shortest_target) [[likely]]
      return;
    calm_.store(0, std::memory_order_relaxed);
    const std::uint32_t surprises = surprises_.load(std::memory_order_relaxed);
    if (surprises < core::tuning::k_most_doubled) surprises_.store(surprises + 1, std::memory_order_relaxed);
  }

private:
  static constexpr std::uint32_t k_most_calm = core::tuning::k_calm << core::tuning::k_most_doubled;
  /// Returns the ticks of all members together up to which shares are executed whole.
  static constexpr std::uint64_t longest_whole(std::uint32_t members,
                                               const core::Settings& settings) noexcept {
    return core::tuning::k_whole * settings.shortest_target * members;
  }

  std::atomic<std::uint64_t> cost_{0};
  std::atomic<std::uint64_t> wall_{0}; // the shortest of the latest calm regions
  std::atomic<std::uint32_t> members_{0};
  std::atomic<std::uint32_t> calm_{0};      // executions in a row
  std::atomic<std::uint32_t> surprises_{0}; // regions without pieces that took too long
  std::atomic<bool> was_even_{false};
};

} // namespace wstree::loop
