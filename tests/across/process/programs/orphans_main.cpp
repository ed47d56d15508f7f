// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// orphans [--nested]: regions whose members execute loops of this program and of a library, and open regions
// of one thread.
#include <cstdio>

/// The part of the calling member of 0 + 1 + ... + (n - 1), twice.
long orphaned_loops(int n);

int main(int argc, char**) {
  constexpr int k_n = 1000;
  long wrong = 0;
  for (int round = 0; round < 100; ++round) {
    long sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
    {
#pragma omp for schedule(runtime) nowait
      for (int i = 0; i < k_n; ++i) sum += i;
#pragma omp for schedule(dynamic, 3)
      for (int i = 0; i < k_n; ++i) sum += i;
      sum += orphaned_loops(k_n);
      if (argc > 1) {
#pragma omp parallel num_threads(1) reduction(+ : sum)
        sum += 1;
      }
    }
    if (sum != 4L * k_n * (k_n - 1) / 2 + (argc > 1 ? 3 : 0)) ++wrong;
  }
  std::printf("wrong %ld\n", wrong);
}
