// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The figures of a loop, from the members that count them to the reports: each number has one name.
#pragma once

#include "wstree/core/cost.h"

#include <cstdint>

namespace wstree::core {

/// Nanoseconds of a tick, << k_tick_bits. 0: not known.
using TickLength = std::uint64_t;
inline constexpr unsigned k_tick_bits = 32;
constexpr TickLength tick_of(std::uint64_t nanoseconds, std::uint64_t ticks) noexcept {
  return scaled(nanoseconds, std::uint64_t{1} << k_tick_bits, ticks);
}
/// Returns the time of some ticks in parts of a nanosecond, rounded.
constexpr std::uint64_t nanoseconds(std::uint64_t ticks, TickLength tick, std::uint64_t parts = 1) noexcept {
  return rounded_ratio(ticks, parts * tick, std::uint64_t{1} << k_tick_bits);
}

/// The counts of one member in one execution of a loop, or sums of such counts.
struct Counts {
  std::uint64_t iterations = 0;
  std::uint64_t batches = 0;    ///< chunks handed out
  std::uint64_t steals = 0;     ///< times that the member took work of another member, also of a late one
  std::uint64_t nodes = 0;      ///< nodes added to the tree; 0 in other models
  std::uint64_t busy_ticks = 0; ///< between being handed a batch and coming back; 0 unless Settings::clocked
  // The use of the prior of the code location (prior.h), 0 or 1:
  std::uint64_t known = 0;     ///< the member sized the pieces of its share by the prior
  std::uint64_t surprises = 0; ///< the iterations cost far more than the prior says
  std::uint64_t forgotten = 0; ///< the prior of another location was overwritten

  constexpr Counts& operator+=(const Counts& more) noexcept {
    iterations += more.iterations;
    batches += more.batches;
    steals += more.steals;
    nodes += more.nodes;
    busy_ticks += more.busy_ticks;
    known += more.known;
    surprises += more.surprises;
    forgotten += more.forgotten;
    return *this;
  }
};

/// One execution of a loop by a whole team.
struct Execution {
  std::uint32_t members = 0;        ///< size of the team, or number of tasks; 0 counts as 1
  Counts total{};                   ///< sums over the members; with the roots among the nodes
  std::uint64_t busy_max_ticks = 0; ///< of the member that was busy longest
  std::uint64_t wall_ticks = 0;     ///< from the first arrival to the last departure
  std::uint64_t chunk = 1;          ///< iterations that are handed out as a whole
  std::uint64_t late_ticks = 0;     ///< from the first arrival to each member's own, summed up
  /// Upper bound of the ticks that an even loop could save, as members came late and lost their processors.
  std::uint64_t most_uneven_ticks = ~std::uint64_t{0};
  std::uint64_t preempted_ticks = 0; ///< in which the members had no processor, summed up
  bool is_of_new_length = false;     ///< a static loop with a number of iterations that had not come before
  bool counts_pieces = false; ///< total.iterations are pieces, which have unknown numbers of iterations
};

} // namespace wstree::core
