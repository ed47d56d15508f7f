// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The runtimes that are measured, and the processes in which that happens where one process will not do.
#pragma once
#include "loops_options.h"
#include <string>
#include <vector>

namespace bench {

/// A runtime, or another build of it, and all that was measured on it.
struct Family {
  std::string name;
  Runtime runtime;
  bool is_peer; ///< false: another build of a runtime that is there already
  std::vector<Candidate> candidates;
  std::string description{};
  Results results{};
};

/// A process that takes the samples of one round.
struct Child {
  Family* family;
  std::string program; ///< empty: this one
  std::vector<std::string> environment;
  std::string library;                 ///< version that has to be in the process, empty: none
  std::vector<std::string> candidates; ///< their names
  std::string column{};                ///< keeps the tree's samples, if not empty; others are in column/name
  bool bare = false;                   ///< the samples are those without the library
};

/// Returns the version of the library in this process; empty: the library is not loaded.
std::string library_version();

/// Returns the runtime that another build of this program was built for. Ends this process if there is no
/// such program.
Runtime runtime_of(const std::string& program);

/// Returns the environment that makes the loader find another libomp: in a folder, or, for `system`, where it
/// looks by itself.
std::vector<std::string> environment_for_libomp(const std::string& libomp);

/// Returns this process's environment, with these variables ("NAME=value") instead of its own values of them.
std::vector<std::string> own_environment_with(const std::vector<std::string>& variables);

/// Runs it and keeps its samples. Returns false if it failed, or was another kind of process than it should
/// be; stderr has a message then.
bool run_round(const Child& child, const Options& options, const std::vector<Workload>& workloads,
               std::uint64_t seed, int round);

/// Prints the samples for run_round().
void print_samples(const Family& family, const std::string& library);

} // namespace bench
