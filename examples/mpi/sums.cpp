// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brief sums on MPI ranks: wstree::mpi::sum beside the sum of the own share and MPI_Allreduce.
//
//     mpirun -np 2 ./sums [SECONDS] [busy]     seconds for each number of elements (2); beside a busy process
//                                              for each rank
#include <wstree/mpi.hpp>

#include <mpi.h>
#include <omp.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace {

constexpr int k_rounds = 20;

int g_rank = 0, g_ranks = 1;

double element(std::uint64_t i) { return 1.0 / static_cast<double>(i + 1); }

double shared_sum(std::uint64_t n) { return wstree::mpi::sum(MPI_COMM_WORLD, n, element); }

double reduced_sum(std::uint64_t n) {
  const auto rank = static_cast<std::uint64_t>(g_rank), ranks = static_cast<std::uint64_t>(g_ranks);
  double mine = 0, sum = 0;
  for (std::uint64_t i = n * rank / ranks; i < n * (rank + 1) / ranks; ++i) mine += element(i);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

/// Seconds of a call.
struct Times {
  double all = 0;
  std::uint64_t calls = 0;
  double least = 1; ///< in the fastest batch
};

/// Adds calls for so many seconds.
void add_calls(Times& times, double (*sum)(std::uint64_t), std::uint64_t n, double seconds) {
  constexpr int k_batch = 16; // calls between two questions whether the time is over
  double took = 0;
  for (int goes_on = 1; goes_on != 0;) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int call = 0; call < k_batch; ++call) sum(n);
    const double batch = MPI_Wtime() - begin;
    took += batch, times.calls += k_batch, times.least = std::min(times.least, batch / k_batch);
    goes_on = took < seconds ? 1 : 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  times.all += took;
}

/// Each way has half of the time, in turns: a round of a way lasts some time slices.
void measure(std::uint64_t n, double seconds) {
  Times reduced, shared, warm_up;
  add_calls(warm_up, reduced_sum, n, 0);
  add_calls(warm_up, shared_sum, n, 0);
  for (int round = 0; round < k_rounds; ++round) {
    add_calls(reduced, reduced_sum, n, seconds / 2 / k_rounds);
    add_calls(shared, shared_sum, n, seconds / 2 / k_rounds);
  }
  const double mean = reduced.all / static_cast<double>(reduced.calls),
               our_mean = shared.all / static_cast<double>(shared.calls);
  if (g_rank == 0)
    std::printf("%9llu %10.2f %8.2f %7.2f %14.2f %8.2f %7.2f\n", static_cast<unsigned long long>(n),
                reduced.least * 1e6, shared.least * 1e6, shared.least / reduced.least, mean * 1e6,
                our_mean * 1e6, our_mean / mean);
}

} // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  const pid_t own = getpid();
  pid_t busy = -1;
  if (argc > 2 && std::string_view(argv[2]) == "busy") busy = fork();
  if (busy == 0)
    for (volatile unsigned turns = 0; getppid() == own;) turns = turns + 1;
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
  omp_set_num_threads(1);
  if (g_rank == 0)
    std::printf("             least of the calls, us                       mean, us\n"
                "   values  Allreduce      sum   ratio      Allreduce      sum   ratio\n");
  for (const std::uint64_t n : {100, 1'000, 10'000, 100'000, 1'000'000}) measure(n, seconds);
  MPI_Finalize();
  if (busy > 0) kill(busy, SIGKILL);
  return 0;
}
