// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inspect/rank_loops.h"
#include "names.h"
#include "support/few_chunks.h"
#include "support/terminal.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// Counts of the processor and the system in a loop (WSTREE_COUNTERS); nothing: the count is missing.
struct CounterSums {
  std::optional<double> cycles, instructions, cache_misses, page_faults, context_switches;

  [[nodiscard]] std::optional<double> instructions_per_cycle() const;
  [[nodiscard]] std::optional<double> misses_per_1000_instructions() const;
  /// Adds those of another process; a count that one of the two lacks, the sum lacks.
  CounterSums& operator+=(const CounterSums& other);
};

/// A loop of a report that the library wrote with WSTREE_STATS=json.
struct LoopRow {
  std::string name; ///< "solver.c:120 assemble()", or the other known facts
  std::string schedule;
  std::uint64_t calls = 0, iterations = 0, batches = 0, steals = 0;
  double seconds = 0;
  double imbalance = 1; ///< meaningless if `too_short`
  double even_saves = 0;
  bool too_short = false;
  std::uint64_t chunk = 1;       ///< iterations that are handed out as a whole
  std::uint64_t new_lengths = 0; ///< calls with a number of iterations that had not come before
  double preempted = 0;          ///< seconds in which the mean thread had no processor
  double late = 0;               ///< seconds that the mean thread came after the first one
  bool counts_pieces = false;    ///< `iterations` are pieces, which have unknown numbers of iterations
  CounterSums counters = {};

  /// Returns whether the executions of a static loop were watched, and not cut anew: that serves nothing.
  [[nodiscard]] bool is_watched() const { return schedule == "static (equal parts)"; }
  /// Adds another loop of the same process. The imbalance becomes the mean one by time, of the loops that are
  /// not too short to tell.
  LoopRow& operator+=(const LoopRow& other);
};

/// The parts of the wall time of a process.
struct WallTime {
  double all = 0, loops = 0, between = 0, refused = 0; ///< seconds; between regions one thread works

  /// Returns the seconds before the first region, behind the last one, and in all other regions.
  [[nodiscard]] double elsewhere() const { return all - loops - between - refused; }
  /// Loops of several teams at the same time are no parts of one time.
  [[nodiscard]] bool is_known() const { return all > 0 && elsewhere() >= 0; }
  /// Returns how many times as fast the process would be if the loops took no time (Amdahl's law).
  [[nodiscard]] double most_to_gain() const { return all / std::max(all - loops, 1e-9); }
  /// Returns "wall time 1.20 s: 59 % in these loops, ...".
  [[nodiscard]] std::string text() const;
};

/// Returns whether most executions of a static loop have a number of iterations that had not come before, so
/// that the library has no costs to cut them by.
inline bool has_new_lengths(std::uint64_t new_lengths, std::uint64_t calls) {
  return calls > 1 && 2 * new_lengths > calls;
}

/// A region that is not called again for pieces of a loop, for a reason that the library has reported.
struct UnservedRegion {
  std::string name;
  std::string reason; ///< with the line that is to blame, if that is known
  double seconds = 0; ///< wall time of its executions by the thread that opened the first region
};

struct Statistics {
  std::string version, program;
  std::uint64_t process = 0, threads = 0;
  double cpu_seconds = 0, waiting_cpu_seconds = 0; ///< processor time of all threads, and of threads that
                                                   ///< waited between regions
  double wall_seconds = 0;                         ///< wall time of the process; 0: not known
  double between_regions_seconds = 0;              ///< time of the thread that opens regions, between them
  std::string host, command;                       ///< empty: not known
  std::uint64_t ended = 0;                         ///< seconds since 1970; 0: not known
  std::string rank; ///< rank in an MPI job, "0" in all other processes; empty: the file is older
  std::vector<LoopRow> loops;
  std::vector<UnservedRegion> unserved; ///< the longest first; without those whose loops are cut by what
                                        ///< they took
  std::vector<RankLoop> rank_loops;
};

WallTime wall_time_of(const Statistics& statistics);
/// Returns the next step for the refused region with most time; empty: these regions take little of it.
std::string next_step(const Statistics& statistics);

/// Returns the name of a loop: by the place that the compiler gave to the runtime, or by debug information.
names::Name name_of_loop(const nlohmann::json& loop, names::Resolver& resolver);
/// Returns the name of a loop in the library's traces and profiles: its label, or the place where it is.
std::string name_in_traces(const nlohmann::json& loop);
/// Returns the text of name_of_loop(), in one line; the label if there is one, and the library's own words if
/// nothing better is known.
std::string loop_text(const nlohmann::json& loop, const names::Name& name);

/// Reads a report; returns nothing if `report` is none.
std::optional<Statistics> read_statistics(std::string_view report, names::Resolver& resolver);

/// Returns the first of the members that is a number below 0, for the user: "loops[2].seconds is -1, and
/// ..."; empty: there is none. `place`: of the object, with the separator before a member.
std::string negative_member(const nlohmann::json& object, std::string_view place,
                            std::initializer_list<const char*> members);
/// Returns the first negative figure of a report, likewise, which the library wrote and a user may
/// have edited.
std::string negative_figure(const nlohmann::json& report);

/// Returns the text for people. With `several` the process is named.
std::string statistics_text(const Statistics& statistics, const Terminal& terminal, bool several);

} // namespace wstree::cli
