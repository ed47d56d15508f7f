// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both programs with taskloops share.
#pragma once

#include <cstddef>

#ifdef __clang__ // of the bounds that it computes itself
#pragma clang diagnostic ignored "-Wsign-compare"
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

inline constexpr int k_n = 700;
#ifdef __clang__ // libomp does not end the taskgroup of a loop without iterations, and hangs later
inline constexpr int k_fewest = 1;
#else
inline constexpr int k_fewest = 0;
#endif

inline std::size_t at(long long i) { return static_cast<std::size_t>(i); }
