/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Imports one entry of gcc's OpenMP runtime. */
#include <stdio.h>

void ENTRY(void);

int main(void) {
  ENTRY();
  puts("ran");
  return 0;
}
