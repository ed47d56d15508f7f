// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters the primes out of 0..N-1 by trial division: most numbers fall at the first divisors, a prime only
// after all of them, and the larger the later. With -n the same in two levels of parallel regions.
//
//   clang++ -O2 -fopenmp primes.cpp -o primes
//   OMP_SCHEDULE=guided ./primes 2000000
//   OMP_SCHEDULE=guided OMP_NUM_THREADS=2,2 ./primes -n 2000000
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <vector>

static bool is_prime(unsigned n) {
  if (n < 4) return n >= 2;
  if (n % 2 == 0 || n % 3 == 0) return false;
  for (unsigned d = 5; d <= n / d; d += 6) {
    if (n % d == 0 || n % (d + 2) == 0) return false;
  }
  return true;
}

// What is known of a number. A loop adds its verdict,
// so that a number which is left out or judged twice shows.
enum Verdict : unsigned char { unseen = 0, composite = 1, prime = 4 };

// Returns the number of primes.
static long filter(int n, unsigned char* verdict) {
  long count = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : count)
  for (int i = 0; i < n; ++i) {
    const bool found = is_prime(static_cast<unsigned>(i));
    verdict[i] += found ? prime : composite;
    count += found;
  }
  return count;
}

// The outer loop goes over blocks of numbers, and every block opens a team of its own.
static long filter_nested(int n, unsigned char* verdict) {
  const int blocks = 16;
  const int length = (n + blocks - 1) / blocks;
  long count = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : count)
  for (int block = 0; block < blocks; ++block) {
    const int begin = std::min(n, block * length), end = std::min(n, begin + length);
#pragma omp parallel for schedule(runtime) reduction(+ : count)
    for (int i = begin; i < end; ++i) {
      const bool found = is_prime(static_cast<unsigned>(i));
      verdict[i] += found ? prime : composite;
      count += found;
    }
  }
  return count;
}

// The sieve of Eratosthenes, an independent and sequential answer.
static std::vector<unsigned char> sieve(int n) {
  std::vector<unsigned char> verdict(static_cast<std::size_t>(n), prime);
  for (int i = 0; i < std::min(n, 2); ++i) verdict[i] = composite; // 0 and 1 are no primes
  for (long i = 2; i * i < n; ++i) {
    if (verdict[i] != prime) continue;
    for (long multiple = i * i; multiple < n; multiple += i) verdict[multiple] = composite;
  }
  return verdict;
}

int main(int argc, char** argv) {
  const bool nested = argc > 1 && std::strcmp(argv[1], "-n") == 0;
  const int first = nested ? 2 : 1;
  const int n = argc > first ? std::atoi(argv[first]) : 2000000;
  if (argc > first + 1 || n < 1 || n > 1000000000) {
    std::fputs("usage: primes [-n] [N]\n", stderr);
    return 2;
  }
  if (nested) omp_set_max_active_levels(2);
  std::vector<unsigned char> verdict(static_cast<std::size_t>(n), unseen);

  const double start = omp_get_wtime();
  const long count = nested ? filter_nested(n, verdict.data()) : filter(n, verdict.data());
  const double seconds = omp_get_wtime() - start;

  std::printf("primes%s %d: %ld primes; %d threads, %.6f s\n", nested ? " -n" : "", n, count,
              omp_get_max_threads(), seconds);
  const std::vector<unsigned char> expected = sieve(n);
  if (verdict != expected || count != std::count(expected.begin(), expected.end(), prime)) {
    std::fputs("primes: the sieve of Eratosthenes disagrees\n", stderr);
    return 1;
  }
  return 0;
}
