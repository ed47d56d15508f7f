// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The guide's functions in C, against loops of one thread. Without an argument it is the solver of the
// guide's commands; with one it executes the functions of before, which count on ascending iterations.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wstree/wstree.h>

enum { k_rows = 1500 };

// Takes as long as its number is large.
static double row(int i) {
  double sum = 0;
  for (int k = 1; k <= i + 1; ++k) sum += 1.0 / k;
  return sum;
}

static int is_hit(int i) { return row(i) > 7.5 && i % 5 == 3; }

#include "snippets.c"

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "wrong: %s\n", what);
  exit(1);
}

int main(int argc, char** argv) {
  (void)argv;
  static double x[k_rows], wanted[k_rows];
  static int found[k_rows], wanted_found[k_rows];
  static char hit[k_rows], passed[k_rows];
  static unsigned short seed[1024][3];
  int hits = 0;
  for (int i = 0; i < k_rows; ++i) {
    wanted[i] = row(i);
    if (is_hit(i)) wanted_found[hits++] = i;
  }
  expect(hits > 10, "the hits");
  if (argc > 1) {
    expect(list_before(k_rows, found) == hits, "list_before");
    draw_before(k_rows, x, seed);
    return first_before(k_rows) == wanted_found[0] ? 0 : 1;
  }
  rows_after(k_rows, x);
  expect(memcmp(x, wanted, sizeof x) == 0, "rows_after");
  memset(x, 0, sizeof x);
  tasks_after(k_rows, x);
  expect(memcmp(x, wanted, sizeof x) == 0, "tasks_after");

  expect(list_after(k_rows, found, hit) == hits &&
             memcmp(found, wanted_found, (size_t)hits * sizeof *found) == 0,
         "list_after");
  expect(first_after(k_rows) == wanted_found[0], "first_after");
  expect(first_with_work(k_rows, passed) == wanted_found[0], "first_with_work");
  for (int i = 0; i < k_rows; ++i) expect(passed[i] != hit[i], "the work of first_with_work");

  draw_after(k_rows, x, 5, 3);
  double mean = 0;
  for (int i = 0; i < k_rows; ++i) {
    uint64_t state = ((uint64_t)(3 * k_rows + i) << 32) + 5;
    expect(x[i] == uniform(&state), "draw_after");
    mean += x[i] / k_rows;
  }
  expect(mean > 0.47 && mean < 0.53, "the mean of what is drawn");
  printf("%a\n", sum_after(k_rows, x));
  return 0;
}
