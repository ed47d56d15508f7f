/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each iteration reads far more than it computes, from arrays larger than caches. */
#include "work.h"
#include <stdlib.h>

int main(void) {
  enum { pages = 1 << 14, per_page = 512 };
  double *a = malloc(sizeof(double) * pages * per_page), *b = malloc(sizeof(double) * pages * per_page);
  double sum = 0;
  for (long i = 0; i < (long)pages * per_page; ++i) a[i] = b[i] = (double)(i % 7);
  for (int round = 0; round < 60; ++round)
#pragma omp parallel for schedule(runtime)
    for (long page = 0; page < pages; ++page)
      for (long k = 0; k < per_page; ++k)
        a[page * per_page + k] = 0.5 * a[page * per_page + k] + b[page * per_page + k];
  for (long i = 0; i < (long)pages * per_page; ++i) sum += a[i];
  printf("%.6f\n", sum);
}
