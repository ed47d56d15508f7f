/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C interface: names for loops, a schedule for one of them, a sum whose bits do not depend on the
 * threads, and the statistics from inside the program. It runs without the library as well, and is not linked
 * with it.
 *
 *   gcc -O2 -fopenmp labelled.c -lm -o labelled
 *   ./labelled
 *   WSTREE_STATS=1 OMP_SCHEDULE=wstree LD_PRELOAD=$(wstree path) ./labelled
 */
#define WSTREE_WEAK
#include <wstree/wstree.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows of a sparse matrix have from 1 to 512 entries. */
static void assemble(double* rows, int n) {
  if (wstree_label) wstree_label("assembly");
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) {
    double sum = 0;
    for (int j = 0; j <= i % 512; ++j) sum += 1.0 / (1.0 + i + j);
    rows[i] = sum;
  }
}

/* All rows take as long. */
static void scale(double* rows, int n) {
  if (wstree_hint) wstree_hint(omp_sched_wsstatic, 0);
  if (wstree_label) wstree_label("scaling");
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < n; ++i) rows[i] = sqrt(rows[i]);
}

static void print_statistics(void) {
  const size_t size = wstree_statistics_json(NULL, 0) + 1;
  char* text = malloc(size);
  if (text == NULL) exit(1);
  wstree_statistics_json(text, size);
  printf("%s", text);
  free(text);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 3000;
  if (n < 1 || n > 100000) return 2;
  double* rows = malloc(sizeof(double) * (size_t)n);
  if (rows == NULL) return 1;
  assemble(rows, n);
  scale(rows, n);
  if (wstree_dot_double) {
    printf("norm %a, the same for every number of threads\n", sqrt(wstree_dot_double(rows, rows, (size_t)n)));
    printf("sum %a\n", wstree_sum_double(rows, (size_t)n));
  } else {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += rows[i] * rows[i];
    printf("norm about %.10f, without libwstree\n", sqrt(sum));
  }
  if (argc > 2 && wstree_statistics_json) print_statistics();
  free(rows);
  return 0;
}
