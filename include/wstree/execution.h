// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The parallel algorithms of the standard library (`std::execution::par` and `par_unseq`) on the
/// work-stealing tree, for libstdc++. Nothing else changes in the program:
///
///     #include <wstree/execution.h>      // before <execution>; or g++ -include wstree/execution.h
///     std::for_each(std::execution::par, v.begin(), v.end(), f);
///
/// Compile with -std=c++20. libtbb is neither needed nor linked.
///
/// Threads: with -fopenmp those of the program's own parallel regions; without it one for each processor that
/// the process may use, made by the first call that is long enough, and asleep between calls (-pthread).
/// Short calls: a call begins in its caller alone, and asks for threads when about a microsecond has passed.
/// Order: elements are combined in their order, also where the standard would let their order change.
/// Exceptions: an exception that leaves a function of the program ends the program, as the standard says;
/// std::bad_alloc leaves where the standard library's own algorithms throw it.
/// Thread safety: that of the standard's parallel algorithms; calls may be nested.
/// Iterators: algorithms on iterators without random access are executed by the caller, as libstdc++ does;
/// so are algorithms on a std::vector<bool> that change its elements. One that writes a second range must not
/// write to a std::vector<bool>, whose elements share words.
/// Source: ISO C++ [algorithms.parallel]; the interface between libstdc++ and its backends (pstl/).
#pragma once

#if __cplusplus < 202002L
#error "wstree/execution.h needs C++20: compile with -std=c++20"
#else
#include <cstddef>

#if !defined(__GLIBCXX__)
#error "wstree/execution.h serves the parallel algorithms of libstdc++, and this is another C++ library"
#elif defined(_PSTL_PARALLEL_BACKEND_H) && !defined(WSTREE_PSTL_BACKEND)
#error "wstree/execution.h has to be included before <execution>: compile with -include wstree/execution.h"
#elif _PSTL_VERSION != 12000 && _PSTL_VERSION != 17000
#error                                                                                                       \
    "wstree/execution.h knows the parallel algorithms of gcc 11 to 16 (pstl 12000 and 17000), and not these"
#else
#define WSTREE_PSTL_BACKEND 1
// The backend takes the place of the serial one.
#undef _PSTL_PAR_BACKEND_TBB
#undef _PSTL_PAR_BACKEND_OPENMP
#undef _PSTL_PAR_BACKEND_SERIAL
#define _PSTL_PAR_BACKEND_SERIAL
#define _PSTL_PARALLEL_BACKEND_SERIAL_H
#include "wstree/parallel/standard/backend.h"

// With all of these before it <execution> has every algorithm.
#include <algorithm>
#include <memory>
#include <numeric>

#include <execution>
#endif
#endif
