// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pictures that a run of `wstree bench` is worth.
#pragma once

#include "findings.h"
#include "support/chart.h"

#include <string>
#include <utility>
#include <vector>

namespace wstree::cli::bench {

/// Returns all that `parts` of a results.json has figures for, by the names of their files:
/// time / ideal for each workload and candidate; time against STEP (figure 6); throughput and size of the
/// tree for each strategy, and batch modes (7 and 19); throughput against the number of threads (8, 9 and
/// 10).
std::vector<std::pair<std::string, Picture>> pictures_of(const Json& parts);

} // namespace wstree::cli::bench
