/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names that an OpenMP runtime exports, for programs that only have to import them: those of gcc's, and
 * with LLVM_TOO those of LLVM's as well, which has both. Like the real ones it can load libraries.
 */
#include <dlfcn.h>
#include <stddef.h>

#define ENTRY(name)                                                                                          \
  void name(void);                                                                                           \
  void name(void) { dlopen(NULL, RTLD_LAZY); }

ENTRY(GOMP_parallel)
ENTRY(GOMP_loop_maybe_nonmonotonic_runtime_start)
ENTRY(GOMP_loop_nonmonotonic_dynamic_start)
ENTRY(GOMP_loop_ordered_runtime_start)
#ifdef LLVM_TOO
ENTRY(__kmpc_fork_call)
ENTRY(__kmpc_dispatch_init_4)
#endif
#ifdef TRACES
extern const char trace_format[];
const char trace_format[] = "__kmp_dispatch_next: T#%d called\n";
#endif
