/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * A loop without a pragma, which gcc makes parallel. */
#include "front.h"

__attribute__((noinline)) static void loop(const uint64_t* restrict units, uint64_t* restrict results,
                                           uint64_t n) {
  for (uint64_t i = 0; i < n; ++i) results[i] = front_spin(i, units[i]);
}

void front_execute(const uint64_t* units, uint64_t* results, uint64_t n, int way) {
  if (way == front_alone)
    front_execute_alone(units, results, n);
  else
    loop(units, results, n);
}
