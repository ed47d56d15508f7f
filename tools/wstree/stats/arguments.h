// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

CLI::App* add_stats(CLI::App& app, StatsRequest& request);

} // namespace wstree::cli
