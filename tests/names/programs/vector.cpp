// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop between the life and the death of a vector: the destructor has a place to clean up after an
// exception, far from the rest of main(), and one behind the loop.
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> values(2000000);
#pragma omp parallel for schedule(runtime) // LINE loop
  for (int i = 0; i < 2000000; ++i) {
    double sum = i;
    for (int k = 0; k < i / 20000; ++k) sum = sum * 0.5 + k;
    values[i] = sum;
  }
  std::printf("%f\n", values[999]);
}
