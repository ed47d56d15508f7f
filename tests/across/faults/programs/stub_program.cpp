// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of GCC's for the runtime in stub_runtime.cpp: two inside a region (STUB_APART), or one in one call
// with its region (STUB_COMBINED). Prints "sum N".
#include <unistd.h>

#include <atomic>
#include <cstdio>

int main() {
  alarm(100);
  std::atomic<long> sum{0};
#ifdef STUB_COMBINED
#pragma omp parallel for schedule(runtime)
  for (long i = 0; i < 1000; ++i) sum += i;
#else
#pragma omp parallel
  for (int loop = 0; loop < 2; ++loop) {
#pragma omp for schedule(runtime)
    for (long i = 0; i < 1000; ++i) sum += i;
  }
#endif
  std::printf("sum %ld\n", sum.load());
  return 0;
}
