// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two ranks, of which the second one executes an iteration for four of the first one, by count and not by
// time: the first one takes over most of its share, and each iteration runs once.
#include "checks.h"

#include <wstree/mpi.hpp>

#include <memory>
#include <thread>
#include <vector>

using namespace wstree::test;

int main(int argc, char** argv) {
  int level = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  const MPI_Comm world = MPI_COMM_WORLD;
  const int rank = rank_of();
  expect(ranks_of() == 2, "this is for two ranks");
  auto words = std::make_unique<SharedWords>(2);
  const auto fast = (*words)[0], slow = (*words)[1]; // executed iterations

  // The last quarter at any speed: the first rank cannot get a piece, which is at most an eighth of the loop.
  constexpr std::uint64_t k_iterations = 4000, k_slowed = 3 * k_iterations / 4, k_times = 4;
  std::vector<std::uint8_t> hits(k_iterations);
  wstree::mpi::for_each(world, k_iterations, [&](std::uint64_t i) {
    ++hits[i];
    work(1000);
    if (rank == 0) {
      ++fast;
    } else {
      // Never ends if the first rank cannot take over what is left.
      while (fast < k_times * slow && fast + slow < k_slowed) std::this_thread::yield();
      ++slow;
    }
  });
  if (rank == 0)
    expect(fast > k_iterations / 2 && fast + slow == k_iterations,
           "the rank that is not slowed did its share only");
  expect_each_once(hits);
  words.reset();
  MPI_Finalize();
  return 0;
}
