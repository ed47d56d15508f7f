// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rows of the parts `strategies` and `workers`, for the code that draws them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace wstree::cli::bench {

inline constexpr std::array<std::string_view, 6> k_strategies{"predefined", "assign",    "assigntop",
                                                              "randomwalk", "randomall", "findmax"};
inline constexpr std::array<std::string_view, 3> k_batches{"timed", "exponential", "random"};

/// The workload on which strategies are compared, as in figure 7, and those of figure 19.
inline constexpr const char* k_even_shape = "UNIFORM";
inline constexpr std::array<std::string_view, 3> k_step_shapes{"STEP_S", "STEP_E", "STEP_M"};
inline constexpr const char* k_strategies_suffix = "/100k";

inline constexpr const char* k_workers_suffix = "/1k";
/// The programs of figure 10, and more like them.
inline constexpr std::array<std::string_view, 4> k_programs{"MANDEL", "TRIMM", "PRIMES", "SPMV"};

/// Returns 1, 2, 4 and so on, and the number of all workers.
std::vector<unsigned> measured_workers();

} // namespace wstree::cli::bench
