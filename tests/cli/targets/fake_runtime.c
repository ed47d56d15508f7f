/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The names that an OpenMP runtime exports, for programs that only have to import them. Like the real ones it
 * can load libraries.
 */
#include <dlfcn.h>
#include <stddef.h>

void __kmpc_dispatch_init_4(void);
void GOMP_loop_maybe_nonmonotonic_runtime_start(void);

void __kmpc_dispatch_init_4(void) { dlopen(NULL, RTLD_LAZY); }
void GOMP_loop_maybe_nonmonotonic_runtime_start(void) { dlopen(NULL, RTLD_LAZY); }
