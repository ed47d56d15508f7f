// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop of 400 iterations of which each rank executes some, and other ranks some of rank 0's; and a fold on
// the ranks of odd numbers. Prints how many iterations each rank has executed: "executed RANK LOOP
// ITERATIONS".
#include "checks.h"

#include <wstree/mpi.hpp>

#include <atomic>
#include <memory>
#include <thread>

using namespace wstree::test;
namespace mpi = wstree::mpi;

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int rank = rank_of();
  auto words = std::make_unique<SharedWords>(2);
  const auto has_begun = (*words)[0], is_stolen = (*words)[1]; // of rank 0's share

  constexpr std::uint64_t k_iterations = 400;
  const std::uint64_t share_of_first = k_iterations / static_cast<std::uint64_t>(ranks_of());
  std::atomic<std::uint64_t> executed{0}, folded{0};
  mpi::for_each(mpi::on(world).label("seen \"ä\""), k_iterations, [&](std::uint64_t i) {
    ++executed;
    if (rank != 0 && i < share_of_first) is_stolen = 1;
    if (rank == 0) has_begun = 1;
    while (has_begun == 0 || (rank == 0 && is_stolen == 0)) std::this_thread::yield();
  });

  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(world, rank % 2, rank, &half);
  if (rank % 2 == 1)
    mpi::fold(
        half, k_iterations, std::uint64_t{0},
        [&](std::uint64_t sum, std::uint64_t begin, std::uint64_t end) {
          folded += end - begin;
          return sum + (end - begin);
        },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
  MPI_Comm_free(&half);
  std::printf("executed %d seen %llu\n", rank, static_cast<unsigned long long>(executed.load()));
  if (rank % 2 == 1)
    std::printf("executed %d folded %llu\n", rank, static_cast<unsigned long long>(folded.load()));
  std::fflush(stdout);
  words.reset();
  MPI_Finalize();
  return 0;
}
