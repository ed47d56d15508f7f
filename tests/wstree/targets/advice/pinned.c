/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program binds itself, and so its threads, to one processor. */
#define _GNU_SOURCE
#include "work.h"
#include <sched.h>

int main(void) {
  static double x[400];
  cpu_set_t all, one;
  int cpu = 0;
  sched_getaffinity(0, sizeof all, &all);
  while (!CPU_ISSET(cpu, &all)) ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
  for (int round = 0; round < 4; ++round)
#pragma omp parallel for schedule(runtime) num_threads(2)
    for (int i = 0; i < 400; ++i) x[i] += burn(100000, i);
  printf("%.6f\n", x[399]);
}
