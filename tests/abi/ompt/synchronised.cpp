// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For a thread sanitizer: threads share data, and loops, barriers and regions keep them apart. With an
// argument nothing does.
#include <cstdio>

namespace {
int g_shared[1000];
int g_unprotected = 0;
} // namespace

int main(int count, char**) {
  const int n = 1000 / count * count;
  long sum = 0;
  for (int round = 0; round < 20; ++round) {
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic, 10)
      for (int i = 0; i < n; ++i) g_shared[i] += i;
#pragma omp for schedule(dynamic, 7)
      for (int i = 0; i < n; ++i) g_shared[n - 1 - i] += 1;
      if (count > 1) ++g_unprotected;
    }
    for (int i = 0; i < n; ++i) sum += g_shared[i];
  }
  std::printf("sum %ld\n", sum);
  return 0;
}
