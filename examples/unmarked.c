/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A loop without a pragma, which gcc makes parallel: row i of a triangle has i terms. gcc has to see that
 * iterations are independent, so the sums go into an array of their own.
 *
 *   gcc -O2 -ftree-parallelize-loops=4 --param=parloops-schedule=runtime unmarked.c -lm -o unmarked
 *   wstree run --stats -- ./unmarked 12000
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Apart, so that the promise of `restrict` reaches the loop. */
__attribute__((noinline)) static void rows(double* restrict sums, const double* restrict terms, int n) {
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = 0; k <= i; ++k) sum += terms[k] * terms[k];
    sums[i] = sum;
  }
}

static double now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 12000;
  if (n < 1) {
    fprintf(stderr, "usage: unmarked [ROWS]\n");
    return 2;
  }
  double* const sums = calloc((size_t)n, sizeof *sums);
  double* const terms = calloc((size_t)n, sizeof *terms);
  if (sums == NULL || terms == NULL) return 2;
  for (int i = 0; i < n; ++i) terms[i] = 1;
  const double begin = now();
  rows(sums, terms, n);
  const double end = now();
  double all = 0;
  for (int i = 0; i < n; ++i) all += sums[i];
  const double expected = 0.5 * n * (n + 1.0);
  printf("%.0f terms in %.1f ms\n", all, 1e3 * (end - begin));
  free(sums);
  free(terms);
  if (fabs(all - expected) < 0.5) return 0;
  fprintf(stderr, "%.0f were expected\n", expected);
  return 1;
}
