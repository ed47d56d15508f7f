// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures of statistics, records and traces of one or many processes, loop by loop.
#pragma once

#include "inspect/statistics.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wstree::cli {

/// One thread of one execution, in Timeline::k_pieces of equal time.
struct TimelineRow {
  std::uint32_t member = 0;
  std::string
      runs; ///< "l3b12s3w2-1": l not there yet, b busy, s searching, w waiting, - neither; pieces of each
  double preempted = 0; ///< seconds in which it had no processor
};

/// One execution, with each thread's states and their times, from a trace.
struct Timeline {
  static constexpr std::size_t k_pieces = 4800;
  double seconds = 0;
  std::uint64_t members = 0; ///< rows may be fewer
  std::vector<TimelineRow> rows;
};

/// A part of the iteration space.
struct CostPoint {
  double begin = 0, end = 0; ///< iterations
  double seconds = 0;        ///< time of one iteration
};

/// The parts of one thread's time, in all executions that were traced; seconds.
struct ThreadTimes {
  double late = 0;      ///< after the first thread
  double busy = 0;      ///< with iterations, and on a processor
  double preempted = 0; ///< with iterations, and waiting for a processor
  double searching = 0;
  double waiting = 0; ///< for the others, at the end
};

/// The additional figures of a loop from a trace.
struct TracedLoop {
  static constexpr std::size_t k_bins = 24;
  Timeline longest;
  std::vector<double> imbalance;                                 ///< imbalances of the executions, in
                                                                 ///< their order
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> steals; ///< by victim and thief
  std::array<std::uint64_t, k_bins> batches{};                   ///< by the logarithm of their iterations
  double busy = 0, searching = 0, waiting = 0;                   ///< seconds of all threads
  std::map<std::uint32_t, ThreadTimes> threads;                  ///< by member
};

/// Lines of a file, of which the loop's is one.
struct SourceLines {
  std::uint32_t first = 0, loop = 0; ///< numbers; 0: not known
  std::vector<std::string> lines;
};

/// A loop's figures in the run that this one is compared with.
struct Earlier {
  std::string schedule;
  std::uint64_t calls = 0;
  double seconds = 0;
  double imbalance = 1;
  bool too_short = true;
};

/// The statistics of one rank of an MPI job.
struct ReportRank {
  std::string rank, program;
  std::uint64_t threads = 0, iterations = 0;
  double seconds = 0; ///< in served loops
};

struct ReportLoop {
  std::string name, schedule;
  SourceLines source;
  std::string place; ///< name in rules: "tri.c:6"; empty: not known
  std::uint64_t calls = 0, iterations = 0, batches = 0, steals = 0;
  std::uint64_t processes = 0;
  double seconds = 0;      ///< time in the slowest process
  double mean_seconds = 0; ///< mean time of the processes
  double even_saves = 0;   ///< in the slowest process
  double imbalance = 1;    ///< the worst of the processes where it can be judged, or of all
  bool too_short = true;
  double preempted = 0;    ///< seconds that the mean thread had no processor, likewise
  double late = 0;         ///< seconds that the mean thread came after the first one, in the latest process
  std::uint64_t chunk = 1; ///< iterations that are handed out as a whole
  bool counts_pieces = false;          ///< `iterations` are pieces, which have unknown numbers of iterations
  std::uint64_t new_lengths = 0;       ///< calls with a number of iterations that had not come before
  double work = 0;                     ///< seconds of all threads, from records
  bool has_statistics = false;         ///< a trace need not have seen all executions
  std::optional<CounterSums> counters; ///< counters of all processes
  std::map<std::string, double> rank_seconds; ///< by rank, of those that have the loop
  std::vector<CostPoint> costs;
  TracedLoop traced;
  std::optional<Earlier> earlier;

  /// Adds the figures of one process.
  void add_evenness(bool of_short_loop, double its_imbalance, double saves);
  /// Returns whether only the costs of iterations and the number of executions are known.
  [[nodiscard]] bool is_only_recorded() const { return processes == 0; }
  /// Returns the part of all threads' time that was no work; negative: not known.
  [[nodiscard]] double idle_share() const;
  /// Returns the line of the loop without its indentation; empty: not known.
  [[nodiscard]] std::string source_line() const;
  /// Returns the time of so many calls in the earlier run.
  [[nodiscard]] double earlier_seconds() const;
  [[nodiscard]] bool is_traced() const { return traced.busy + traced.searching > 0; }
};

struct RunReport {
  std::vector<std::string> programs;        ///< "heat (process 12)"
  std::string command, host;                ///< those of the first process that has them; empty: not known
  std::uint64_t ended = 0;                  ///< when that process did, in seconds since 1970; 0: not known
  WallTime wall;                            ///< wall time of the process with most
  std::vector<std::string> traced_programs; ///< "heat (process 12)", from traces
  std::uint64_t processes = 0, threads = 0, dropped = 0;
  std::vector<ReportLoop> loops; ///< loops in which evenness would save most come first

  bool is_against = false; ///< it is compared with another run, whose programs follow, and the loops that
                           ///< are gone
  std::vector<std::string> earlier_programs, gone;
  std::uint64_t earlier_threads = 0;

  std::vector<UnservedRegion> unserved; ///< regions that were not served, the longest first
  std::string step;                     ///< next step for the longest of them; empty: none is known

  std::vector<RankLoop> rank_loops; ///< loops that ranks share

  std::vector<ReportRank> ranks; ///< in their order; one is no MPI job
  [[nodiscard]] bool has_ranks() const { return ranks.size() > 1; }

  /// Returns the loop that threads reach at different times because they leave `loop` so, without a barrier,
  /// or else the loop from which they come late to `loop`; nullptr: the figures show none.
  [[nodiscard]] const ReportLoop* without_barrier(const ReportLoop& loop) const;
  /// Returns the name of the loop in sentences, without the place where its function was inlined, which the
  /// table has; with that place if another loop is called the same without it.
  [[nodiscard]] std::string brief_name(const ReportLoop& loop) const;
  ReportRank& rank(const std::string& rank);
  ReportLoop& loop(const std::string& name, const std::string& schedule);
  /// Returns the loop of a record: with this schedule, or else any loop of this name that was measured.
  ReportLoop& recorded_loop(const std::string& name, const std::string& schedule);
  void sort();
};

/// Returns "./heat 4096 on node7, 2026-11-28 19:12"; empty: nothing is known.
std::string origin_text(const RunReport& report);

/// From here on processes differ: the slowest one's time by the mean one's.
inline constexpr double k_ranks_apart = 1.2;

/// Returns the meaning of the figures, in a few sentences.
std::vector<std::string> verdict(const RunReport& report);

} // namespace wstree::cli
