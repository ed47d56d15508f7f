// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From samples to a table, a verdict and a JSON file.
#pragma once
#include "measure/measure.h"
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// What a row needs to know of a workload after its loops are gone.
struct RowInfo {
  std::string name;
  Group group;
  bool is_short;
  double longest_share;
};

/// Where the figures come from.
struct Origin {
  std::string library; ///< version of the library in the process, empty without
  int threads;
  int rounds;
};

struct Row {
  RowInfo info;
  double seq_ms = 0;                       ///< sequential pass, median over everything
  double ideal = 1;                        ///< max(work / P, longest iteration) in units of work / P
  std::vector<std::optional<double>> main; ///< a median per candidate, nothing if there is no sample
  std::vector<double> spreads;             ///< of the same: half the distance of its quartiles, relative
  std::vector<std::optional<double>> bare; ///< the same for the runtime's schedules without the library
  /// A median per candidate of its time / static's in the same round and process: what the machine is slower
  /// at for seconds, it does not show.
  std::vector<std::optional<double>> to_static;
  std::optional<std::size_t> best_fixed; ///< the best of the runtime's schedules by that
  std::optional<double> tree;            ///< the tree's median
  double tree_spread = 0;
  std::size_t tree_samples = 0;
  std::string best_name; ///< the best of all runtimes' schedules
  std::optional<double> best;

  /// What speaks for a runtime's schedule. Where there is a process without the library, it alone: forwarded
  /// calls cost a little, and the lower of two medians would be the luckier one.
  std::optional<double> value(std::size_t candidate) const {
    return bare[candidate] ? bare[candidate] : main[candidate];
  }
};

/// One figure that must be reached.
struct Verdict {
  std::string what;
  double limit, worst;
  std::size_t held, of;
  std::vector<std::string> failures;
};

/// All that was measured on one runtime.
struct Part {
  std::string runtime; ///< its name
  std::string file;    ///< its path and build kind
  bool is_peer;        ///< its schedules are among those that the tree has to match
  std::vector<Candidate> candidates;
  std::vector<Row> rows; ///< the same in every part
  std::vector<Verdict> verdicts;
  int dropped; ///< samples not used
};

std::vector<Row> make_rows(const std::vector<RowInfo>& workloads, const std::vector<Candidate>& candidates,
                           const Results& results, int threads);

/// Fills in the best peers. Times of programs by different compilers are not compared as such, which would
/// show how well the compilers translate the iterations: each counts in parts of its own sequential time.
void find_best_peers(std::vector<Part>& parts);

std::vector<Verdict> make_verdicts(const Part& part, int threads);

void print_report(std::FILE* out, const Origin& origin, const Part& part);
/// False: the file could not be written.
bool write_json(const std::string& path, const Origin& origin, const std::vector<Part>& parts);

/// One line for each number of iterations: every candidate's geometric mean and worst value of time / ideal
/// over the paper's workloads of that size.
void print_sizes(std::FILE* out, const std::vector<Row>& rows, const std::vector<Candidate>& candidates);

/// STEP at every position and of every span: mean and worst time / ideal of every candidate, and a table of
/// the tree's. Prints nothing if it was not measured.
void print_grid(std::FILE* out, const Part& part);

/// The variations of one pattern of short loops.
struct Pattern {
  std::string name;
  Group group;
  std::vector<const Row*> rows;

  /// Geometric mean over the rows of a candidate's time / that of the best of the runtime's schedules; and
  /// the largest.
  struct Figure {
    double mean, worst;
  };
  std::optional<Figure> to_best(std::size_t candidate) const;
};
/// Those of the part; the loops that turn into others are none of them.
std::vector<Pattern> patterns_of(const Part& part);
/// Over the patterns of `group`, the geometric mean of to_best().
std::optional<double> mean_of(const std::vector<Pattern>& patterns, Group group, std::size_t candidate);
/// Whether the row measures a call at which the loop's work changes.
bool is_jump(const RowInfo& info);
/// The candidate of that name; nothing if there is none.
std::optional<std::size_t> column_of(const Part& part, const std::string& name);
double geometric_mean(const std::vector<double>& values);

/// One line for each pattern: every candidate's time / that of the best of the runtime's schedules. Prints
/// nothing if there are none.
void print_short(std::FILE* out, const Part& part);

/// The workloads that other projects were measured with, too: of about ten milliseconds.
bool is_standard(const RowInfo& info);

/// The tree's column has this name.
inline constexpr const char* k_tree = "wstree";
/// The schedule that all others are compared with in each round.
inline constexpr const char* k_static_name = "static";
/// The column of the tree that remembers no loop, if there is one.
inline constexpr const char* k_no_memory = "no_memory";

} // namespace bench
