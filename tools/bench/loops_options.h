// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Command line of the program `loops`.
#pragma once
#include "measure.h"
#include <string>
#include <vector>

namespace bench {

struct Options {
  Settings settings;
  std::string only, candidates, beside, json;
  double scale = 1;
  bool bare = false, fifo = false, list = false, samples = false;
};

/// Ends the program if it is wrong, or if it asks for help.
Options parse(int argc, char** argv);

/// Says what is wrong, how the program is used, and ends it.
[[noreturn]] void refuse(const std::string& text);

std::vector<WorkloadRecipe> selected_workloads(const Options& options);

/// What --candidates selects for this runtime: nothing if it names the other's alone.
std::vector<Candidate> selected_candidates(const Options& options, Runtime runtime, bool with_library);

} // namespace bench
