// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "environment.h"

#include <string>
#include <vector>

namespace wstree::cli {

enum class Stream { output, errors };

/// What a command prints on one of its streams, whatever its exit status; the other one is thrown away. Empty
/// if it cannot be started. The command is a path.
std::string output_of(std::vector<std::string> command, Environment& environment,
                      Stream stream = Stream::output);

} // namespace wstree::cli
