/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Public C interface of libwstree (C99).
 *
 * A program does not need this header: OMP_SCHEDULE=wstree is enough. It is for programs that want to choose
 * a schedule from their own code or to know whether it is there. All functions may be called from any thread
 * at any time, take no lock and never fail.
 *
 * A program that has to run without the library as well defines WSTREE_WEAK before it includes this header.
 * It need not be linked with the library then, and asks before each call whether it is there:
 *
 *     #define WSTREE_WEAK
 *     #include <wstree/wstree.h>
 *     if (wstree_label) wstree_label("assembly");
 */
#ifndef WSTREE_WSTREE_H
#define WSTREE_WSTREE_H

#ifdef WSTREE_WEAK
#define WSTREE_C_API __attribute__((weak))
#else
#define WSTREE_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Values of omp_sched_t for the schedules of the library (OpenMP 5.2, section 18.2.11 allows an
 * implementation its own kinds):
 *
 *     omp_set_schedule((omp_sched_t)omp_sched_wstree, 0);
 *
 * The second argument is a number of iterations, at most 67108863. What it means to each schedule stands
 * below; values below 1 mean that none is given, which omp_get_schedule reports as 0 (as 1 for
 * omp_sched_wstree). As with every other kind the setting belongs to the calling task's environment and is
 * inherited by the regions that it opens.
 */
enum {
  omp_sched_wstree = 0x77,  /**< work-stealing tree; the smallest batch, 1 */
  omp_sched_wsrange = 0x78, /**< a range per thread, its last quarter can be stolen; the smallest batch, 1 */
  omp_sched_wsqueue = 0x79, /**< lock-free deques of ranges; the smallest batch, 1 */
  omp_sched_wsqueue_lock = 0x7a, /**< deques with a lock on contention; the smallest batch, 1 */
  omp_sched_wsfixed = 0x7b,      /**< fixed batches from one counter; their size, 1 */
  omp_sched_wsguided = 0x7c,     /**< guided self-scheduling; the smallest batch, 1 */
  omp_sched_wsfac2 = 0x7d,       /**< factoring, half of the rest per round; the smallest batch, 1 */
  omp_sched_wstrapezoid = 0x7e,  /**< trapezoid self-scheduling; the last batch, 1 */
  omp_sched_wsstatic = 0x7f      /**< static; chunks of that size in turn, without one a block per thread */
};

/** Version of the loaded library as "major.minor.patch"; a string that is never freed. */
WSTREE_C_API const char* wstree_version(void);

/**
 * 1 if loops with schedule(runtime) that are opened by the calling task's next parallel region would be
 * served by the library, on any of its schedules, else 0. Asks the OpenMP runtime for the task's schedule; 0
 * as long as no OpenMP runtime is loaded.
 */
WSTREE_C_API int wstree_is_active(void);

/**
 * Names the next loop: the first worksharing loop of the next parallel region that the calling thread opens,
 * or, inside of a region, the next worksharing loop that the calling thread meets. There all members of the
 * team call this with the same text, as they all meet the loop:
 *
 *     wstree_label("assembly");
 *     #pragma omp parallel for schedule(runtime)
 *     for (...) ...
 *
 * Statistics, traces and reports then call the loop so, and rules reach it by label:assembly. The text is
 * copied; its first 63 bytes count, and a process may have 1,024 texts, beyond which loops have no label.
 * NULL or
 * "" takes a label back that no loop has had. A label that was set in a region does not outlive it. A loop
 * that the library cannot see, such as one with schedule(static), leaves the label to the next one.
 *
 * Without statistics, traces and rules this does next to nothing; with them it takes some 50 ns.
 */
WSTREE_C_API void wstree_label(const char* text);

/** Number of loop executions that were served so far in this process, over all threads; 0 unless WSTREE_STATS
 * is set. */
WSTREE_C_API unsigned long long wstree_loops_served(void);

#ifdef __cplusplus
}
#endif

#endif
