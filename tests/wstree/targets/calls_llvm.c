/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Imports the loop dispatch of LLVM's OpenMP runtime, as a program with a schedule(runtime) loop does. */
#include <stdio.h>

void __kmpc_dispatch_init_4(void);

int CALLER(void) {
  __kmpc_dispatch_init_4();
  puts("ran");
  return 0;
}
