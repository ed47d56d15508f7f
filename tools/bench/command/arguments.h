// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

/// The options of `wstree bench`.
CLI::App* add_bench(CLI::App& app, BenchRequest& request);

} // namespace wstree::cli
