// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the OpenMP runtime, because libomp reads the processor's clock then; forbids itself to read it; and
// executes loops of several kinds. Prints the sum of their iterations. Status 77: it cannot forbid that here.
#include "omp_decls.h"

#define WSTREE_WEAK
#include <wstree/wstree.h>

#include <cstdio>
#include <sys/prctl.h>

namespace {

constexpr int k_iterations = 20'000;

long run_loops() {
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < k_iterations; ++i) sum += i;
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < k_iterations; ++i) sum += i;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < k_iterations; ++i) sum += i;
  }
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < k_iterations; ++i) sum += i;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(1)
  for (int i = 0; i < k_iterations; ++i) sum += i;
#pragma omp for schedule(runtime)
  for (int i = 0; i < k_iterations; ++i) sum += i;
  return sum;
}

} // namespace

int main() {
  (void)omp_get_max_threads();
  int how = 0;
  if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV) != 0 || prctl(PR_GET_TSC, &how) != 0 || how != PR_TSC_SIGSEGV)
    return 77;
  long sum = 0;
  for (int round = 0; round < 20; ++round) {
    if (wstree_hint != nullptr) wstree_hint(omp_sched_wsrange, 1);
    sum += run_loops();
  }
  char figures[1024];
  if (wstree_statistics_json != nullptr && wstree_statistics_json(figures, sizeof figures) == 0) return 1;
  std::printf("sum %ld\n", sum);
  return 0;
}
