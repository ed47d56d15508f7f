// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

/// Adds the command `topo` with its options.
CLI::App* add_topo(CLI::App& app, TopoRequest& request);

} // namespace wstree::cli
