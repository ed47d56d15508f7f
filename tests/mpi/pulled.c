/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The interface of C: each iteration once, a wrong use, a loop that is closed early, a sum. */
#include <wstree/wstree_mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 3000

static void expect(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s (%s)\n", what, wstree_mpi_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static double element(unsigned long long i, void* data) { return *(const double*)data / (double)(i + 1); }

int main(int argc, char** argv) {
  int level, rank, i;
  static int hits[N];
  unsigned long long begin, end;
  wstree_mpi_loop* loop;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  expect(wstree_mpi_open(MPI_COMM_WORLD, N, &loop) == MPI_SUCCESS, "open");
  while (wstree_mpi_next(loop, &begin, &end) == MPI_SUCCESS && begin < end) {
#pragma omp parallel for schedule(runtime)
    for (unsigned long long at = begin; at < end; ++at) ++hits[at];
  }
  expect(wstree_mpi_close(loop) == MPI_SUCCESS, "close");
  MPI_Allreduce(MPI_IN_PLACE, hits, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; i < N; ++i) expect(hits[i] == 1, "an iteration that did not run once");

  /* Closed after the first piece. */
  expect(wstree_mpi_open(MPI_COMM_WORLD, N, &loop) == MPI_SUCCESS, "open again");
  expect(wstree_mpi_next(loop, &begin, &end) == MPI_SUCCESS, "the first piece");
  expect(wstree_mpi_close(loop) == MPI_SUCCESS, "close early");

  expect(wstree_mpi_open(MPI_COMM_WORLD, N + rank, &loop) == MPI_SUCCESS, "open with another size");
  while ((i = wstree_mpi_next(loop, &begin, &end)) == MPI_SUCCESS && begin < end) {
  }
  expect(i == MPI_ERR_OTHER && strstr(wstree_mpi_error(), "different numbers") != NULL, "different sizes");
  wstree_mpi_close(loop);

  /* One rank asks until it is told, the others close at once and are told then. */
  expect(wstree_mpi_open(MPI_COMM_WORLD, N + rank, &loop) == MPI_SUCCESS, "open with another size again");
  while (rank == 0 && (i = wstree_mpi_next(loop, &begin, &end)) == MPI_SUCCESS && begin < end) {
  }
  expect(rank != 0 || i == MPI_ERR_OTHER, "different sizes of which one rank asks");
  i = wstree_mpi_close(loop);
  expect(i == (rank == 0 ? MPI_SUCCESS : MPI_ERR_OTHER), "different sizes at the end");

  double one = 1, sum = 0, again = 0;
  expect(wstree_mpi_sum(MPI_COMM_WORLD, 5000, element, &one, &sum) == MPI_SUCCESS, "sum");
  expect(wstree_mpi_sum(MPI_COMM_SELF, 5000, element, &one, &again) == MPI_SUCCESS, "sum of one rank");
  expect(memcmp(&sum, &again, sizeof sum) == 0 && sum > 9.0 && sum < 9.2, "other bits");
  MPI_Finalize();
  return 0;
}
