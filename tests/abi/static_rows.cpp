// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with loops that say nothing: power iteration with a sparse matrix whose rows get longer.
// Guards: the same output however the parts are cut.
//   [ROWS [ITERATIONS]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const auto number = [&](int which, int usual) {
    return argc > which && argv[which][0] != '-' ? std::atoi(argv[which]) : usual;
  };
  const int n = number(1, 2'000);
  const int iterations = number(2, 100);
  const auto size = static_cast<std::size_t>(n);
  std::vector<std::size_t> begins{0}, columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k <= i / 8; ++k) {
      columns.push_back(i >= 7 * k ? i - 7 * k : i);
      values.push_back(1.0 / static_cast<double>(1 + k));
    }
    begins.push_back(columns.size());
  }
  std::vector<double> x(size, 1.0), y(size);
  double norm = 0;
  for (int iteration = 0; iteration < iterations; ++iteration) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      double sum = 0;
      for (std::size_t k = begins[row]; k < begins[row + 1]; ++k) sum += values[k] * x[columns[k]];
      y[row] = sum;
    }
    norm = 0;
    for (const double each : y) norm += each * each;
    norm = std::sqrt(norm);
#pragma omp parallel for
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = y[static_cast<std::size_t>(i)] / norm;
  }
  std::printf("%.17g %.17g\n", norm, x[size / 3]);
}
