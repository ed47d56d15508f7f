/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Imports one entry of an OpenMP runtime, or two, as a program with such loops does. */
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
