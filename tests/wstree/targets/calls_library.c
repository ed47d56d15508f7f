/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Has no loop of its own, but a library with one. */
int loops_of_library(void);

int main(void) { return loops_of_library(); }
