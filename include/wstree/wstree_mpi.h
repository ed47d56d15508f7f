/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * Loops that MPI ranks share, for C (C99) and, with module wstree_mpi, for Fortran.
 *
 *     wstree_mpi_loop* loop;
 *     wstree_mpi_open(comm, n, &loop);                  // all ranks
 *     unsigned long long begin, end;
 *     while (wstree_mpi_next(loop, &begin, &end) == 0 && begin < end) {
 *     #pragma omp parallel for schedule(runtime)
 *       for (unsigned long long i = begin; i < end; ++i) work(i);
 *     }
 *     wstree_mpi_close(loop);                           // all ranks
 *
 * There is no library: an MPI has its own ABI. A program compiles wstree/mpi/wstree_mpi.cpp once, with its
 * MPI's mpicxx, -std=c++20 and -fopenmp, and links the object, with -lstdc++ -lm where it is not linked by
 * mpicxx.
 *
 * All functions return MPI_SUCCESS (0) or an error code of MPI; for a wrong use MPI_ERR_OTHER on all ranks,
 * whose text wstree_mpi_error() returns. They are called by the thread that may call MPI, outside of parallel
 * regions.
 */
#pragma once

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A loop that is open. */
typedef struct wstree_mpi_loop wstree_mpi_loop;

/** How a loop is executed. Of these options all but label, stop, on_steal and data are the same on all ranks.
 */
typedef struct wstree_mpi_options {
  const char* label;        /**< its name in statistics, which lives until the loop is closed; NULL: none */
  unsigned long long chunk; /**< iterations that a rank, or a thread, takes at least; 0 and 1: one */
  /** Costs of equal sections of the loop: the ranks begin with shares of equal cost. NaN and numbers below 0
   * count as 0. Read by open and sum, and not afterwards. */
  const double* weights;
  unsigned long long sections; /**< how many weights there are; 0: none */
  int root;                    /**< of a sum: the rank that gets it, all others get 0; -1: all ranks */
  int (*stop)(void* data);     /**< not 0: no rank begins another piece; NULL: none */
  /** Called before iterations begin to end - 1 of another rank's share are executed here; NULL: nothing is.
   */
  void (*on_steal)(unsigned long long begin, unsigned long long end, void* data);
  void* data; /**< for stop and on_steal */
} wstree_mpi_options;
#define WSTREE_MPI_OPTIONS                                                                                   \
  { 0, 1, 0, 0, -1, 0, 0, 0 }

/** No error of MPI: a stop on any rank has left iterations undone. */
#define WSTREE_MPI_CANCELLED (-1)

/** Opens a loop of iterations 0 to n-1, with the same n on all ranks of the communicator. On an error *loop
 * is NULL. */
int wstree_mpi_open(MPI_Comm comm, unsigned long long n, wstree_mpi_loop** loop);
/** The same with options, which are copied but for what stop and on_steal use; NULL: none. */
int wstree_mpi_open_with(MPI_Comm comm, unsigned long long n, const wstree_mpi_options* options,
                         wstree_mpi_loop** loop);

/** The next iterations of this rank, *begin to *end - 1, which are executed before the next call; none when
 * all iterations of all ranks are executed. */
int wstree_mpi_next(wstree_mpi_loop* loop, unsigned long long* begin, unsigned long long* end);

/** Closes the loop on all ranks, which may be NULL. Iterations that no rank has got are executed by none;
 * WSTREE_MPI_CANCELLED, on all ranks, if a stop is why. */
int wstree_mpi_close(wstree_mpi_loop* loop);

/** get(0, data) + ... + get(n - 1, data) on all ranks, with the same bits for any number of ranks and
 * threads. `get` is called by threads of OpenMP's teams. */
int wstree_mpi_sum(MPI_Comm comm, unsigned long long n, double (*get)(unsigned long long i, void* data),
                   void* data, double* sum);
/** The same with options; NULL: none. */
int wstree_mpi_sum_with(MPI_Comm comm, unsigned long long n, const wstree_mpi_options* options,
                        double (*get)(unsigned long long i, void* data), void* data, double* sum);

/** Returns the text of the calling thread's latest error, "" if it had none. The text is valid until the
 * thread's next error. */
const char* wstree_mpi_error(void);

#ifdef __cplusplus
}
#endif
