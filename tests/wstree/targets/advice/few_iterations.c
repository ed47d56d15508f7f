/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Three iterations for two threads. */
#include "work.h"

int main(void) {
  static double x[3];
  for (int round = 0; round < 5; ++round)
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 3; ++i) {
      nap(20000);
      x[i] += burn(100, i);
    }
  printf("%.6f\n", x[0] + x[1] + x[2]);
}
