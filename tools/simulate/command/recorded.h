// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of a user's program, as WSTREE_RECORD has written them.
#pragma once

#include "plan.h"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace wstree::cli {

/// Returns the loops, or the error in the file.
std::variant<std::vector<simulate::RecordedLoop>, std::string> read_recorded(const std::string& path);

/// The loops that `wanted` means, or without it those with most work: each becomes a workload of the plan, as
/// it was in the execution with the median of the work. nullopt: done; else the error.
std::optional<std::string> take_recorded(const std::vector<simulate::RecordedLoop>& loops,
                                         const std::optional<std::string>& wanted, Plan& plan);

} // namespace wstree::cli
