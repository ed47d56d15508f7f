// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sweep over parameters that are not replicated: each rank holds those of its share in a window, and a rank
// that steals fetches what it needs.
//
//   mpicxx -std=c++20 -O2 -fopenmp sweep.cpp -o sweep
//   mpirun -np 4 sweep [PARAMETERS]
#include <wstree/mpi.hpp>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// Steps until the logistic map with this parameter comes back near its start.
double period_of(double parameter) {
  double x = 0.5;
  for (int i = 0; i < 2'000; ++i) x = parameter * x * (1 - x);
  const double start = x;
  for (int steps = 1; steps < 20'000; ++steps) {
    x = parameter * x * (1 - x);
    if (std::fabs(x - start) < 1e-9) return steps;
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  namespace mpi = wstree::mpi;
  int level = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  // Each rank holds a block of parameters, which is the share that it begins with. `here` has room for all,
  // and NaN for what is not here.
  const std::uint64_t parameters = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 20'000;
  // A multiple of 16 bytes: between ranks of one node MPICH 4.0 reads windows of other sizes 8 bytes beside.
  const std::uint64_t block = (parameters / static_cast<std::uint64_t>(ranks) / 2 + 1) * 2;
  const std::uint64_t n = block * static_cast<std::uint64_t>(ranks);
  double* owned = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate(static_cast<MPI_Aint>(block * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &owned, &window);
  std::vector<double> here(n, std::nan(""));
  const std::uint64_t first = std::min(n, block * static_cast<std::uint64_t>(rank)),
                      behind = std::min(n, first + block);
  MPI_Win_lock_all(0, window);
  for (std::uint64_t i = first; i < behind; ++i)
    here[i] = owned[i - first] = 2.8 + 1.2 * static_cast<double>(i) / static_cast<double>(n);
  MPI_Win_sync(window); // what is stored comes before what others get behind the barrier
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(window);

  std::uint64_t fetched = 0;
  const auto fetch = [&](std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      const std::uint64_t owner = begin / block,
                          part = (end < (owner + 1) * block ? end : (owner + 1) * block) - begin;
      MPI_Get(&here[begin], static_cast<int>(part), MPI_DOUBLE, static_cast<int>(owner),
              static_cast<MPI_Aint>(begin - owner * block), static_cast<int>(part), MPI_DOUBLE, window);
      MPI_Win_flush(static_cast<int>(owner), window);
      begin += part;
      fetched += part;
    }
  };
  double start = MPI_Wtime(), mine = 0, all = 0;
  for (std::uint64_t i = first; i < behind; ++i) mine += period_of(here[i]);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // whole numbers: in any order
  const double equal = MPI_Wtime() - start;

  start = MPI_Wtime();
  const double sum = mpi::sum(mpi::on(MPI_COMM_WORLD).label("sweep").on_steal(fetch), n,
                              [&](std::uint64_t i) { return period_of(here[i]); });
  const double shared = MPI_Wtime() - start;
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  const bool is_right = sum == all && sum > 0;
  if (!is_right) std::printf("rank %d: the sum is %.0f instead of %.0f\n", rank, sum, all);
  std::printf("rank %d: sum %.0f, equal shares %.3f s, shared by stealing %.3f s, %llu parameters fetched\n",
              rank, sum, equal, shared, static_cast<unsigned long long>(fetched));
  MPI_Finalize();
  return is_right ? 0 : 1;
}
