// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Command line of the program `loops`.
#pragma once
#include "measure/measure.h"
#include <string>
#include <vector>

namespace bench {

/// The tree with other options, in processes of their own: a column of the table.
struct Variant {
  std::string name;
  std::vector<std::string> variables; ///< NAME=value
};

struct Options {
  Settings settings;
  std::string only, groups, candidates, json;
  std::vector<std::string> beside, libomps;
  std::vector<Variant> variants;
  double scale = 1;
  bool bare = false, fifo = false, list = false, samples = false, step_grid = false, which = false;
};

/// Reads the command line of the program for that runtime, on so many processors. Ends the program if the
/// line is wrong or contains --help.
Options parse(int argc, char** argv, Runtime runtime, int processors);

std::vector<WorkloadRecipe> selected_workloads(const Options& options);

/// Returns the candidates for this runtime that --candidates selects: none if it names the others' alone.
std::vector<Candidate> selected_candidates(const Options& options, Runtime runtime, bool with_library);

} // namespace bench
