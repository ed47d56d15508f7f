// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

/// Adds the command `bench` with its options.
CLI::App* add_bench(CLI::App& app, BenchRequest& request);

} // namespace wstree::cli
