// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The calls of the OpenMP runtime that the benchmark uses, declared here because the compiler that builds it
/// may come without omp.h.
#pragma once
#include <cstdint>

namespace bench {

/// Values of omp_sched_t. Trapezoidal is libomp's own; the tree's is that of wstree.h, which the benchmark
/// does not include: it has to be a program that knows nothing of the library.
enum OmpKind : int { k_static = 1, k_dynamic = 2, k_guided = 3, k_trapezoidal = 101, k_wstree = 0x77 };

} // namespace bench

extern "C" {
void omp_set_schedule(int kind, int chunk);
void omp_get_schedule(int* kind, int* chunk);
int omp_get_num_procs(void);
int omp_get_thread_num(void);
int omp_pause_resource_all(int kind);

/// Compiler-to-runtime interface, for the figures that are about single calls.
struct BenchIdent {
  std::int32_t reserved_1, flags, reserved_2, reserved_3;
  const char* psource;
};
void __kmpc_dispatch_init_4(BenchIdent*, std::int32_t gtid, std::int32_t kind, std::int32_t lower,
                            std::int32_t upper, std::int32_t stride, std::int32_t chunk);
std::int32_t __kmpc_dispatch_next_4(BenchIdent*, std::int32_t gtid, std::int32_t* last, std::int32_t* lower,
                                    std::int32_t* upper, std::int32_t* stride);
std::int32_t __kmpc_global_thread_num(BenchIdent*);
}
