// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "environment.h"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace wstree::cli {

/// Replaces this process by the program. Returns only if that fails, with errno.
int become(std::vector<std::string>& command, Environment& environment);

struct Ending {
  int error = 0;       ///< errno if the program could not be started
  int wait_status = 0; ///< as waitpid(2) gives it
  pid_t process = 0;   ///< process that was waited for
};

struct Supervision {
  bool output_to_errors = false;        ///< the child's standard output is our stderr
  std::function<void(pid_t)> look = {}; ///< called again and again while the child runs
};

/// Runs the program as a child and waits for it. Signals that are sent to this process go on to the child;
/// those that a terminal sends reach it anyway, since it is in the same process group. Stops and continues
/// along with it. The child does not outlive this process. Not thread-safe; signals are as before afterwards.
Ending supervise(std::vector<std::string>& command, Environment& environment,
                 const Supervision& supervision = {});

/// Ends as the program did: returns its exit status, or dies by the same signal.
int end_like(int wait_status);

} // namespace wstree::cli
