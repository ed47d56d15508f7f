// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three taskloops of 300 iterations each, for two threads. Exit status 1: not each iteration ran once.
#include <atomic>

int main(int count, char**) {
  std::atomic<int> done{0};
  const int n = 300 * count;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop shared(done)
    for (int i = 0; i < n; ++i) done.fetch_add(1);
#pragma omp taskloop priority(1) shared(done)
    for (long i = n; i > 0; --i) done.fetch_add(1);
#pragma omp taskgroup
#pragma omp taskloop nogroup shared(done)
    for (unsigned i = 0; i < static_cast<unsigned>(n); ++i) done.fetch_add(1);
  }
  return done == 3 * n ? 0 : 1;
}
