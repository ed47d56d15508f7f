// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A region of a program in which threads round in different ways, or ask for exceptions.
#include <fenv.h>

void no_rounding_of_a_thread(int n, double* a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = 1.0 / (i + 3);
}
void set_rounding(int is_up) { fesetround(is_up ? FE_UPWARD : FE_DOWNWARD); }
