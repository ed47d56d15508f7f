// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Google Benchmark has measured of the templates of the core.
#pragma once

#include "findings.h"

#include <string>

namespace wstree::cli::bench {

/// From its JSON, with one entry for each repetition:
///   {"repetitions": 5, "steps": [{"name": "advance", "ns": 8.5, "spread": 0.01}], "errors": ["name: text"]}
/// with medians, and half the distance of the quartiles over them if there is more than one repetition.
Json core_steps(const Json& google);

/// As a table.
std::string core_steps_text(const Json& steps);

} // namespace wstree::cli::bench
