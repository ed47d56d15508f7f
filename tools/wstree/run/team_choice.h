// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/environment.h"
#include "usable_cpus.h"

#include <optional>
#include <string>

namespace wstree::cli {

/// Lets the library set the number of threads, unless the user has said something about it. Returns the line
/// that the user is told if this process gets fewer threads than its mask has CPUs; of several ranks on one
/// machine the first one tells.
std::optional<std::string> choose_team(Environment& environment, const place::FoundCpus& found);

/// Lets the runtimes' idle threads sleep soon if the team could use up the quota by spinning, unless the user
/// has said something about the team or about waiting. Returns the setting, and its reason.
std::optional<std::string> limit_spinning(Environment& environment, const place::FoundCpus& found);

/// Sets WSTREE_WAIT=auto unless the user has, and where that is in force lets idle threads of libgomp, which
/// cannot be told later, spin for less time than they would, unless the user says how they wait.
void choose_waiting(Environment& environment, const place::FoundCpus& found);

/// "the control groups grant the time of 1.5 CPUs"; why a team should be smaller than the mask.
std::string reason_for_team(const place::FoundCpus& found);

} // namespace wstree::cli
