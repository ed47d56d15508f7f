// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The loops that are measured.
#pragma once
#include "loop_forms.h"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// What a workload is there to show; the verdicts of the report are given over these groups.
enum class Group {
  paper,  ///< the paper's cost distributions: the figures that must be reached are about these
  program ///< loops of real programs, and loops too short for two threads
};

struct Workload {
  std::string name; ///< kind/iterations[/work], for example EXP/16 or EXP/16/1ms
  Group group;
  bool is_short;        ///< many loops of under a few microseconds: the region costs more than the work
  double longest_share; ///< cost of the most expensive iteration as a part of all work: bounds every schedule
  std::function<std::uint64_t(Form, int threads)> pass;
  std::function<std::uint64_t()> plain;
  int iterations;                                        ///< of one loop
  int loops;                                             ///< of them that a pass runs
  std::function<std::uint64_t(int begin, int end)> part; ///< these iterations of one loop, without OpenMP
};

/// A workload that has not been built yet: only what --only selects is.
struct WorkloadRecipe {
  std::string name;
  std::function<Workload(const std::string& name)> make;
};

/// All of them in the order of the report. `scale` multiplies the work of every iteration, and for the loops
/// of one-nanosecond iterations and of real programs the number of iterations; 1 is what is reported.
std::vector<WorkloadRecipe> all_workloads(double scale);

} // namespace bench
