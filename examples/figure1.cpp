// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three programs of figure 1 of the paper, with the C++ library: variance, primes by a filter whose
// predicate is itself a parallel call, and a sum. Each is compared with a plain loop.
//
//   g++ -std=c++20 -O2 -fopenmp figure1.cpp -o figure1
//   OMP_NUM_THREADS=2 ./figure1 2000000
#include <wstree/parallel.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

static double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double variance(const std::vector<double>& xs) {
  const double n = static_cast<double>(xs.size());
  const double mean = wstree::sum(xs) / n;
  const auto square = [mean](double x) { return (x - mean) * (x - mean); };
  return wstree::transform_reduce(wstree::reproducible.label("variance"), xs, 0.0, std::plus<>{}, square) / n;
}

static std::vector<int> primes(int n) {
  return wstree::filter(wstree::par("primes"), 2, n, [](int p) {
    const int root = static_cast<int>(std::sqrt(p));
    return wstree::all_of(2, root + 1, [p](int d) { return p % d != 0; });
  });
}

static std::vector<int> primes_of_a_loop(int n) {
  std::vector<int> found;
  for (int p = 2; p < n; ++p) {
    int d = 2;
    for (const int root = static_cast<int>(std::sqrt(p)); d <= root && p % d != 0;) ++d;
    if (d > static_cast<int>(std::sqrt(p))) found.push_back(p);
  }
  return found;
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 2'000'000;
  if (argc > 2 || n < 2) {
    std::fputs("usage: figure1 [N]\n", stderr);
    return 2;
  }
  std::vector<double> xs(static_cast<std::size_t>(n));
  wstree::tabulate(xs, [](std::size_t i) { return std::sin(static_cast<double>(i)); });

  const double start = seconds();
  const double spread = variance(xs), total = wstree::sum(xs);
  const std::vector<int> found = primes(n / 10);
  const double parallel = seconds() - start;

  double mean = 0, expected = 0;
  for (const double x : xs) mean += x;
  for (const double x : xs) expected += (x - mean / n) * (x - mean / n);
  const bool is_right = std::abs(spread - expected / n) < 1e-9 && std::abs(total - mean) < 1e-6 * n;
  std::printf("figure1 %d: variance %.6f, %zu primes; %.6f s\n", n, spread, found.size(), parallel);
  if (!is_right || found != primes_of_a_loop(n / 10)) {
    std::fputs("figure1: plain loops disagree\n", stderr);
    return 1;
  }
  return 0;
}
