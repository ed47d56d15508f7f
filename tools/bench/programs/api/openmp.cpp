// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The means of OpenMP: reduction, a reduction that the program declares, and inscan. There is no early exit.
#include "measure/kernel.h"
#include "peers.h"
#include <algorithm>
#include <omp.h>

namespace bench {
namespace {

using Index = std::ptrdiff_t;

struct Least {
  double value;
  std::size_t at;
};

#pragma omp declare reduction(compose:Affine : omp_out = omp_out * omp_in) initializer(omp_priv = Affine())
#pragma omp declare reduction(multiply:Matrix : omp_out = omp_out * omp_in) initializer(omp_priv = Matrix())
#pragma omp declare reduction(first:Least                                                                    \
                              : omp_out = omp_in.value < omp_out.value ||                                    \
                                                  (omp_in.value == omp_out.value && omp_in.at < omp_out.at)  \
                                              ? omp_in                                                       \
                                              : omp_out) initializer(omp_priv = omp_orig)

#ifndef __clang__ // its inscan has the whole array on the stack and ends the program above 8 MiB
void scan(Doubles in, double* out) {
  const auto n = static_cast<Index>(in.size());
  const double* const x = in.data();
  double sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (Index i = 0; i < n; ++i) {
    sum += x[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
}

void scan_matrices(std::span<const Matrix> in, Matrix* out) {
  const auto n = static_cast<Index>(in.size());
  const Matrix* const x = in.data();
  Matrix product;
#pragma omp parallel for reduction(inscan, multiply : product)
  for (Index i = 0; i < n; ++i) {
    product = product * x[i];
#pragma omp scan inclusive(product)
    out[i] = product;
  }
}
#endif

std::size_t find(Doubles in, double value) {
  const auto n = static_cast<Index>(in.size());
  const double* const x = in.data();
  Index best = n;
#pragma omp parallel for reduction(min : best)
  for (Index i = 0; i < n; ++i)
    if (x[i] == value) best = std::min(best, i);
  return static_cast<std::size_t>(best);
}

/// Copies the chosen elements: each thread counts its part, then writes it to its place.
std::size_t filter(Doubles in, double* out) {
  std::vector<std::size_t> counts;
#pragma omp parallel
  {
    const auto threads = static_cast<std::size_t>(omp_get_num_threads());
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    const std::size_t begin = in.size() * thread / threads, end = in.size() * (thread + 1) / threads;
#pragma omp single
    counts.resize(threads + 1);
    counts[thread + 1] = static_cast<std::size_t>(std::count_if(&in[0] + begin, &in[0] + end, is_chosen));
#pragma omp barrier
#pragma omp single
    for (std::size_t t = 0; t < threads; ++t) counts[t + 1] += counts[t];
    std::copy_if(&in[0] + begin, &in[0] + end, out + counts[thread], is_chosen);
  }
  return counts.back();
}

/// Regions within a region have one thread, unless the user sets more.
std::uint64_t rows(const CostlyRows& rows) {
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 1)
  for (std::size_t row = 0; row < rows.costs.size(); ++row) {
    std::uint64_t part = 0;
    const std::uint32_t cost = rows.costs[row];
#pragma omp parallel for reduction(+ : part)
    for (std::size_t i = 0; i < rows.elements; ++i) part += spin(i, cost);
    sum += part;
  }
  return sum;
}

long primes(long n) {
  long count = 0;
#pragma omp parallel for reduction(+ : count) schedule(dynamic, 64)
  for (long i = 2; i < n; ++i) {
    bool found = false;
    const long last = root_of(i);
#pragma omp parallel for reduction(|| : found)
    for (long d = 2; d <= last; ++d)
      if (!found) found = i % d == 0;
    count += !found;
  }
  return count;
}

long primes_outer(long n) {
  long count = 0;
#pragma omp parallel for reduction(+ : count) schedule(dynamic, 64)
  for (long i = 2; i < n; ++i) {
    bool is_prime = true;
    for (long d = 2, last = root_of(i); is_prime && d <= last; ++d) is_prime = i % d != 0;
    count += is_prime;
  }
  return count;
}

} // namespace

Peer openmp_peer() {
  Peer peer{"openmp"};
  peer.sum_ints = [](std::span<const int> x) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
    return sum;
  };
  peer.sum = [](Doubles x) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i];
    return sum;
  };
  peer.variance = [](Doubles x, double mean) {
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - mean) * (x[i] - mean);
    return sum;
  };
  peer.uneven = [](Costs costs) {
    std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 1)
    for (std::size_t i = 0; i < costs.size(); ++i) sum += spin(i, costs[i]);
    return sum;
  };
#ifndef __clang__
  peer.scan = scan;
  peer.scan_matrices = scan_matrices;
#endif
  peer.find = find;
  peer.filter = filter;
  peer.rows = rows;
  peer.primes = primes;
  peer.primes_outer = primes_outer;
  peer.ordered = [](std::span<const Affine> x) {
    Affine all;
#pragma omp parallel for reduction(compose : all)
    for (std::size_t i = 0; i < x.size(); ++i) all = all * x[i];
    return all;
  };
  peer.least = [](Doubles x) {
    Least best{x[0], 0};
#pragma omp parallel for reduction(first : best)
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] < best.value) best = {x[i], i};
    return best.at;
  };
  peer.for_each = [](long n, const auto& function) {
#pragma omp parallel for
    for (long i = 0; i < n; ++i) function(i);
  };
  peer.early_exit = [](long n, long hit, std::atomic<long>& looked_at) {
    long best = n;
#pragma omp parallel for reduction(min : best)
    for (long i = 0; i < n; ++i) {
      looked_at.fetch_add(1, std::memory_order_relaxed);
      if (i >= hit) best = std::min(best, i);
    }
    return best;
  };
  return peer;
}

} // namespace bench
