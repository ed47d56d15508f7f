// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "environment.h"

#include <string>
#include <vector>

namespace wstree::cli {

enum class Stream { output, errors };

/// Returns the output of a command on one of its streams, whatever its exit status; the other stream is
/// thrown away. Empty if it cannot be started. The command is a path.
std::string output_of(std::vector<std::string> command, Environment& environment,
                      Stream stream = Stream::output);

} // namespace wstree::cli
