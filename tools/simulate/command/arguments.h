// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

/// The options of `wstree simulate`.
CLI::App* add_simulate(CLI::App& app, SimulateRequest& request);

} // namespace wstree::cli
