/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An OpenMP program with one loop, whose schedule is fixed when it is built. Ends with the status that its
 * first argument says, if every iteration ran once.
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  static int runs[1000];
#pragma omp parallel for schedule(SCHEDULE)
  for (int i = 0; i < 1000; ++i) ++runs[i];
  for (int i = 0; i < 1000; ++i) {
    if (runs[i] != 1) return 99;
  }
  puts("ran");
  return argc > 1 ? atoi(argv[1]) : 0;
}
