/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Public C interface of libwstree (C99).
 *
 * A program does not need this header: OMP_SCHEDULE=wstree is enough. It is for programs that want to choose
 * a schedule from their own code or to know whether it is there. All functions may be called from any thread
 * at any time, but not in a signal handler. They report no errors. Their waits:
 *
 * - wstree_version and wstree_loops_served wait for nothing and take no lock.
 * - wstree_is_active, wstree_label and wstree_hint do not, either, but for the first call of a process, which
 *   may read the settings while other threads wait, and for the first call of an object that was opened by
 *   dlopen, which may walk the dynamic linker's list of objects. The first wstree_hint walks that list if the
 *   process has not asked for the library before. It waits while another thread changes or walks the list.
 * - wstree_statistics_json waits for another thread that writes statistics.
 * - The sums open a parallel region, and wait for its threads.
 *
 * A program that has to run without the library as well defines WSTREE_WEAK before it includes this header.
 * It need not be linked with the library then, and asks before each call whether it is there:
 *
 *     #define WSTREE_WEAK
 *     #include <wstree/wstree.h>
 *     if (wstree_label) wstree_label("assembly");
 */
#pragma once

#ifdef WSTREE_WEAK
#define WSTREE_C_API __attribute__((weak))
#else
#define WSTREE_C_API
#endif

#include <stddef.h>

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
 * NULL or "" takes a label back that no loop has had. A label that was set in a region does not outlive it. A
 * loop that the library cannot see, such as one with schedule(static), leaves the label to the next one.
 *
 * Without statistics, traces and rules this does next to nothing; with them it takes some 50 ns.
 */
WSTREE_C_API void wstree_label(const char* text);

/**
 * Says how the first loop of the next parallel region that the calling thread opens is to be shared out:
 *
 *     wstree_hint(omp_sched_wsstatic, 0);   // every iteration takes as long
 *     wstree_hint(omp_sched_wstree, 64);    // uneven; at least 64 iterations at a time
 *     #pragma omp parallel for schedule(runtime)
 *
 * `kind` and `chunk` are those of omp_set_schedule, which would hold for all later loops. A chunk outside of
 * 0 to 67108863 counts as the nearer of these two. A kind that is not in the enumeration above, such as 0 or
 * omp_sched_static, is no error: it takes a hint back that no region has had. A setuid program, and one whose
 * WSTREE_LOOPS lets no loop be served, ignores hints. The loop may also say dynamic, guided or auto, and is
 * served without OMP_SCHEDULE; loops that the library cannot see leave the hint to the next one of the
 * region. Rules in WSTREE_RULES win over hints. A region without a loop has used up its hint.
 * If nothing else has asked for the library, the first hint of a process wakes it up; a label that was given
 * before that is lost.
 */
WSTREE_C_API void wstree_hint(int kind, int chunk);

/**
 * Writes the statistics of the loops so far as JSON into `buffer`, at most `size` bytes with the 0 at the
 * end, and returns how many bytes the whole text has without it, as snprintf does:
 *
 *     size_t size = wstree_statistics_json(NULL, 0) + 1000;   // other threads may go on
 *     char* text = malloc(size);
 *     if (wstree_statistics_json(text, size) < size) puts(text);
 *
 * The text is that of WSTREE_STATS=json; without WSTREE_STATS nothing is counted, and it has no loops.
 * Threads that count meanwhile are not held up. One thread writes at a time: the others yield the processor,
 * and return 0, with "" in `buffer`, if it is not their turn after 10,000 yields.
 */
WSTREE_C_API size_t wstree_statistics_json(char* buffer, size_t size);

/**
 * The sum of `count` numbers, and of the products of two times so many. By the same additions for every
 * number of threads, on every machine: the bits are those of wstree::sum and wstree::inner_product of the C++
 * library. (Its inner_product has them if the compiler fuses no multiplication with an addition:
 * -ffp-contract=off where the machine could.) They round as sums of short blocks do, which
 * are added in pairs.
 *
 * Long ones are shared by a team of the calling thread's, as many as a parallel region would have but at most
 * 64, if the program has an OpenMP runtime and the thread may open a region; else the thread is alone. In a
 * region each member that calls sums for itself. 0 for no numbers, whose pointers may be NULL.
 *
 * More than 2,048 numbers take 57 KB of the calling thread's stack, 32 KB if they are floats.
 */
WSTREE_C_API double wstree_sum_double(const double* numbers, size_t count);
WSTREE_C_API float wstree_sum_float(const float* numbers, size_t count);
WSTREE_C_API double wstree_dot_double(const double* left, const double* right, size_t count);
WSTREE_C_API float wstree_dot_float(const float* left, const float* right, size_t count);

/** Number of loop executions that were served so far in this process, over all threads; 0 unless WSTREE_STATS
 * is set. */
WSTREE_C_API unsigned long long wstree_loops_served(void);

#ifdef __cplusplus
}
#endif
