/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Costs rise in one loop and fall in the next, which threads enter without waiting: equal parts of both are
 * even. */
#include "work.h"

int main(void) {
  enum { n = 200 };
  static double x[n], y[n];
  double sum = 0;
#pragma omp parallel
  for (int round = 0; round < 4; ++round) {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < n; ++i) {
      nap(10 * i);
      x[i] += burn(100, i);
    }
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) {
      nap(10 * (n - 1 - i));
      y[i] += burn(100, i);
    }
  }
  for (int i = 0; i < n; ++i) sum += x[i] + y[i];
  printf("%.6f\n", sum);
}
