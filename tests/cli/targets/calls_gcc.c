/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Imports the loop entry of gcc's OpenMP runtime. */
#include <stdio.h>

void GOMP_loop_maybe_nonmonotonic_runtime_start(void);

int main(void) {
  GOMP_loop_maybe_nonmonotonic_runtime_start();
  puts("ran");
  return 0;
}
