// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two ranks, of which the second one is stopped for a second in its first iteration: the first one executes
// nearly all of its share meanwhile, and each iteration runs once.
#include "checks.h"

#include <wstree/mpi.hpp>

#include <chrono>
#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#include <unistd.h>

using namespace wstree::test;

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int rank = rank_of();
  expect(ranks_of() == 2, "this is for two ranks");

  int other = static_cast<int>(getpid());
  MPI_Bcast(&other, 1, MPI_INT, 1, world);
  auto words = std::make_unique<SharedWords>(1);
  const auto is_stopped = (*words)[0];

  constexpr std::uint64_t k_iterations = 400, k_alone = 300;
  std::vector<std::uint8_t> hits(k_iterations);
  std::uint64_t executed = 0;
  std::chrono::steady_clock::time_point stopped;
  wstree::mpi::for_each(world, k_iterations, [&](std::uint64_t i) {
    ++hits[i], ++executed;
    if (rank == 1) {
      while (is_stopped == 0) std::this_thread::yield();
      return;
    }
    if (executed == 1) {
      stopped = std::chrono::steady_clock::now();
      kill(other, SIGSTOP);
      is_stopped = 1;
    }
    // Never reached if the units of the stopped rank cannot be taken.
    if (executed == k_alone) {
      std::this_thread::sleep_until(stopped + std::chrono::seconds(1));
      kill(other, SIGCONT);
    }
  });
  expect(rank == 1 || executed >= k_alone, "a stopped rank keeps its share");
  expect_each_once(hits);
  words.reset();
  MPI_Finalize();
  return 0;
}
