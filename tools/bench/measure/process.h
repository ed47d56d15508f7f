// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Child processes with and without the library, and facts about this one.
#pragma once
#include "options.h"
#include <map>
#include <string>
#include <vector>

namespace bench {

/// A kind of process that measures, and its figures by name: one value for each round.
struct Kind {
  std::string name;
  std::vector<std::string> variables; ///< for environment_with()
  std::map<std::string, std::vector<double>> figures{};
};

/// In each round starts this program once for every kind, in random order, with `--child NAME`, and reads the
/// lines "VALUE NAME" that it prints. Returns false, with a message, if a process fails.
bool run_rounds(const Common& options, std::vector<Kind>& kinds);

/// Returns this process's environment without the library's part: its entry in LD_PRELOAD, WSTREE_* and
/// OMP_SCHEDULE. `more` ("NAME=value") is added; an LD_PRELOAD in it goes in front of the rest of ours.
std::vector<std::string> environment_with(const std::vector<std::string>& more);

/// Returns this process's environment as it is, the library included.
std::vector<std::string> own_environment();

/// Runs `program`, or this one again if that is empty, and waits. `output`: receives its stdout; null:
/// stdout goes to /dev/null. Returns the exit status, 128 + the signal that ended it, or -1 if it could not
/// be started.
int run_child(const std::string& program, const std::vector<std::string>& arguments,
              const std::vector<std::string>& environment, std::string* output);

/// Returns the path of the OpenMP runtime, or oneTBB, in this process and, for libomp, whether it is a build
/// with debugging code, which formats trace text for every chunk.
std::string runtime_description();

} // namespace bench
