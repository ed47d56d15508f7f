// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

namespace wstree::cli {

/// Prints the times of stealing between ranks for each number of ranks in request.ranks, and those of others;
/// returns the status of the command.
int simulate_ranks(const SimulateRequest& request);

} // namespace wstree::cli
