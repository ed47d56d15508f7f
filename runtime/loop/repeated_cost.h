// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The costs of regions that members execute piece by piece, and into how many pieces they are cut.
#pragma once

#include "wstree/core/settings.h"
#include "wstree/core/tuning.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

namespace wstree::loop {

/// The opener's knowledge of earlier executions.
struct KnownCost {
  std::uint64_t cost = 0; ///< ticks of an iteration << k_fraction; 0: not known
  bool was_even = false;  ///< the members had equal work

  static constexpr unsigned k_fraction = 8;

  /// Returns the number of pieces for each of `members`. `iterations`: more than members; 0: not known, and
  /// `cost` is the cost of the whole loop.
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

/// The costs of regions with one function and about as many iterations. Any thread; zeroed memory is a valid
/// state.
///
/// Members whose shares are brief and about even execute them whole, as without the library, if that takes no
/// longer than in pieces. Only the time of such a region from the fork to the join is seen. A single region
/// that takes much longer, or some that take a little longer, let the next regions be cut again. That is a
/// disappointment: it costs one execution without steals, or a sixteenth of some, and twice as many regions
/// have to be calm before the next try, unless this one has lasted. A dear region also leaves a debt of twice
/// the regions that would have taken its time in pieces, of which each region pays one. A second dear region
/// before the debt is paid keeps the loop cut until both debts are. So a thread that was preempted once costs
/// a few regions in pieces, and regions that are dear again and again cost about a sixth more than in pieces,
/// whatever they take. Without a disappointment, many whole regions are followed by a few in pieces, as the
/// loop may have changed.
class RepeatedCost {
public:
  // relaxed everywhere: teams that execute one function at the same time may mix their costs, which are
  // guesses anyway.
  KnownCost known() const noexcept {
    return {cost_.load(std::memory_order_relaxed), was_even_.load(std::memory_order_relaxed)};
  }
  /// Returns whether members should execute their shares whole.
  bool is_whole(const core::Settings& settings) const noexcept {
    return settings.history && calm_.load(std::memory_order_relaxed) >= needed();
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
    const bool is_calm = is_even && work <= core::tuning::k_whole * settings.shortest_target * members;
    const std::uint32_t calm = is_calm ? calm_.load(std::memory_order_relaxed) : 0;
    calm_.store(is_calm ? std::min(calm + 1, k_most_calm) : 0, std::memory_order_relaxed);
    whole_.store(0, std::memory_order_relaxed);
    pay_off();
    const std::uint64_t longest = calm != 0 ? longest_wall_.load(std::memory_order_relaxed) : 0;
    longest_wall_.store(std::max(std::min(wall, core::tuning::k_whole * settings.shortest_target),
                                 longest - longest / core::tuning::k_longest_part),
                        std::memory_order_relaxed);
    cut_wall_.store(average(cut_wall_.load(std::memory_order_relaxed), calm, wall),
                    std::memory_order_relaxed);
  }
  /// Learns that a region without pieces took `wall` ticks.
  void check_whole(std::uint64_t wall, const core::Settings& settings) noexcept {
    namespace tuning = core::tuning;
    const std::uint64_t cut = cut_wall_.load(std::memory_order_relaxed);
    const std::uint32_t whole = whole_.load(std::memory_order_relaxed);
    const std::uint64_t before = whole == 0 ? cut : whole_wall_.load(std::memory_order_relaxed);
    // A region of one thread, or of hardly an iteration, says nothing about the others.
    const bool is_like_cut = wall >= cut / tuning::k_unlike_cut;
    const std::uint64_t usual = is_like_cut ? average(before, whole, wall) : before;
    whole_wall_.store(usual, std::memory_order_relaxed);
    whole_.store(whole + 1, std::memory_order_relaxed);
    pay_off();
    const std::uint64_t longest = std::max(cut, longest_wall_.load(std::memory_order_relaxed));
    const bool is_slower = whole >= tuning::k_judged && usual > cut + cut / tuning::k_slower_part;
    const bool is_dear =
        wall > tuning::k_like_cut * longest + tuning::k_dear_whole * settings.shortest_target;
    if (!is_dear && !is_slower && whole + 1 < tuning::k_most_whole) [[likely]]
      return;
    calm_.store(0, std::memory_order_relaxed);
    const bool was_worthwhile = (!is_dear && !is_slower) || whole >= tuning::k_worthwhile * needed();
    std::uint32_t next = was_worthwhile ? tuning::k_calm : std::min(needed() * 2, tuning::k_most_doubled);
    if (is_dear) next = std::max(next, borrow(wall / std::max<std::uint64_t>(cut, 1)));
    needed_.store(next, std::memory_order_relaxed);
  }

private:
  static constexpr std::uint32_t k_most_calm = core::tuning::k_most_owed;

  /// Returns how many regions in a row must be calm before the next is whole.
  std::uint32_t needed() const noexcept {
    return std::max(needed_.load(std::memory_order_relaxed), core::tuning::k_calm);
  }
  /// One region of this loop has been executed.
  void pay_off() noexcept {
    const std::uint32_t debt = debt_.load(std::memory_order_relaxed);
    if (debt != 0) [[unlikely]]
      debt_.store(debt - 1, std::memory_order_relaxed);
  }
  /// A whole region has taken as long as `times` in pieces. Returns the debt, 0 if there was none before.
  std::uint32_t borrow(std::uint64_t times) noexcept {
    namespace tuning = core::tuning;
    const std::uint32_t before = debt_.load(std::memory_order_relaxed);
    const std::uint64_t more = tuning::k_owed * std::min<std::uint64_t>(times, tuning::k_most_owed);
    const auto debt = static_cast<std::uint32_t>(std::min<std::uint64_t>(before + more, tuning::k_most_owed));
    debt_.store(debt, std::memory_order_relaxed);
    return before != 0 ? debt : 0;
  }
  /// Returns the average of `before` walls, whose average is `usual`, and `wall`. Neither counts for more
  /// than twice the other one: a thread that was preempted or had to wake says nothing about the loop.
  static constexpr std::uint64_t average(std::uint64_t usual, std::uint32_t before,
                                         std::uint64_t wall) noexcept {
    if (before == 0) return wall;
    const std::uint64_t count = std::min(before, core::tuning::k_averaged) + 1;
    const std::uint64_t most = std::min(usual, 2 * wall);
    return most - most / count + std::min(wall, 2 * usual) / count;
  }

  std::atomic<std::uint64_t> cost_{0};
  std::atomic<std::uint64_t> cut_wall_{0};     // average of the latest calm regions
  std::atomic<std::uint64_t> longest_wall_{0}; // longest of the latest calm regions
  std::atomic<std::uint64_t> whole_wall_{0};   // average of the latest whole regions
  std::atomic<std::uint32_t> calm_{0};         // regions in a row
  std::atomic<std::uint32_t> whole_{0};        // regions in a row
  std::atomic<std::uint32_t> needed_{0};       // see needed()
  std::atomic<std::uint32_t> debt_{0};         // regions
  std::atomic<bool> was_even_{false};
};

/// The costs of all regions with one function. Loops of other lengths differ in more than their lengths: they
/// fit into caches, or do not.
class RepeatedCosts {
public:
  /// Returns the costs of loops with about as many iterations; 0: they are not known before the fork.
  RepeatedCost& of(std::uint64_t iterations) noexcept { return costs_[std::bit_width(iterations)]; }

private:
  std::array<RepeatedCost, 65> costs_{};
};

} // namespace wstree::loop
