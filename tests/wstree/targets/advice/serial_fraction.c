/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One thread works for most of the time, between short loops. */
#include "work.h"

int main(void) {
  static double x[400];
  double sum = 0;
  for (int round = 0; round < 8; ++round) {
    sum = burn(20000000, sum);
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 400; ++i) x[i] += burn(20000, i);
  }
  printf("%.6f\n", sum + x[399]);
}
