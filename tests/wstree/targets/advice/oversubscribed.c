/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Four threads for each processor. */
#define _GNU_SOURCE
#include "work.h"
#include <omp.h>

int main(void) {
  static double x[400];
  for (int round = 0; round < 4; ++round)
#pragma omp parallel for schedule(runtime) num_threads(4 * omp_get_num_procs())
    for (int i = 0; i < 400; ++i) x[i] += burn(200000, i);
  printf("%.6f\n", x[399]);
}
