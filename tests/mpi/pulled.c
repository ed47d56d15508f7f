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

static int is_stopped(void* data) { return *(int*)data; }

static unsigned long long stolen_begin, stolen_end;
static void note_steal(unsigned long long begin, unsigned long long end, void* data) {
  (void)data;
  stolen_begin = begin, stolen_end = end;
}

/* Rank 0 begins with all iterations; the others steal them, and are told first. */
static void stolen(int rank) {
  static const double weights[] = {1, 0, 0};
  static int hits[N];
  int i;
  unsigned long long begin, end;
  wstree_mpi_loop* loop;
  wstree_mpi_options options = WSTREE_MPI_OPTIONS;
  options.label = "stolen", options.weights = weights, options.sections = 1, options.on_steal = note_steal;
  expect(wstree_mpi_open_with(MPI_COMM_WORLD, N, &options, &loop) == MPI_SUCCESS, "open with options");
  while (wstree_mpi_next(loop, &begin, &end) == MPI_SUCCESS && begin < end) {
    expect(rank == 0 || (stolen_begin <= begin && end <= stolen_end) || stolen_end == 0,
           "not told of a steal");
    for (; begin < end; ++begin) ++hits[begin];
  }
  expect(wstree_mpi_close(loop) == MPI_SUCCESS, "close with options");
  MPI_Allreduce(MPI_IN_PLACE, hits, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (i = 0; i < N; ++i) expect(hits[i] == 1, "an iteration with options that did not run once");
}

/* What is handed out is a part of a piece, so that a rank holds few iterations that turn out to be dear; with
 * a chunk no part is shorter. */
static void parts_of_pieces(void) {
  unsigned long long begin, end, chunk;
  wstree_mpi_loop* loop;
  for (chunk = 1; chunk <= 100; chunk += 99) {
    wstree_mpi_options options = WSTREE_MPI_OPTIONS;
    options.chunk = chunk;
    expect(wstree_mpi_open_with(MPI_COMM_SELF, N, &options, &loop) == MPI_SUCCESS, "open alone");
    while (wstree_mpi_next(loop, &begin, &end) == MPI_SUCCESS && begin < end) {
      expect(chunk != 1 || end - begin <= N / 16, "a whole piece");
      expect(end - begin >= chunk, "a part that is shorter than the chunk");
    }
    expect(wstree_mpi_close(loop) == MPI_SUCCESS, "close alone");
  }
}

/* A stop leaves iterations undone, and all ranks are told. */
static void stopped(MPI_Comm comm, int rank) {
  int wish = 0, status, least, most;
  unsigned long long begin, end, all = 0;
  wstree_mpi_loop* loop;
  wstree_mpi_options options = WSTREE_MPI_OPTIONS;
  options.stop = is_stopped, options.data = &wish;
  expect(wstree_mpi_open_with(comm, N, &options, &loop) == MPI_SUCCESS, "open to stop");
  while (wstree_mpi_next(loop, &begin, &end) == MPI_SUCCESS && begin < end)
    all += end - begin, wish = rank == 0;
  status = wstree_mpi_close(loop);
  expect(comm != MPI_COMM_SELF || (all < N && status == WSTREE_MPI_CANCELLED), "not stopped");
  MPI_Allreduce(&status, &least, 1, MPI_INT, MPI_MIN, comm);
  MPI_Allreduce(&status, &most, 1, MPI_INT, MPI_MAX, comm);
  expect(least == most && (least == MPI_SUCCESS || least == WSTREE_MPI_CANCELLED),
         "ranks that are told other things");
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

  wstree_mpi_options options = WSTREE_MPI_OPTIONS;
  options.root = 1, options.label = "at rank 1";
  expect(wstree_mpi_sum_with(MPI_COMM_WORLD, 5000, &options, element, &one, &sum) == MPI_SUCCESS,
         "sum at a root");
  expect(sum == (rank == 1 ? again : 0), "the root alone has the sum");
  stolen(rank);
  parts_of_pieces();
  stopped(MPI_COMM_SELF, 0);
  stopped(MPI_COMM_WORLD, rank);
  MPI_Finalize();
  return 0;
}
