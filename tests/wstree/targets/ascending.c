/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A loop that counts on what gcc's runtime does with schedule(dynamic): lower iterations begin before higher
 * ones. */
#include <omp.h>
#include <sched.h>
#include <stdio.h>

enum { k_iterations = 1000 };

int main(void) {
  int begun = 0, ascending = 1;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < k_iterations; ++i) {
    int before;
#pragma omp atomic capture
    before = begun++;
    /* All lower ones have been handed out, and each of the other threads may have to count its own yet. */
    if (before < i - omp_get_num_threads() + 1) {
#pragma omp atomic write
      ascending = 0;
    }
    int now = before + 1;
    while (i == 0 && now < 2 && omp_get_num_threads() > 1) { /* until a second thread has come */
      sched_yield();
#pragma omp atomic read
      now = begun;
    }
  }
  puts(ascending ? "ascending" : "in any order");
  return 0;
}
