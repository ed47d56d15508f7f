// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

CLI::App* add_trace(CLI::App& app, TraceRequest& request);

} // namespace wstree::cli
