// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The calls of the OpenMP runtime that the benchmark uses, declared here because the compiler that builds it
/// may come without omp.h.
#pragma once

#include "wstree/core/kinds.h"

#include <string>
#include <vector>

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
/// benchmark does not include: it has to be a program that knows nothing of the library but its words.
enum OmpKind : int {
  k_static = 1,
  k_dynamic = 2,
  k_guided = 3,
  k_trapezoidal = 101,
  k_first_own = 0x77,
  k_before_own = k_first_own - 1,
#define WSTREE_OMP_KIND(model, word, ...) k_##word,
  WSTREE_KINDS(WSTREE_OMP_KIND)
#undef WSTREE_OMP_KIND
};
/// True for the kinds that only the library knows.
constexpr bool is_ours(int kind) {
  return kind >= k_first_own && kind < k_first_own + static_cast<int>(wstree::core::k_model_count);
}

/// A schedule of the library as it is measured.
struct OwnSchedule {
  std::string name;
  int kind, chunk;
};
/// All of them. Without a chunk (0) each kind cuts as fine as it may; the static one then makes one block a
/// thread. Those with a fixed chunk have it in their names, behind `separator`.
inline std::vector<OwnSchedule> own_schedules(const char* separator) {
  std::vector<OwnSchedule> all;
  const auto add = [&](const char* word, int kind) {
    if (kind != k_wsfixed)
      all.push_back({word, kind, kind == k_wstree ? 1 : 0});
    else
      for (const int chunk : {1, 64})
        all.push_back({word + (separator + std::to_string(chunk)), kind, chunk});
  };
#define WSTREE_ADD(model, word, ...) add(#word, k_##word);
  WSTREE_KINDS(WSTREE_ADD)
#undef WSTREE_ADD
  return all;
}

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
