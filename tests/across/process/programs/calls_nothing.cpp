// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with a loop and without a call of the OpenMP API: where it is linked with the library, the linker
// finds all that it needs there, and may leave out the runtime.
#include <cstdio>

int main() {
  constexpr int k_iterations = 1000;
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < k_iterations; ++i) sum += i;
  std::printf("%ld\n", sum);
  return sum == k_iterations * (k_iterations - 1L) / 2 ? 0 : 1;
}
