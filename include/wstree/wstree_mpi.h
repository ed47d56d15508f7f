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

/** Opens a loop of iterations 0 to n-1, with the same n on all ranks of the communicator. On an error *loop
 * is NULL. */
int wstree_mpi_open(MPI_Comm comm, unsigned long long n, wstree_mpi_loop** loop);

/** The next iterations of this rank, *begin to *end - 1, which are executed before the next call; none when
 * all iterations of all ranks are executed. */
int wstree_mpi_next(wstree_mpi_loop* loop, unsigned long long* begin, unsigned long long* end);

/** Closes the loop on all ranks, which may be NULL. Iterations that no rank has got are executed by none. */
int wstree_mpi_close(wstree_mpi_loop* loop);

/** get(0, data) + ... + get(n - 1, data) on all ranks, with the same bits for any number of ranks and
 * threads. `get` is called by threads of OpenMP's teams. */
int wstree_mpi_sum(MPI_Comm comm, unsigned long long n, double (*get)(unsigned long long i, void* data),
                   void* data, double* sum);

/** What the last error on this rank was. */
const char* wstree_mpi_error(void);

#ifdef __cplusplus
}
#endif
