/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two loops without a clause: the number of iterations of the first one is in the data that gcc hands over,
 * that of the second one behind a pointer in them. */
#include <stdio.h>

enum { k_cells = 3000, k_calls = 2 };
struct grid {
  int count;
  double cells[k_cells];
};

static void __attribute__((noinline)) in_data(int count, double* cells) {
#pragma omp parallel for
  for (int i = 0; i < count; ++i) cells[i] += i;
}
static void __attribute__((noinline)) behind_a_pointer(struct grid* grid) {
#pragma omp parallel for
  for (int i = 0; i < grid->count; ++i) grid->cells[i] += i;
}

int main(void) {
  static struct grid grid = {k_cells, {0}};
  for (int k = 0; k < k_calls; ++k) {
    in_data(k_cells, grid.cells);
    behind_a_pointer(&grid);
  }
  printf("%g\n", grid.cells[k_cells - 1]);
  return 0;
}
