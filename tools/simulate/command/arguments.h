// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

/// Adds the command `simulate` with its options.
CLI::App* add_simulate(CLI::App& app, SimulateRequest& request);

} // namespace wstree::cli
