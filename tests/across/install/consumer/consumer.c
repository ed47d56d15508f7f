/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <wstree/wstree.h>

#include <stdio.h>

int main(void) {
  printf("wstree %s, active: %d, loops: %llu\n", wstree_version(), wstree_is_active(), wstree_loops_served());
  return wstree_is_active() != 0 || wstree_loops_served() != 0;
}
