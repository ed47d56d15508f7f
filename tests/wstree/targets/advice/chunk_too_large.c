/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One chunk has all iterations. */
#include "work.h"

int main(void) {
  static double x[48];
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 1000)
  for (int i = 0; i < 48; ++i) {
    nap(5000);
    x[i] = burn(100, i);
  }
  for (int i = 0; i < 48; ++i) sum += x[i];
  printf("%.6f\n", sum);
}
