// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The guide's functions in C++, against loops of one thread.
#include <cmath>
#include <cstdio>
#include <ranges>
#include <vector>
#include <wstree/parallel.hpp>

static double row(int i) { return std::sqrt(i); }
static bool is_hit(int i) { return i % 5 == 3; }

#include "snippets.cpp"

int main() {
  const int n = 100000;
  std::vector<int> hits;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (is_hit(i)) hits.push_back(i);
    sum += row(i);
  }
  std::vector<double> x(n);
  const bool right = list_after(n) == hits && std::fabs(sum_after(x) - sum) < 1e-9 * sum;
  if (!right) std::fputs("wrong: list_after or sum_after\n", stderr);
  return right ? 0 : 1;
}
