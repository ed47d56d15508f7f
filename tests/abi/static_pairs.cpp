// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with loops that say nothing: bodies that attract each other. Row i of the pairs has n - 1 - i
// partners. Guards: the same output however the parts are cut.
//   [BODIES [STEPS]]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const auto number = [&](int which, int usual) {
    return argc > which && argv[which][0] != '-' ? std::atoi(argv[which]) : usual;
  };
  const int n = number(1, 700);
  const int steps = number(2, 60);
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> x(size), y(size), z(size), potential(size), speed(size);
  for (std::size_t i = 0; i < size; ++i) {
    const double at = static_cast<double>(i);
    x[i] = 10 * std::sin(1.7 * at);
    y[i] = 10 * std::cos(2.3 * at);
    z[i] = 10 * std::sin(0.9 * at);
  }
  double total = 0;
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel
    {
#pragma omp for
      for (std::size_t i = 0; i < size; ++i) {
        double sum = 0;
        for (std::size_t j = i + 1; j < size; ++j) {
          const double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
          sum += 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
        }
        potential[i] = sum;
      }
#pragma omp for
      for (std::size_t i = 0; i < size; ++i) {
        speed[i] += 1e-6 * potential[i];
        x[i] += speed[i];
      }
    }
    for (const double each : potential) total += each;
  }
  std::printf("%.17g %.17g\n", total, x[size / 3]);
}
