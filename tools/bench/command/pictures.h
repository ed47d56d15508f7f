// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which pictures a run of `wstree bench` is worth.
#pragma once

#include "findings.h"
#include "gnuplot.h"

#include <string>
#include <vector>

namespace wstree::cli::bench {

/// All that `parts` of a results.json has data for.
std::vector<Picture> pictures_of(const Json& parts);

/// Ratio to ideal for each workload and candidate, a picture for each group of workloads and runtime.
void add_ratio_pictures(const Json& parts, std::vector<Picture>& pictures);
/// Time against STEP: figure 6.
void add_step_pictures(const Json& parts, std::vector<Picture>& pictures);
/// Throughput and size of the tree for each strategy, and batch modes: figures 7 and 19.
void add_strategy_pictures(const Json& parts, std::vector<Picture>& pictures);
/// Throughput against the number of threads: figures 8, 9 and 10.
void add_worker_pictures(const Json& parts, std::vector<Picture>& pictures);
/// The tree on the expensive interval at every position.
void add_grid_pictures(const Json& parts, std::vector<Picture>& pictures);

} // namespace wstree::cli::bench
