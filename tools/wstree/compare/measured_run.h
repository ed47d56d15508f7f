// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/environment.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace wstree::cli {

/// One run of the program from its start to its end.
struct MeasuredRun {
  int error = 0;       ///< errno if it could not be started
  int wait_status = 0; ///< as waitpid(2) gives it
  double seconds = 0;
  double cpu_seconds = 0;   ///< processor time of all its threads, and of the children that it waited for
  std::uint64_t output = 0; ///< hash of its standard output
  std::string errors;       ///< the end of its standard error
};

/// Runs it with its output in files below `folder` and with nothing to read.
MeasuredRun run_measured(std::vector<std::string>& command, Environment& environment,
                         const std::filesystem::path& folder);

/// Returns a text such as "exit status 3" or "signal 11 (Segmentation fault)".
std::string end_text(int wait_status);

} // namespace wstree::cli
