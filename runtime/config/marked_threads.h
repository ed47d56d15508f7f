// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of threads that the library itself writes into OMP_NUM_THREADS.
#pragma once

#include <string_view>

namespace wstree::config {

inline constexpr std::string_view k_team_variable = "OMP_NUM_THREADS";

/// Stands in front of such a number. The OpenMP runtimes skip it, and no user writes it: a child process that
/// has the library, and perhaps other CPUs (mpirun is the parent of ranks), counts again.
inline constexpr std::string_view k_threads_mark = " \t";

constexpr bool is_marked_threads(std::string_view value) noexcept {
  return value.starts_with(k_threads_mark);
}

} // namespace wstree::config
