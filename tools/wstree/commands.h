// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each command of wstree; each returns the exit status.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

struct RunRequest {
  std::optional<std::string> schedule, chunk, loops, strategy, batch, fallback, stats;
  bool verbose = false;
  bool require = false;
  std::vector<std::string> command; ///< the program and its arguments
};

struct DoctorRequest {
  bool json = false;
  std::vector<std::string> command; ///< of the trial run; empty: none
};

/// Returns only if the program was not started or, with `require`, when it has ended.
int run_command(RunRequest& request);
int env_command(bool json);
int path_command();
/// 0: all fine, 1: something costs time or leaves loops unserved, 2: the library cannot work.
int doctor_command(const DoctorRequest& request);

} // namespace wstree::cli
