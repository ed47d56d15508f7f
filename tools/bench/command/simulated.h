// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `wstree simulate` says of the same loops on more workers than this machine has.
#pragma once

#include "commands.h"
#include "findings.h"

#include <string>
#include <vector>

namespace wstree::cli::bench {

/// A published machine, so that the answers are the same everywhere.
inline constexpr const char* k_simulated_machine = "milan";

/// 1, 2, 4 and so on, up to 64; few of them for a test.
std::string simulated_workers(bool few);

/// The results of the request as `wstree simulate --json` writes them, on that machine.
Json simulated(SimulateRequest request);

} // namespace wstree::cli::bench
