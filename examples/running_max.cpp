// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A measurement series: where it first exceeds a limit, its running maximum, the values above the mean, and a
// sum that has the same bits for every number of threads.
//
//   g++ -std=c++20 -O2 -fopenmp running_max.cpp -o running_max
#include <wstree/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  const std::size_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5'000'000;
  std::vector<double> series(n), highest(n);
  wstree::tabulate(series, [](std::size_t i) {
    return std::sin(1e-3 * static_cast<double>(i)) + 1e-7 * static_cast<double>(i);
  });

  const auto over = wstree::find_first(series, [](double x) { return x > 0.999; });
  const double top =
      wstree::inclusive_scan(series, highest, [](double a, double b) { return std::max(a, b); });
  const double mean = wstree::sum(series) / static_cast<double>(n);
  const std::vector<double> above = wstree::filter(series, [mean](double x) { return x > mean; });
  std::printf("running_max %zu: first above 0.999 at %td, maximum %.6f, mean %.17g, %zu above it\n", n,
              over - series.begin(), top, mean, above.size());

  if (n == 0 || top != *wstree::max_element(series) || !std::is_sorted(highest.begin(), highest.end()) ||
      wstree::sum(wstree::par().threads(3), series) / static_cast<double>(n) != mean) {
    std::fputs("running_max: the results do not fit together\n", stderr);
    return 1;
  }
  return 0;
}
