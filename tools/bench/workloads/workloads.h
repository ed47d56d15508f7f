// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The loops that are measured.
#pragma once
#include "measure/form.h"
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bench {

/// The purpose of a workload; the verdicts of the report are given over these groups.
enum class Group {
  paper,   ///< the paper's cost distributions, of a millisecond and more
  program, ///< loops of real programs, and loops too short for two threads
  small,   ///< the paper's cost distributions in loops of 20 and 100 microseconds
  memory,  ///< loops that are repeated over the same data: the place of the data counts
  grid,    ///< an expensive interval at every position and of every span
  brief,   ///< patterns of short loops in real programs
  untuned  ///< more of them, which the library was not tuned to
};
const char* name_of(Group group);

struct Workload {
  std::string name; ///< kind/iterations[/work], for example EXP/16 or EXP/16/1ms
  Group group;
  bool is_short;        ///< many loops of under a few microseconds: the region costs more than the work
  double longest_share; ///< cost of the most expensive iteration as a part of all work: bounds every schedule
  std::function<std::uint64_t(Form, int threads)> pass;
  std::function<std::uint64_t()> plain;
  int iterations;                                        ///< iterations of one loop
  int loops;                                             ///< loops in a pass
  std::function<std::uint64_t(int begin, int end)> part; ///< these iterations of one loop, without OpenMP;
                                                         ///< empty: a pass has loops of several kinds
  std::function<void()> prepare{};         ///< data as every pass has to find it, not timed; may be empty
  std::function<std::uint64_t()> digest{}; ///< digest of the data that a pass leaves, not timed; may be empty
  std::function<void(Form, int threads)> lead_in{}; ///< loops before those of a pass, not timed; may be empty
};

/// The place of the expensive interval in a workload of the grid.
struct GridPlace {
  int position; ///< 0: at the start, k_grid_side - 1: at the end
  int span;     ///< in parts of k_grid_side of the loop
};
inline constexpr int k_grid_side = 16;
/// Returns the place of a workload by its name; position is -1 if it is not of the grid.
GridPlace grid_place(const std::string& name);

/// A workload that has not been built yet: only selected workloads are.
struct WorkloadRecipe {
  std::string name;
  Group group;
  std::function<Workload(const std::string& name)> make;
};

/// Returns all workloads in the order of the report. `scale` multiplies the work of every iteration, and for
/// the loops of one-nanosecond iterations and of real programs the number of iterations, for short loops
/// their number; 1 is the reported scale.
std::vector<WorkloadRecipe> all_workloads(double scale);

} // namespace bench
