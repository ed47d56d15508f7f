// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints how many threads regions have that ask for one thread, for two, that are serialised, and that ask
// for nothing.
#include <cstdio>

int main() {
  int one = 0, two = 0, serialised = 0, any = 0;
#pragma omp parallel num_threads(1)
#pragma omp atomic
  ++one;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  ++two;
#pragma omp parallel if (one == 0)
#pragma omp atomic
  ++serialised;
#pragma omp parallel
#pragma omp atomic
  ++any;
  std::printf("%d %d %d %d\n", one, two, serialised, any);
}
