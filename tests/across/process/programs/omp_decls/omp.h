/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the C++ library needs of omp.h, for compilers whose own is not installed. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
int omp_get_thread_num(void);
int omp_get_num_places(void);
int omp_get_num_procs(void);
int omp_get_num_threads(void);
int omp_get_place_num_procs(int place);
void omp_get_place_proc_ids(int place, int* ids);
void omp_set_num_threads(int);
int omp_get_max_threads(void);
int omp_in_parallel(void);
int omp_get_active_level(void);
int omp_get_max_active_levels(void);
#ifdef __cplusplus
}
#endif
