// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many loops one after the other without a barrier between them: a thread that finds nothing left to do in
// one goes on to the next (nowait), so that members of the team are in different loops at the same time. The
// work is the length of Collatz orbits (n -> n/2 or 3n + 1 until 1), which jumps from number to number.
//
//   clang++ -O2 -fopenmp pipeline.cpp -o pipeline
//   OMP_SCHEDULE=guided ./pipeline 64 20000
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>

static int orbit_length(unsigned long n) {
  int length = 0;
  for (; n > 1; ++length) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return length;
}

// The same in order and from the lengths that are known already, which a parallel loop cannot do.
static std::vector<int> all_lengths(unsigned long end) {
  std::vector<int> known(end, 0);
  for (unsigned long start = 2; start < end; ++start) {
    unsigned long n = start;
    int steps = 0;
    for (; n >= start; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    known[start] = steps + known[n];
  }
  return known;
}

int main(int argc, char** argv) {
  const int stages = argc > 1 ? std::atoi(argv[1]) : 64;
  const int length = argc > 2 ? std::atoi(argv[2]) : 20000;
  if (argc > 3 || stages < 1 || stages > 10000 || length < 1 || length > 1000000) {
    std::fputs("usage: pipeline [STAGES [LENGTH]]\n", stderr);
    return 2;
  }
  const std::size_t size = static_cast<std::size_t>(stages) * static_cast<std::size_t>(length);
  std::vector<int> lengths(size, 0), longest(static_cast<std::size_t>(stages), 0);

  const double start = omp_get_wtime();
#pragma omp parallel
  {
    for (int stage = 0; stage < stages; ++stage) {
      int* out = &lengths[static_cast<std::size_t>(stage) * length];
      const unsigned long first = static_cast<unsigned long>(stage) * static_cast<unsigned long>(length);
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < length; ++i) out[i] += orbit_length(first + static_cast<unsigned long>(i));
    }
    // What follows reads the results of all stages.
#pragma omp barrier
#pragma omp for schedule(runtime)
    for (int stage = 0; stage < stages; ++stage) {
      const auto begin = lengths.begin() + static_cast<long>(stage) * length;
      longest[stage] = *std::max_element(begin, begin + length);
    }
  }
  const double seconds = omp_get_wtime() - start;

  std::printf("pipeline %d %d: longest orbit %d; %d threads, %.6f s\n", stages, length,
              *std::max_element(longest.begin(), longest.end()), omp_get_max_threads(), seconds);
  if (lengths != all_lengths(size) || *std::max_element(longest.begin(), longest.end()) !=
                                          *std::max_element(lengths.begin(), lengths.end())) {
    std::fputs("pipeline: an orbit has the wrong length\n", stderr);
    return 1;
  }
  return 0;
}
