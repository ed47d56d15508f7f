// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "comparison.h"
#include "support/terminal.h"

#include <string>
#include <string_view>

namespace wstree::cli {

/// Returns the comparison for people; `per_loop`: with a table of the loops.
std::string comparison_text(const Contest& comparison, const Judgement& judgement, const Terminal& terminal,
                            bool per_loop);

std::string comparison_json(const Contest& comparison, const Judgement& judgement);
/// Returns one line for each run.
std::string comparison_csv(const Contest& comparison);
std::string comparison_markdown(const Contest& comparison, const Judgement& judgement);
/// Returns all runs and their medians with their intervals, as a picture; `per_loop`: and the times of
/// the loops.
std::string comparison_svg(const Contest& comparison, bool per_loop);
/// The first words of comparison_rules().
inline constexpr std::string_view k_rules_heading = "# wstree compare";
/// Returns lines "file:line schedule" for WSTREE_RULES: the best schedule of each loop, behind the rule of
/// rules_for_all(). There is a comment for each loop that cannot be judged.
std::string comparison_rules(const Contest& comparison, const Judgement& judgement);
/// Returns the rule of the recommendation for all loops; a comment only if rules cannot hold it.
std::string rules_for_all(const Contest& comparison, const Judgement& judgement);

} // namespace wstree::cli
