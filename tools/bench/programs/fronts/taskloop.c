/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A taskloop without clauses. */
#include "front.h"

void front_execute(const uint64_t* units, uint64_t* results, uint64_t n, int way) {
  if (way == front_alone) {
    front_execute_alone(units, results, n);
    return;
  }
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop
  for (uint64_t i = 0; i < n; ++i) results[i] = front_spin(i, units[i]);
}
