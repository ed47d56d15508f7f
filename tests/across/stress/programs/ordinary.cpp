// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program as users write them, for tools that look for mistakes: loops that hand data on through their
// barriers, a reduction, loops without barriers that touch nothing of each other's. Under --race one counter
// is raised by all threads, which is a mistake, and one that only a tool sees.
//
//   ordinary [--race] [--rounds N]
#include "omp_decls.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#include <sched.h>

namespace {

std::atomic<long> met{0};
thread_local long met_in_round = -1;

/// Lets at least two members take part in a round, without ordering anything between them.
void meet(long round) {
  if (met_in_round == round) return;
  met_in_round = round;
  met.fetch_add(1, std::memory_order_relaxed);
  while (met.load(std::memory_order_relaxed) < 2 * (round + 1)) sched_yield();
}

} // namespace

int main(int argc, char** argv) {
  bool race = false;
  long rounds = 50;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--race") == 0) race = true;
    if (std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) rounds = std::atol(argv[++i]);
  }
  constexpr long k_n = 2'000;
  std::vector<long> first(k_n), second(k_n), third(k_n);
  long count = 0;
  for (long round = 0; round < rounds; ++round) {
    long sum = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(runtime)
      for (long i = 0; i < k_n; ++i) {
        first[static_cast<std::size_t>(i)] = i + round;
        if (race) {
          meet(round);
          ++count;
        }
      }
#pragma omp for schedule(runtime) nowait
      for (long i = 0; i < k_n; ++i)
        second[static_cast<std::size_t>(i)] = first[static_cast<std::size_t>(k_n - 1 - i)];
#pragma omp for schedule(runtime) nowait
      for (long i = 0; i < k_n; ++i)
        third[static_cast<std::size_t>(i)] = 2 * first[static_cast<std::size_t>(i)];
#pragma omp barrier
#pragma omp for schedule(runtime) reduction(+ : sum)
      for (long i = 0; i < k_n; ++i)
        sum += second[static_cast<std::size_t>(i)] + third[static_cast<std::size_t>(k_n - 1 - i)];
    }
    const long wanted = 3 * std::accumulate(first.begin(), first.end(), 0L);
    if (sum != wanted) {
      std::fprintf(stderr, "round %ld: %ld instead of %ld\n", round, sum, wanted);
      return 1;
    }
  }
  std::printf("%ld rounds are right\n", rounds);
  return count < 0;
}
