// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks of `wstree doctor`. Checks that take facts as arguments look at nothing else, so that every
// answer of theirs can be tested.
#pragma once

#include "inspect/loop_calls.h"
#include "inspect/openmp_runtime.h"
#include "inspect/preflight.h"
#include "options.h"
#include "report.h"
#include "support/environment.h"
#include "support/library.h"

// Headers by which the library itself decides.
#include "cgroup.h"
#include "machine.h"
#include "policy.h"
#include "process_limits.h"
#include "usable_cpus.h"

#include <optional>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace wstree::cli {

/// Checks that there is a library, that the loader can preload it, and that it belongs to this command.
Check check_library(const LibrarySearch& library);
/// Prints the version of the preloaded library: the hidden command that check_library() starts.
int show_preloaded_version();
inline constexpr char k_show_preloaded_version[] = "--show-preloaded-version";

/// Checks the dynamic loader of `program`, or of this command if it is empty, and the other libraries that it
/// is to preload.
Check check_loader(const std::filesystem::path& program);
Check check_preloads(const std::filesystem::path& library, const Environment& environment);

/// Returns a note if OMP_SCHEDULE names a schedule of the library that `program`, which may be empty, would
/// not have without this command.
std::optional<Check> check_way_in(const std::filesystem::path& library, const std::filesystem::path& program,
                                  const Environment& environment);

/// Checks whether the program can be run with the library. `result`: that of the preflight.
Checks check_program(const std::string& name, const std::filesystem::path& library, Preflight& result);

/// Checks the loops of a program and its libraries, as far as symbols show them, with this value of
/// WSTREE_LOOPS. An interpreter need not have any.
Checks check_loops(const std::vector<FileCalls>& files, config::LoopKinds loops, bool is_interpreter);

/// Finds the static loops of a program of gcc, by their lines in the source.
void find_static_loops(FileCalls& program);

/// `ran`: the list also holds the files that the program had mapped in a run.
Checks check_runtimes(const std::vector<OpenMpRuntime>& runtimes, bool ran);

struct CpuFacts {
  unsigned allowed = 0; ///< by the affinity mask; 0: unknown
  unsigned present = 0;
  place::Quota quota = {};
  place::FoundCpus usable = {}; ///< CPUs by which the library would set the size of teams
};
CpuFacts cpu_facts();
/// Returns the number of threads of a team whose region sets none.
unsigned team_size(const CpuFacts& facts, const Environment& environment);
Checks check_cpus(const CpuFacts& facts, const Environment& environment);

struct PlacementFacts {
  place::Limits limits = {};
  std::unique_ptr<const place::Machine> machine = {}; ///< nullptr: `problem` has the reason
  std::string problem = {};
};
PlacementFacts placement_facts(Environment environment);
/// Returns a check only if the OpenMP runtime binds a team of this size to fewer CPUs than it has threads.
std::optional<Check> check_bound_cpus(const PlacementFacts& facts, unsigned team,
                                      const Environment& environment);
/// Checks whether the threads of a team of this size will be pinned.
Check check_placement(const PlacementFacts& facts, unsigned team, config::Bind bind);

/// Variables of the library and of the OpenMP runtimes that matter for it.
Checks check_variables(Environment environment);

} // namespace wstree::cli
