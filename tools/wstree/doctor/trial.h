// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inspect/loop_forms.h"
#include "report.h"
#include "served_loops.h"
#include "support/environment.h"
#include "support/launch.h"

#include <filesystem>
#include <string>
#include <vector>

namespace wstree::cli {

/// What came of running a program with the library.
struct Trial {
  std::string problem; ///< why there was no run; empty if there was one
  Ending ending = {};
  ServedLoops loops = {};
  bool all_kinds = false;    ///< it served loops of all kinds: a loop that is missing did not run
  ServedLoops left_out = {}; ///< that ran too, but that WSTREE_LOOPS leaves out without the trial
  std::vector<std::filesystem::path> mapped = {}; ///< files that were seen in it and its children
};

/// Runs a command, whose dynamic program is `program` (see Preflight), with what it prints on our own
/// streams; `output_to_errors`: all of it on stderr. Uses the tree unless `environment` names another
/// schedule. Without rules, it serves loops of all kinds, to see which ones run; those that `loops` leaves
/// out come apart from those that it names.
Trial run_trial(std::vector<std::string> command, Environment environment,
                const std::filesystem::path& program, const std::filesystem::path& library,
                config::LoopKinds loops, bool output_to_errors);

/// What is known when a run is judged.
struct TrialFacts {
  LoopForms forms = {};       ///< of the loops that symbols tell of
  config::LoopKinds loops{};  ///< WSTREE_LOOPS
  std::string schedule = {};  ///< OMP_SCHEDULE of the run
  bool has_runtime = true;    ///< an OpenMP runtime was seen
  bool sets_schedule = false; ///< the program calls omp_set_schedule
};
Checks check_trial(const Trial& trial, const TrialFacts& facts);

} // namespace wstree::cli
