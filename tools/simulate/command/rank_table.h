// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

namespace wstree::cli {

/// Prints what stealing between ranks takes for each number of ranks in request.ranks, and what others take;
/// returns the status of the command.
int simulate_ranks(const SimulateRequest& request);

} // namespace wstree::cli
