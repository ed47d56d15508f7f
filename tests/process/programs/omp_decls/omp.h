/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the C++ library needs of omp.h, for compilers whose own is not installed. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
int omp_get_active_level(void);
int omp_get_max_active_levels(void);
#ifdef __cplusplus
}
#endif
