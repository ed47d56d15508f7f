// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>

namespace wstree::cli {

CLI::App* add_report(CLI::App& app, ReportRequest& request);

} // namespace wstree::cli
