// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/environment.h"
#include "usable_cpus.h"

#include <optional>
#include <string>

namespace wstree::cli {

/// Lets the library set the number of threads, unless the user has set it. Returns a message for the user if
/// this process gets fewer threads than its mask has CPUs; of several ranks on one machine only the first
/// returns it.
std::optional<std::string> choose_team(Environment& environment, const place::FoundCpus& found);

/// Lets the runtimes' idle threads sleep soon if the team could use up the quota by spinning, unless the user
/// has set the team or the waiting. Returns the setting, and its reason.
std::optional<std::string> limit_spinning(Environment& environment, const place::FoundCpus& found);

/// Sets WSTREE_WAIT=auto unless the user has, and where that is in force lets idle threads of libgomp spin
/// for less time than they would, unless the user sets how they wait. libgomp reads that once, at its start.
void choose_waiting(Environment& environment, const place::FoundCpus& found);

/// Returns the reason why a team should be smaller than the mask: "the control groups grant the time of
/// 1.5 CPUs".
std::string reason_for_team(const place::FoundCpus& found);

} // namespace wstree::cli
