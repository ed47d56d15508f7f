/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What each iteration prints has to be in order. */
#include "work.h"

int main(void) {
#pragma omp parallel for ordered schedule(runtime)
  for (int i = 0; i < 100; ++i) {
    const double x = burn(1000, i);
#pragma omp ordered
    if (i == 99) printf("%.6f\n", x);
  }
}
