// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four loops of 100 iterations each, for two threads. Exit status 1: not each iteration ran once.
#include <atomic>

int main(int count, char**) {
  std::atomic<int> done{0};
  const int n = 100 * count;
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) done.fetch_add(1);
#pragma omp for schedule(runtime) nowait
    for (long i = n; i > 0; --i) done.fetch_add(1);
#pragma omp for schedule(dynamic, 7)
    for (unsigned i = 0; i < static_cast<unsigned>(n); ++i) done.fetch_add(1);
#pragma omp for schedule(runtime)
    for (unsigned long i = 0; i < 3UL * static_cast<unsigned long>(n); i += 3) done.fetch_add(1);
  }
  return done == 4 * n ? 0 : 1;
}
