// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The calls of the OpenMP runtime that the benchmark uses, declared here because the compiler that builds it
/// may come without omp.h.
#pragma once

#ifdef WSTREE_BENCH_TBB
#include <thread>
#endif

namespace bench {

/// The runtime that this program calls. gcc and clang emit different calls for the same source, so that there
/// is one program for each; a third one runs the loops with oneTBB.
enum class Runtime { libomp, libgomp, tbb };
#if defined(WSTREE_BENCH_TBB)
inline constexpr Runtime k_runtime = Runtime::tbb;
#elif defined(__clang__)
inline constexpr Runtime k_runtime = Runtime::libomp;
#else
inline constexpr Runtime k_runtime = Runtime::libgomp;
#endif
constexpr const char* name_of(Runtime runtime) {
  return runtime == Runtime::libomp ? "libomp" : runtime == Runtime::libgomp ? "libgomp" : "oneTBB";
}

/// Values of omp_sched_t. Trapezoidal is libomp's own; the library's are those of wstree.h, which the
/// benchmark does not include: it must not depend on the library.
enum OmpKind : int {
  k_static = 1,
  k_dynamic = 2,
  k_guided = 3,
  k_trapezoidal = 101,
  k_wstree = 0x77,
  k_wsrange,
  k_wsqueue,
  k_wsqueue_lock,
  k_wsfixed,
  k_wsguided,
  k_wsfac2,
  k_wstrapezoid,
  k_wsstatic
};
/// Returns whether only the library has the kind.
constexpr bool is_ours(int kind) { return kind >= k_wstree && kind <= k_wsstatic; }

} // namespace bench

#ifdef WSTREE_BENCH_TBB
// A program without OpenMP has no schedule to set.
inline void omp_set_schedule(int, int) {}
inline void omp_get_schedule(int* kind, int* chunk) { *kind = *chunk = 0; }
inline int omp_get_num_procs() { return static_cast<int>(std::thread::hardware_concurrency()); }
#else
extern "C" {
void omp_set_schedule(int kind, int chunk);
void omp_get_schedule(int* kind, int* chunk);
int omp_get_num_procs(void);
int omp_get_thread_num(void);
int omp_pause_resource_all(int kind);
}
#endif
