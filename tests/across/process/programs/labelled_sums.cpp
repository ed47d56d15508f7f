// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first two lines of examples/labelled_loops.f90 by the C++ library: the same numbers, their sums and the
// sums of their squares, as bits.
#include <wstree/parallel.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class Bits, class T> static void print(const char* before, const char* format, T value) {
  std::fputs(before, stdout);
  std::printf(format, std::bit_cast<Bits>(value));
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 3000;
  if (n < 1 || n > 100000) return 2;
  std::vector<double> rows;
  for (int i = 1; i <= n; ++i) {
    double total = 0;
    for (int j = 1; j <= i % 512 + 1; ++j) total += 1 / static_cast<double>(i + j - 1);
    rows.push_back(std::sqrt(total));
  }
  const std::vector<float> floats(rows.begin(), rows.end());
  print<std::uint64_t>("sum ", "%016lX", wstree::sum(rows));
  print<std::uint64_t>(" square ", "%016lX\n", wstree::inner_product(rows, rows.begin(), 0.0));
  print<std::uint32_t>("float ", "%08X", wstree::sum(floats));
  print<std::uint32_t>(" square ", "%08X\n", wstree::inner_product(floats, floats.begin(), 0.0F));
  return 0;
}
