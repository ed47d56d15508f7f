/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counters of all threads lie in one cache line. */
#include "work.h"
#include <omp.h>

int main(void) {
  static volatile long hits[64];
  long sum = 0;
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 20000; ++i)
    for (int k = 0; k < 40000; ++k) hits[omp_get_thread_num() % 64] += k & 1;
  for (int t = 0; t < 64; ++t) sum += hits[t];
  printf("%ld\n", sum);
}
