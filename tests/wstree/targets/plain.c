/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A program without OpenMP that neither loads nor starts anything. */
#include <stdio.h>

int main(void) {
  puts("ran");
  return 0;
}
