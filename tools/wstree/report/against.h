// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

/// Returns the report in the output of `wstree report --json`. Nothing: the document is something else.
std::optional<RunReport> read_report(const nlohmann::json& document);

/// Gives the loops of `now` the figures that they had `then`.
void set_against(RunReport& now, const RunReport& then);

/// Returns the speedups and slowdowns, in a few sentences; none without set_against().
std::vector<std::string> against_verdict(const RunReport& report);

} // namespace wstree::cli
