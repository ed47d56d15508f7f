// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// From samples to a table, a verdict and a JSON file.
#pragma once
#include "measure.h"
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
  std::vector<std::optional<double>> bare; ///< the same for the runtime's schedules without the library
  std::optional<double> tree;              ///< the tree's median
  double tree_spread = 0;                  ///< half the distance of its quartiles, relative
  std::size_t tree_samples = 0;
  std::string best_name; ///< the best of the runtime's schedules
  std::optional<double> best;
};

/// One figure that must be reached.
struct Verdict {
  std::string what;
  double limit, worst;
  std::size_t held, of;
  std::vector<std::string> failures;
};

std::vector<Row> make_rows(const std::vector<RowInfo>& workloads, const std::vector<Candidate>& candidates,
                           const Results& results, int threads);
std::vector<Verdict> make_verdicts(const std::vector<Row>& rows, const std::vector<Candidate>& candidates,
                                   int threads);

/// All that was measured on one runtime.
struct Part {
  std::string runtime; ///< its name
  std::string file;    ///< its path and build kind
  std::vector<Candidate> candidates;
  std::vector<Row> rows;
  std::vector<Verdict> verdicts;
};

void print_report(std::FILE* out, const Origin& origin, const Part& part);
/// False: the file could not be written.
bool write_json(const std::string& path, const Origin& origin, const std::vector<Part>& parts);

/// One line for each number of iterations: every candidate's geometric mean and worst value of time / ideal
/// over the paper's workloads of that size.
void print_sizes(std::FILE* out, const std::vector<Row>& rows, const std::vector<Candidate>& candidates);

} // namespace bench
