// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <string>
#include <vector>

namespace wstree::cli {

/// Returns the help of a command that takes a program with arguments of its own.
std::shared_ptr<CLI::Formatter> program_formatter(std::string command);

/// Adds the command `run` with its options, which parsing stores in `request`.
CLI::App* add_run(CLI::App& app, RunRequest& request);

/// Cuts the program and its arguments off `arguments`, which are those behind the command, and returns them.
/// Options end at the program or at "--", which is removed. CLI11 cannot do this: it would also parse the
/// options behind the program.
std::vector<std::string> take_program(const CLI::App& command, std::vector<std::string>& arguments);

} // namespace wstree::cli
