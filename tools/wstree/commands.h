// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function for each command of wstree; each returns the exit status.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

struct RunRequest {
  std::optional<std::string> schedule, chunk, strategy, batch, fallback, stats;
  bool verbose = false;
  bool require = false;
  std::vector<std::string> command; ///< the program and its arguments
};

/// Returns only if the program was not started or, with `require`, when it has ended.
int run_command(RunRequest& request);
int env_command(bool json);
int path_command();

} // namespace wstree::cli
