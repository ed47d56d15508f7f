// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of omp.h that the test programs use. Several compilers build them and not each finds an omp.h of
// its own on a machine whose runtimes are unpacked side by side; the functions are the standard's, so their
// declarations are too.
#pragma once

extern "C" {
enum omp_sched_t : unsigned {
  omp_sched_static = 1,
  omp_sched_dynamic = 2,
  omp_sched_guided = 3,
  omp_sched_auto = 4,
  omp_sched_monotonic = 0x80000000u
};
int omp_get_thread_num();
int omp_get_num_threads();
int omp_get_max_threads();
int omp_get_level();
int omp_get_cancellation();
int omp_in_parallel();
void omp_set_num_threads(int);
void omp_set_dynamic(int);
void omp_set_max_active_levels(int);
void omp_set_schedule(omp_sched_t, int chunk);
void omp_get_schedule(omp_sched_t*, int* chunk);
int omp_get_team_num();
}

/// The schedules that the library adds to the standard's, wstree, wsrange, ... wsstatic; the values are part
/// of its public interface.
constexpr unsigned k_own_schedules = 9;
constexpr omp_sched_t own_schedule(unsigned which) { return static_cast<omp_sched_t>(0x77u + which); }
constexpr omp_sched_t k_sched_wstree = own_schedule(0);
constexpr int k_most_chunk = (1 << 26) - 1; // of these
