/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* To hand out an iteration takes longer than to execute it. */
#include "work.h"

int main(void) {
  enum { n = 4000000 };
  static float x[n];
  double sum = 0;
  for (int round = 0; round < 3; ++round)
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < n; ++i) x[i] = 0.5f * x[i] + (float)(i & 3);
  for (int i = 0; i < n; ++i) sum += x[i];
  printf("%.6f\n", sum);
}
