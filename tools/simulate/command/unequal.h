// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All machines with unequal cores, and how each schedule shares loops on them.
#pragma once

#include "commands.h"

#include "machine_spec.h"
#include "schedules.h"
#include "workload.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace wstree::cli {

struct UnequalPlan {
  std::vector<simulate::MachineSpec> machines;
  std::vector<std::uint32_t> cores; ///< cores of each machine
  std::vector<std::string> shapes;
  std::vector<std::uint64_t> iterations;
  std::vector<simulate::Schedule> schedules; ///< the library's tree first
  double work_ms = 10;
  std::uint32_t rounds = 9;
  std::uint64_t seed = 1;
};

std::optional<std::string> make_unequal_plan(const SimulateRequest& request, UnequalPlan& plan);

/// One loop on one machine: time / ideal of all its cores, in the round with the median.
struct UnequalRow {
  std::size_t machine = 0, shape = 0, iterations = 0; ///< places in the plan
  std::vector<double> ratios;                         ///< ratios of each schedule
  double fast_only = 0;                               ///< the tree on the fast cores alone
  double known = 0;                                   ///< a schedule that knows all costs and speeds
};

/// Returns the rows in the order of iterations, machines, shapes. Each row begins with a call of `stop`; no
/// rows are returned if it returns true.
std::vector<UnequalRow> unequal_rows(
    const UnequalPlan& plan, const std::function<bool()>& stop = [] { return false; });

/// Over the rows with the same number of iterations.
struct UnequalFigures {
  double mean = 1, worst = 0; ///< geometric
};
UnequalFigures unequal_figures(const std::vector<UnequalRow>& rows, std::size_t iterations,
                               std::size_t schedule);

std::string unequal_text(const UnequalPlan& plan, const std::vector<UnequalRow>& rows);

} // namespace wstree::cli
