// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "options.h"
#include "support/environment.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns the kinds of loops that the library may serve under rules, a value of WSTREE_RULES: those that the
/// rules name besides `otherwise`. A rule that names a schedule means loops of every kind.
config::LoopKinds loops_under(const std::string& rules, config::LoopKinds otherwise);

/// Returns the error in a value of --rules as a whole, as one line for the user; nothing if it can be read.
std::optional<std::string> problem_of_rules(const std::string& rules);

/// Replaces source lines in the rules of the environment by code locations, because the library reads no
/// debug information. Prints which rules are left out, if none of them fits a loop of the program, and which
/// lines of a file with loops a rule misses; `tells_all`: which other rules match nothing, too, though they
/// may be for other programs. `holder`: as in read_rules().
void resolve_rules(Environment& environment, const std::filesystem::path& program, std::string_view holder,
                   bool tells_all = false);

} // namespace wstree::cli
