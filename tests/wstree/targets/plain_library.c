/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A library that does nothing. */
int plain_answer(void);
int plain_answer(void) { return 42; }
