// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

/// Adds the command `help` with its arguments.
CLI::App* add_help(CLI::App& app, HelpRequest& request);

} // namespace wstree::cli
