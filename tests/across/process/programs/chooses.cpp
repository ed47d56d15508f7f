// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose only call of the OpenMP API, before its first region, asks for a schedule of the library.
// Linked with the library it may have no runtime yet at that time. Fails if its wish is lost.
#include <wstree/wstree.h>

#include <cstdio>

extern "C" void omp_set_schedule(int kind, int chunk);

int main() {
  constexpr int k_iterations = 1000;
  omp_set_schedule(omp_sched_wstree, 4);
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum) num_threads(2)
  for (int i = 0; i < k_iterations; ++i) sum += i;
  std::printf("%ld, active: %d\n", sum, wstree_is_active());
  return sum == k_iterations * (k_iterations - 1L) / 2 && wstree_is_active() == 1 ? 0 : 1;
}
