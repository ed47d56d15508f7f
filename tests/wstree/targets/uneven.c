/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An OpenMP program with an uneven loop without a schedule clause that is executed 30 times, and with one of
 * schedule(runtime) if WITH_RUNTIME is defined. With an argument the first loop has other iterations each
 * time.
 */
#include <stdio.h>

static void work(int i, double* sum) {
  for (int k = 0; k < i; ++k) *sum += (double)k / (i + 1);
}

/* What stands behind a pointer is not proven: the loop of the region stays a static one. */
static void (*const volatile call)(int, double*) = work;

int main(int argc, char** argv) {
  (void)argv;
  static double sums[1000];
  for (int round = 0; round < 30; ++round) {
    const int length = argc > 1 ? 1000 - round : 1000;
#pragma omp parallel for
    for (int i = 0; i < length; ++i) call(i, &sums[i]);
#ifdef WITH_RUNTIME
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < 1000; ++i) work(i, &sums[i]);
#endif
  }
  double all = 0;
  for (int i = 0; i < 1000; ++i) all += sums[i];
  printf("%.17g\n", all);
  return 0;
}
