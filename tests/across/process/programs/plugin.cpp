// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plugin with loops in it, as an extension module of an interpreter is one: its host knows nothing of
// OpenMP. Built several times, with different runtimes.
#include "omp_decls.h"

extern "C" long run_loops() {
  long sum = 0;
  for (int region = 0; region < 5; ++region) {
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp for schedule(dynamic, 3)
      for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp for schedule(runtime)
      for (long i = 1000; i > 0; --i) sum += i - 1;
    }
  }
  return sum; // 7492500
}

extern "C" void start_runtime() { (void)omp_get_max_threads(); }

extern "C" unsigned schedule_kind() {
  omp_sched_t kind{};
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  return kind;
}
