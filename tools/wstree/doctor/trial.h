// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bindings.h"
#include "inspect/loop_forms.h"
#include "inspect/statistics.h"
#include "mapped_watch.h"
#include "report.h"
#include "served_loops.h"
#include "support/environment.h"
#include "support/launch.h"

#include <filesystem>
#include <string>
#include <vector>

namespace wstree::cli {

/// A process of a trial run that had served loops.
struct TrialProcess {
  std::uint64_t number = 0;
  std::string rank = {};    ///< rank in an MPI job; empty: it is none
  unsigned threads = 0;     ///< in its largest team
  place::CpuSet cpus = {};  ///< CPUs that it may use; empty: it was over before they were seen
  place::CpuSet bound = {}; ///< to which its threads are bound together; likewise
};

/// The result of a run of a program with the library.
struct Trial {
  std::string problem; ///< why there was no run; empty if there was one
  Ending ending = {};
  ServedLoops loops = {};
  std::vector<UnservedRegion> unserved = {}; ///< regions that may be static loops and are not served, the
                                             ///< longest first
  std::string step = {};                     ///< next step for these; empty: they take little time
  ServedLoops of_new_lengths = {}; ///< static ones that keep equal parts, because no length comes twice
  std::vector<std::filesystem::path> mapped = {}; ///< files that were seen in it and its children
  CallsPast past = {};                            ///< files whose calls do not reach the library
  std::vector<TrialProcess> processes = {};
};

/// Runs a command, whose dynamic program is `program` (see Preflight), with its output on our own streams;
/// `output_to_errors`: all of it on stderr. Uses the tree unless `environment` names another schedule.
/// `loads_files`: it may load plugins, whose calls are looked after. It serves the loops that `wstree run`
/// would, and no others: a program may count on the order in which the runtime hands those out.
Trial run_trial(std::vector<std::string> command, Environment environment,
                const std::filesystem::path& program, const std::filesystem::path& library, bool loads_files,
                bool output_to_errors);

/// Checks the CPUs of the processes that a launcher has started, of `present` ones.
Checks check_ranks(const std::vector<TrialProcess>& processes, unsigned present);

/// Returns the reason why the threads of the only process of a trial cannot run at the same time: the program
/// binds them to fewer CPUs, or has more threads than both `team`, the expected number, and the `allowed`
/// CPUs. Nothing: they can.
std::optional<Check> check_threads(const TrialProcess& process, unsigned team, unsigned allowed);

/// Facts for the judgement of a run.
struct TrialFacts {
  LoopForms forms = {};       ///< forms of the loops that symbols show
  config::LoopKinds loops{};  ///< WSTREE_LOOPS
  std::string schedule = {};  ///< OMP_SCHEDULE of the run
  bool has_runtime = true;    ///< an OpenMP runtime was seen
  bool sets_schedule = false; ///< the program calls omp_set_schedule
  bool may_be_static = false; ///< it calls the functions of gcc's static loops
  bool has_numba = false;     ///< it has loaded Python's numba
};
Checks check_trial(const Trial& trial, const TrialFacts& facts);

} // namespace wstree::cli
