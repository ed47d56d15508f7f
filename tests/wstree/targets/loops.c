/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An OpenMP program with one loop, whose schedule is fixed when it is built. Ends with the status that its
 * first argument says, if every iteration ran once.
 */
#include <stdio.h>
#include <stdlib.h>

#ifdef IS_dynamic
int omp_get_thread_num(void); /* a region that asks for it is no static loop yet */
#else
#define omp_get_thread_num() 0
#endif

int main(int argc, char** argv) {
  static int runs[1000];
#ifdef IS_barred /* the proof refuses regions with barriers */
#pragma omp parallel
  {
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 1000; ++i) runs[i] += 1;
  }
#else
#pragma omp parallel for schedule(SCHEDULE)
  for (int i = 0; i < 1000; ++i) runs[i] += omp_get_thread_num() >= 0;
#endif
  for (int i = 0; i < 1000; ++i) {
    if (runs[i] != 1) return 99;
  }
  puts("ran");
  return argc > 1 ? atoi(argv[1]) : 0;
}
