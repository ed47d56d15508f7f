// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "commands.h"
#include "environment.h"
#include "options.h"

#include <optional>
#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns the error in the values on the command line, as one line for the user; nothing if all are good.
/// Uses the library's own parsers, so that a value that passes here is understood there.
std::optional<std::string> check_values(const RunRequest& request);

/// Returns the request to the library in a value of OMP_SCHEDULE; nothing if the value is for the OpenMP
/// runtime. Other than parse_schedule() it also reads the form in which a process with the library hands its
/// schedule to its children.
std::optional<config::ScheduleRequest> requested_schedule(std::string_view value);

/// WSTREE_LOOPS of the run.
inline constexpr config::LoopKinds k_loops_of_run{static_cast<std::uint8_t>(config::LoopKind::runtime) |
                                                  static_cast<std::uint8_t>(config::LoopKind::proven)};
config::LoopKinds loops_in_force(const RunRequest& request, const Environment& environment);

/// Sets the variables that the library and the OpenMP runtime read. Returns a line if the user's own
/// OMP_SCHEDULE is overridden without their having named another schedule.
std::optional<std::string> apply(const RunRequest& request, Environment& environment);

} // namespace wstree::cli
