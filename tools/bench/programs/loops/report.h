// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From samples to tables and verdicts.
#pragma once
#include "measure/measure.h"
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Facts about a workload that a row uses after the workload's loops are gone.
struct RowInfo {
  std::string name;
  Group group;
  bool is_short;
  double longest_share;
};

/// The origin of the figures.
struct Origin {
  std::string library; ///< version of the library in the process, empty without
  Settings settings;
};

struct Row {
  RowInfo info;
  double seq_ms = 0;                       ///< sequential pass, median over everything
  double ideal = 1;                        ///< max(work / P, longest iteration) in units of work / P
  std::vector<std::optional<double>> main; ///< a median per candidate, nothing if there is no sample
  std::vector<double> spreads;             ///< spread of the samples of each candidate
  std::vector<std::optional<double>> bare; ///< medians of the runtime's schedules without the library
  /// A median per candidate of its time / static's in the same round and process: it does not show work at
  /// which the machine is slower for seconds.
  std::vector<std::optional<double>> to_static;
  std::optional<std::size_t> best_fixed; ///< the best of the runtime's schedules by that
  std::optional<double> tree;            ///< the tree's median
  std::string best_name;                 ///< the best of all runtimes' schedules
  std::optional<double> best;

  /// Returns the value for a runtime's schedule. If there is a process without the library, its value alone
  /// counts: forwarded calls cost a little, and the lower of two medians would be the luckier one.
  std::optional<double> value(std::size_t candidate) const {
    return bare[candidate] ? bare[candidate] : main[candidate];
  }
};

/// All that was measured on one runtime.
struct Part {
  std::string runtime; ///< its name
  std::string file;    ///< its path and build kind
  bool is_peer;        ///< its schedules are among those that the tree has to match
  std::vector<Candidate> candidates;
  std::vector<Row> rows; ///< rows of the same workloads in every part
  int dropped;           ///< samples not used

  /// Returns the number of the candidate; nothing if there is none of that name.
  std::optional<std::size_t> column(const std::string& name) const;
};

std::vector<Row> make_rows(const std::vector<RowInfo>& workloads, const std::vector<Candidate>& candidates,
                           const Results& results, const Settings& settings);

/// Fills in the best peers. Times of programs by different compilers are not compared as such, which would
/// show how well the compilers translate the iterations: each counts in parts of its own sequential time.
void find_best_peers(std::vector<Part>& parts);

/// The variations of one pattern of short loops.
struct Pattern {
  std::string name;
  Group group;
  std::vector<const Row*> rows;

  /// Returns for each row the candidate's time in units of the best of the runtime's schedules.
  std::vector<double> to_best(std::size_t candidate) const;
};
/// Returns those of the part; the loops that turn into others are none of them.
std::vector<Pattern> patterns_of(const Part& part);
/// Returns the geometric mean over the patterns of `group`.
std::optional<double> mean_of(const std::vector<Pattern>& patterns, Group group, std::size_t candidate);
double geometric_mean(const std::vector<double>& values);

/// Returns whether other projects were measured with the workload, too: those of about ten milliseconds.
bool is_standard(const RowInfo& info);

/// Judges whether the project's goals are reached.
void judge(const Part& part, const Settings& settings, Report& report);

/// Prints the tables of the part, and adds them to the report.
void show(const Origin& origin, const Part& part, Report& report);

/// The tree's column has this name.
inline constexpr const char* k_tree = "wstree";
/// The schedule that all others are compared with in each round.
inline constexpr const char* k_static_name = "static";

} // namespace bench
