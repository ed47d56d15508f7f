// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of short loops with unequal iterations, and of work for one thread between them, which is when
// the other threads of a team spin. Prints the time of all of it in milliseconds.
//   REGIONS UNITS     how many loops, and how long the work between two of them is
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

double spend(int units) {
  double value = units;
  for (int i = 0; i < units; ++i) value = value * 0.999 + 1;
  return value;
}

} // namespace

int main(int argc, char** argv) {
  const int regions = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int between = argc > 2 ? std::atoi(argv[2]) : 10'000;
  const auto start = std::chrono::steady_clock::now();
  double sum = 0;
  for (int region = 0; region < regions; ++region) {
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) sum += spend(100 + 40 * i);
    sum += spend(between);
  }
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  std::printf("%.0f\n", elapsed.count());
  return sum > 0 ? 0 : 1;
}
