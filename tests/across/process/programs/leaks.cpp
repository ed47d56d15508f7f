// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of memory that the library keeps for a thread: of teams, six of them inside each other, of
// taskloops and of loops with one member. Built with leak checkers, which look for it when the program ends.
#include <cstdio>

namespace {

long sum_inside(int depth) {
  long sum = 0;
#pragma omp parallel num_threads(1) reduction(+ : sum)
  {
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 100; ++i) sum += i;
    if (depth > 1) sum += sum_inside(depth - 1);
  }
  return sum;
}

} // namespace

int main() {
  long sum = sum_inside(6);
#pragma omp parallel num_threads(4) reduction(+ : sum)
  {
#pragma omp for schedule(runtime)
    for (int i = 0; i < 1000; ++i) sum += i;
#pragma omp single
#pragma omp taskloop
    for (int i = 0; i < 100; ++i)
      if (i < 0) std::puts("never");
  }
  std::printf("sum %ld\n", sum);
}
