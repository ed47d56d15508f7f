// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of the C interface and of the C++ library under `reproducible`, for 1 to 8 threads. Prints how many
// threads the first long sum of the C interface has started, how many sums were compared, how many differed,
// and the bits of one.
// sums N: the first two lines of examples/labelled_loops.f90 by the C++ library: the same numbers, their sums
// and the sums of their squares, as bits.
#include <wstree/parallel.hpp>

#define WSTREE_WEAK
#include <wstree/wstree.h>

#include <omp.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace {

int g_compared = 0;
int g_different = 0;

template <class Bits, class T> void compare(T mine, T reference) {
  ++g_compared;
  if (std::bit_cast<Bits>(mine) != std::bit_cast<Bits>(reference)) ++g_different;
}

/// Of this process.
long threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

int print_example(int n) {
  std::vector<double> rows;
  for (int i = 1; i <= n; ++i) {
    double total = 0;
    for (int j = 1; j <= i % 512 + 1; ++j) total += 1 / static_cast<double>(i + j - 1);
    rows.push_back(std::sqrt(total));
  }
  const std::vector<float> floats(rows.begin(), rows.end());
  const auto bits = [](auto value) {
    using Bits = std::conditional_t<sizeof value == 4, std::uint32_t, std::uint64_t>;
    return static_cast<unsigned long long>(std::bit_cast<Bits>(value));
  };
  std::printf("sum %016llX square %016llX\nfloat %08llX square %08llX\n", bits(wstree::sum(rows)),
              bits(wstree::inner_product(rows, rows.begin(), 0.0)), bits(wstree::sum(floats)),
              bits(wstree::inner_product(floats, floats.begin(), 0.0F)));
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1) return print_example(std::atoi(argv[1]));
  if (wstree_sum_double == nullptr) {
    std::puts("absent");
    return 0;
  }
  omp_set_num_threads(8);
  const std::vector<double> ones(1'000'000, 1.0);
  if (wstree_sum_double(ones.data(), 2048) != 2048 || threads() > 2) return 1; // libomp may have a monitor
  if (wstree_sum_double(ones.data(), ones.size()) != 1e6) return 1;
  const long started = threads() - 1;
  double last = 0;
  for (const std::size_t n : {0U, 1U, 15U, 16U, 33U, 2048U, 2049U, 32769U, 131'072U, 300'001U, 1'000'003U}) {
    std::vector<double> x(n), y(n);
    std::vector<float> u(n), v(n);
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = std::ldexp(1.0 / static_cast<double>(i + 1), static_cast<int>(i % 40)) * (i % 3 == 0 ? -1 : 1);
      y[i] = 1.0 / static_cast<double>(2 * i + 1);
      u[i] = static_cast<float>(x[i]);
      v[i] = static_cast<float>(y[i]);
    }
    for (int threads = 1; threads <= 8; ++threads) {
      omp_set_num_threads(threads);
      const auto how = wstree::reproducible.threads(static_cast<std::uint32_t>(threads));
      last = wstree_sum_double(x.data(), n);
      compare<std::uint64_t>(last, wstree::sum(how, x));
      compare<std::uint32_t>(wstree_sum_float(u.data(), n), wstree::sum(how, u));
      compare<std::uint64_t>(wstree_dot_double(x.data(), y.data(), n),
                             wstree::inner_product(how, x, y.begin(), 0.0));
      compare<std::uint32_t>(wstree_dot_float(u.data(), v.data(), n),
                             wstree::inner_product(how, u, v.begin(), 0.0F));
    }
  }
  const double minus = -0.0;
  compare<std::uint64_t>(wstree_sum_double(&minus, 1), wstree::sum(wstree::reproducible, std::vector{minus}));
  std::printf("%ld %d %d %016llx\n", started, g_compared, g_different,
              static_cast<unsigned long long>(std::bit_cast<std::uint64_t>(last)));
}
