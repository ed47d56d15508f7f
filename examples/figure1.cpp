// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The three programs of figure 1 of Prokopec & Odersky (2013), on the C++ library: the variance of N
// measurements, the primes below M by a filter with a loop inside, and a sum.
// Checks itself against plain loops.
//
//   g++ -O2 -std=c++20 -fopenmp figure1.cpp -o figure1      (with -I to the library's include folder)
//   ./figure1 1000000 20000
#include <cstdio>
#include <cstdlib>
#include <omp.h>
#include <vector>
#include <wstree/parallel.hpp>

// (0 until n).map(i => square(x(i) - mean)).sum / n
static double variance(const std::vector<double>& x, double mean) {
  const auto square = [mean](double v) { return (v - mean) * (v - mean); };
  return wstree::transform_reduce(wstree::par("variance"), x.begin(), x.end(), 0.0, wstree::plus{}, square) /
         static_cast<double>(x.size());
}

// (2 until n).forall(d => n % d != 0), for as many d as are needed. The call inside a call: most are so short
// that they run where they are; idle threads join the others.
static bool is_prime(long n) {
  if (n < 2) return false;
  long last = 2;
  while (last * last <= n) ++last;
  return wstree::fold(
      wstree::par("divisors"), 2L, last, true,
      [n](bool so_far, long begin, long end) {
        for (; so_far && begin != end; ++begin) so_far = n % begin != 0;
        return so_far;
      },
      [](bool a, bool b) { return a && b; });
}

// (0 until n).filter(is_prime)
static std::vector<long> primes(long n) {
  return wstree::fold(
      wstree::par("primes"), 0L, n, [] { return std::vector<long>(); },
      [](std::vector<long> so_far, long begin, long end) {
        for (; begin != end; ++begin)
          if (is_prime(begin)) so_far.push_back(begin);
        return so_far;
      },
      [](std::vector<long> a, const std::vector<long>& b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
      });
}

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 1'000'000;
  const long m = argc > 2 ? std::atol(argv[2]) : 20'000;
  if (n < 1 || m < 3) return std::fprintf(stderr, "figure1: N has to be at least 1, M at least 3\n"), 2;
  std::vector<double> x(static_cast<std::size_t>(n));
  wstree::for_each(0L, n, [&](long i) { x[static_cast<std::size_t>(i)] = static_cast<double>(i % 8); });

  const double start = omp_get_wtime();
  const double sum = wstree::reduce(wstree::par("sum"), x.begin(), x.end(), 0.0);
  const double spread = variance(x, sum / static_cast<double>(n));
  const std::vector<long> found = primes(m);
  const double seconds = omp_get_wtime() - start;

  // Sums of small whole numbers are exact in any order.
  double plain = 0;
  for (const double v : x) plain += v;
  long count = 0, previous = 1;
  for (long i = 2; i < m; ++i) {
    bool prime = true;
    for (long d = 2; prime && d * d <= i; ++d) prime = i % d != 0;
    count += prime;
  }
  bool ascending = true;
  for (const long p : found) {
    ascending = ascending && p > previous;
    previous = p;
  }
  if (sum != plain || static_cast<long>(found.size()) != count || !ascending)
    return std::fprintf(stderr, "figure1: not what the plain loops say\n"), 1;
  std::printf("sum %.0f, variance %.3f, %zu primes; %d threads, %.4f s\n", sum, spread, found.size(),
              omp_get_max_threads(), seconds);
}
