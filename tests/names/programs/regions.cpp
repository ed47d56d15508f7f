// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain loops behind statements of other lines and functions that gcc inlines.
#include <cstdio>
#include <omp.h>
#include <vector>

int main() {
  std::vector<int> cells, ends(1000);
  for (int i = 0; i < 1000; ++i)
    if (i % 3 != 1) cells.push_back(i);
  int* const cell = cells.data();
  long sum = 0;
#pragma omp parallel for reduction(+ : sum) // LINE plain
  for (int i = 0; i < 600; ++i)
    for (int k = 0; k < i; ++k) sum += cell[i] ^ k;
  for (int i = 0; i < 1000; ++i) ends.push_back(i);
  int* const end = ends.data();
#pragma omp parallel // LINE apart
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const int begin = 1000 * thread / threads, behind = 1000 * (thread + 1) / threads;
#pragma omp barrier // LINE barrier
    for (int i = begin; i < behind; ++i) end[i] += i;
  }
  std::printf("%ld %d\n", sum, end[999]);
}
