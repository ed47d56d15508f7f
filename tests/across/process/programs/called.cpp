// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the C++ library, long enough for a team. Prints how many threads the first one had, and a sum.
#include <wstree/parallel.hpp>

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  std::vector<double> values(300'000, 1.0);
  int most = 1;
  for (int k = 0; k < 3; ++k) {
    std::vector<int> seen(values.size());
    wstree::for_each(wstree::par("assembly"), 0, 300'000, [&](int i) {
      values[static_cast<std::size_t>(i)] = std::fabs(std::sin(i)) + 0.5;
      seen[static_cast<std::size_t>(i)] = omp_get_num_threads();
    });
    most = std::max(most, *std::max_element(seen.begin(), seen.end()));
    wstree::inclusive_scan(wstree::par("prefix"), values, values.begin(),
                           [](double a, double b) { return std::fmax(a, b); });
  }
  const auto large = wstree::count_if(values, [](double v) { return std::cbrt(std::sqrt(v)) > 1e-3; });
  std::printf("%d %td\n", most, static_cast<std::ptrdiff_t>(large));
}
