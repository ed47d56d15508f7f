// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles of loops: the costs of their iterations, for `wstree simulate --profile`. The first k_first_kept
// executions of each location are kept, and later ones whose number is a power of two. All profiles together
// take at most k_most_profile_bytes: the more there are, the coarser the next ones.
//
// The file that WSTREE_RECORD names is text. Lines that begin with a digit are pieces, the others a word and
// its values:
//
//   wstree-profile 1            format and its version; the first line
//   # ...                       a comment
//   library 1.0.0
//   program name
//   loop 1                      a location with one number of iterations; those with most time first
//   where file.c:12 (function)  as WSTREE_STATS names it, up to the end of the line
//   schedule wstree             that recorded it
//   iterations 1000             k = 0 to 999, whatever the program's own bounds and stride
//   chunk 4                     iterations that the source wants handed out as a whole; left out if that is 1
//   executions 37               that were seen
//   work 123456.7               their time in iterations, all members together, after those that were kept
//   execution 1 members 2 elapsed 61728.4 pieces 3
//                               one that was kept: its number, the time from the first arrival to the
//                               last departure, and
//   0 400 41152.3 0             its pieces: first iteration, how many, time of all of them together, member
//   400 1 41152.2 1             sorted and without gaps
//   401 599 41152.2 0
//   end                         the last line
//
// All times are in nanoseconds. With awk, the costs of all iterations of the first execution:
//   awk '/^execution / && ++e > 1 {exit} /^[0-9]/ {print $1, $3 / $2}' profile
#pragma once

#include <cstddef>
#include <cstdint>

#include "joined_pieces.h"
#include "options.h"

#include "wstree/core/figures.h"

namespace wstree::observe {

class LoopSite;

inline constexpr std::uint64_t k_first_kept = 8;
inline constexpr std::size_t k_most_kept_pieces = 16'384; // pieces of one execution
inline constexpr std::size_t k_most_profile_bytes = std::size_t{64} << 20;

/// Returns whether execution `number` of its location, counted from 1, is kept.
bool is_kept(std::uint64_t number) noexcept;

/// The identity of an execution.
struct RecordedExecution {
  std::uint64_t number = 0;     ///< from record()
  std::uint32_t members = 0;    ///< size of the team
  std::uint64_t wall_ticks = 0; ///< from the first arrival to the last departure
  std::uint64_t units = 0;      ///< units in all `pieces`
  std::uint64_t unit = 1;       ///< iterations in each of them; the last one may have fewer
  std::uint64_t iterations = 0;
};

/// Keeps a profile of an execution, coarsened as far as necessary; drops it if the pieces are not each unit
/// once, as those of a cancelled loop, or if there is no memory. Any thread.
void keep(LoopSite& site, const RecordedExecution& execution, JoinedPieces& pieces) noexcept;

/// Frees all profiles; call in the child after fork, while it has one thread.
void forget_recordings() noexcept;

/// Writes the profiles to a new file at options.record_path, by the same rules as write_report(), but to
/// nowhere in a setuid program; nothing if the path is empty.
void write_recordings(const config::Options& options, core::TickLength tick, const char* version) noexcept;

} // namespace wstree::observe
