// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

CLI::App* add_compare(CLI::App& app, CompareRequest& request);

} // namespace wstree::cli
