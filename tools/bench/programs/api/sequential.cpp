// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The plain loops that all libraries are compared with.
#include "measure/kernel.h"
#include "peers.h"
#include <algorithm>
#include <numeric>

namespace bench {

Peer sequential_peer() {
  Peer peer{"sequential"};
  peer.sum_ints = [](std::span<const int> x) {
    int sum = 0;
    for (const int v : x) sum += v;
    return sum;
  };
  peer.sum = [](Doubles x) {
    double sum = 0;
    for (const double v : x) sum += v;
    return sum;
  };
  peer.reproducible_sum = peer.sum;
  peer.variance = [](Doubles x, double mean) {
    double sum = 0;
    for (const double v : x) sum += (v - mean) * (v - mean);
    return sum;
  };
  peer.uneven = [](Costs costs) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) sum += spin(i, costs[i]);
    return sum;
  };
  peer.scan = [](Doubles in, double* out) { std::inclusive_scan(in.begin(), in.end(), out); };
  peer.scan_matrices = [](std::span<const Matrix> in, Matrix* out) {
    std::inclusive_scan(in.begin(), in.end(), out, std::multiplies<>());
  };
  peer.find = [](Doubles x, double value) {
    return static_cast<std::size_t>(
        std::find_if(x.begin(), x.end(), [value](double v) { return v == value; }) - x.begin());
  };
  peer.filter = [](Doubles in, double* out) {
    return static_cast<std::size_t>(std::copy_if(in.begin(), in.end(), out, is_chosen) - out);
  };
  peer.sort = sorts_by([](auto x) { std::sort(x.begin(), x.end()); });
  peer.stable_sort = sorts_by([](auto x) { std::stable_sort(x.begin(), x.end()); });
  peer.rows = [](const CostlyRows& rows) {
    std::uint64_t sum = 0;
    for (const std::uint32_t cost : rows.costs)
      for (std::size_t i = 0; i < rows.elements; ++i) sum += spin(i, cost);
    return sum;
  };
  peer.primes = [](long n) {
    long count = 0;
    for (long i = 2; i < n; ++i) {
      bool is_prime = true;
      for (long d = 2, last = root_of(i); is_prime && d <= last; ++d) is_prime = i % d != 0;
      count += is_prime;
    }
    return count;
  };
  peer.primes_outer = peer.primes;
  peer.ordered = [](std::span<const Affine> x) {
    return std::accumulate(x.begin(), x.end(), Affine(), std::multiplies<>());
  };
  peer.least = [](Doubles x) {
    return static_cast<std::size_t>(std::min_element(x.begin(), x.end()) - x.begin());
  };
  return peer;
}

} // namespace bench
