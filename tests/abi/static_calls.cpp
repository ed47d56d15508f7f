// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guards: a region that calls functions of the C and the mathematical library is served. The C library
// chooses some of them for the processor, and each must be found in the process to be its own.
#include "check.h"

#include <cmath>
#include <cstddef>
#include <cstring>

namespace {

constexpr int k_rows = 400;
constexpr std::size_t k_columns = 5000;
double values[k_rows];
char rows[k_rows][k_columns];
char copies[k_rows][k_columns];

[[gnu::noinline]] void call(int n, std::size_t columns) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    std::memset(rows[i], i, columns);
    std::memmove(copies[i], rows[i], columns);
    values[i] = std::exp(-i) + std::pow(i, 0.3) + std::hypot(i, 4.0);
  }
}

void calls() {
  for (int round = 0; round < 20; ++round) {
    call(k_rows, k_columns);
    for (int i = 0; i < k_rows; ++i) {
      CHECK(values[i] == std::exp(-i) + std::pow(i, 0.3) + std::hypot(i, 4.0), "value %d is %g", i,
            values[i]);
      CHECK(std::memcmp(copies[i], rows[i], k_columns) == 0, "row %d differs", i);
    }
  }
}

} // namespace

int main(int argc, char** argv) { return check::run(argc, argv, {CASE(calls)}); }
