// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks for what algorithms of wstree/parallel.hpp ask for, and has no loop of OpenMP.
__attribute__((weak)) int wstree_call_begin(void* call);

int CALLER(void) { return wstree_call_begin != 0 && wstree_call_begin(0) == 2; }
