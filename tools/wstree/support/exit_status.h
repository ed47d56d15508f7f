// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace wstree::cli {

/// Exit statuses of our own, those of env(1), so that a caller can tell them from the program's.
inline constexpr int k_ok = 0;
inline constexpr int k_no_library = 1;   ///< `wstree path` without a library
inline constexpr int k_bench_failed = 1; ///< `wstree bench`: a program failed, or a figure has become worse
inline constexpr int k_own_error = 125;  ///< wstree cannot do its task
inline constexpr int k_cannot_execute = 126; ///< the program is there but cannot be executed
inline constexpr int k_not_found = 127;      ///< there is no such program

} // namespace wstree::cli
