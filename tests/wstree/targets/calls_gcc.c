/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Imports one entry of gcc's OpenMP runtime, or two. */
#include <stdio.h>
#ifndef SECOND
#define SECOND ENTRY
#endif

void ENTRY(void);
void SECOND(void);

int main(void) {
  ENTRY();
  SECOND();
  puts("ran");
  return 0;
}
