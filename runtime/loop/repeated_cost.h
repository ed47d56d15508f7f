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

/// How the members of a team of one size execute a loop. All of them compute the same from what the opener has handed
/// to them.
struct Cut {
  bool is_whole = true;      ///< each member has its static share
  std::uint64_t pieces = 0;  ///< so many at least, if the loop is cut
  std::uint64_t longest = 0; ///< ticks that a member may take for its whole share; 0: it is not timed
};

/// What the opener of a region knows of earlier executions.
struct KnownCost {
  std::uint64_t cost = 0; ///< ticks of an iteration << k_fraction; 0: not known
  bool was_even = false;  ///< the members had the same to do
  bool is_calm = false;   ///< this has been so for a while: see RepeatedCost

  /// Costs are in ticks << k_fraction.
  static constexpr unsigned k_fraction = 8;

  /// Of a loop of `iterations`; 0: they are not known, and `cost` is that of the whole loop.
  constexpr Cut cut(std::uint64_t iterations, std::uint32_t members, const core::Settings& settings) const noexcept {
    namespace tuning = core::tuning;
    if (iterations != 0 && iterations <= members) return {};
    const std::uint64_t most = iterations == 0 ? tuning::k_most_calls * members : iterations;
    if (cost == 0) return {false, std::min(tuning::k_first_calls * members, most)};
    const std::uint64_t share = work(std::max<std::uint64_t>(iterations, 1)) / members;
    const std::uint64_t least = std::max<std::uint64_t>(settings.shortest_target, 1);
    if (is_calm && share < tuning::k_whole * least) return {true, 0, tuning::k_like_before * share + least};
    std::uint64_t each;
    if (was_even) {
      each = std::max(share / (tuning::k_even_call * least), tuning::k_fewest_even_calls);
    } else {
      const std::uint64_t piece = std::clamp(share / tuning::k_uneven_calls, tuning::k_shortest_call * least,
                                             tuning::k_longest_call * least);
      each = std::max(share / piece, tuning::k_fewest_calls);
    }
    each = std::min(each, tuning::k_most_calls);
    return {false, std::min(each * members, most)};
  }

private:
  constexpr std::uint64_t work(std::uint64_t iterations) const noexcept {
    constexpr std::uint64_t k_most = std::uint64_t{1} << 56;
    return cost > k_most / iterations ? (k_most >> k_fraction) : cost * iterations >> k_fraction;
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
    return {cost_.load(std::memory_order_relaxed), was_even_.load(std::memory_order_relaxed),
            calm_.load(std::memory_order_relaxed) >=
                core::tuning::k_calm << surprises_.load(std::memory_order_relaxed)};
  }
  /// Learns that `iterations`, 0 if they are not known, took `work` ticks of all members together, in pieces.
  void learn(std::uint64_t work, std::uint64_t iterations, bool is_even, std::uint32_t members,
             const core::Settings& settings) noexcept {
    constexpr std::uint64_t k_most_work = std::uint64_t{1} << 55;
    const std::uint64_t cost = (std::min(work, k_most_work) << KnownCost::k_fraction) / std::max<std::uint64_t>(iterations, 1);
    cost_.store(std::max<std::uint64_t>(cost, 1), std::memory_order_relaxed);
    was_even_.store(is_even, std::memory_order_relaxed);
    const bool is_calm = is_even && work / members < core::tuning::k_whole * settings.shortest_target;
    const std::uint32_t calm = calm_.load(std::memory_order_relaxed);
    calm_.store(is_calm ? std::min(calm + 1, k_most_calm) : 0, std::memory_order_relaxed);
  }
  /// A whole share has taken longer than Cut::longest.
  void regret() noexcept {
    calm_.store(0, std::memory_order_relaxed);
    const std::uint32_t surprises = surprises_.load(std::memory_order_relaxed);
    if (surprises < core::tuning::k_most_doubled) surprises_.store(surprises + 1, std::memory_order_relaxed);
  }

private:
  static constexpr std::uint32_t k_most_calm = core::tuning::k_calm << core::tuning::k_most_doubled;

  std::atomic<std::uint64_t> cost_{0};
  std::atomic<std::uint32_t> calm_{0};      // executions in a row
  std::atomic<std::uint32_t> surprises_{0}; // whole shares that took too long
  std::atomic<bool> was_even_{false};
};

} // namespace wstree::loop
