// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The C++ library of this project.
#include "measure/kernel.h"
#include "peers.h"
#include <wstree/parallel.hpp>

namespace bench {
namespace {

bool has_divisor(long n) {
  return wstree::any_of(2L, root_of(n) + 1, [n](long d) { return n % d == 0; });
}
bool has_divisor_alone(long n) {
  for (long d = 2, last = root_of(n); d <= last; ++d)
    if (n % d == 0) return true;
  return false;
}

} // namespace

Peer wstree_peer() {
  Peer peer{"wstree"};
  peer.sum_ints = [](std::span<const int> x) { return wstree::reduce(x.begin(), x.end(), 0); };
  peer.sum = [](Doubles x) { return wstree::reduce(x.begin(), x.end(), 0.0); };
  peer.reproducible_sum = [](Doubles x) { return wstree::sum(x); };
  peer.variance = [](Doubles x, double mean) {
    return wstree::transform_reduce(x.begin(), x.end(), 0.0, wstree::plus{},
                                    [mean](double v) { return (v - mean) * (v - mean); });
  };
  peer.uneven = [](Costs costs) {
    return wstree::transform_reduce(std::size_t{0}, costs.size(), std::uint64_t{0}, wstree::plus{},
                                    [=](std::size_t i) { return spin(i, costs[i]); });
  };
  peer.scan = [](Doubles in, double* out) { wstree::inclusive_scan(in, out); };
  peer.scan_matrices = [](std::span<const Matrix> in, Matrix* out) {
    wstree::inclusive_scan(in, out, std::multiplies<>());
  };
  peer.find = [](Doubles x, double value) {
    return static_cast<std::size_t>(wstree::find_first(x, [value](double v) { return v == value; }) -
                                    x.begin());
  };
  peer.filter = [](Doubles in, double* out) {
    return static_cast<std::size_t>(wstree::copy_if(in, out, is_chosen) - out);
  };
  peer.sort = sorts_by([](auto x) { wstree::sort(x, std::less<>()); });
  peer.stable_sort = sorts_by([](auto x) { wstree::stable_sort(x, std::less<>()); });
  peer.rows = [](const CostlyRows& rows) {
    return wstree::transform_reduce(
        std::size_t{0}, rows.costs.size(), std::uint64_t{0}, wstree::plus{}, [&](std::size_t row) {
          return wstree::transform_reduce(std::size_t{0}, rows.elements, std::uint64_t{0}, wstree::plus{},
                                          [cost = rows.costs[row]](std::size_t i) { return spin(i, cost); });
        });
  };
  peer.primes = [](long n) {
    return static_cast<long>(wstree::count_if(2L, n, [](long i) { return !has_divisor(i); }));
  };
  peer.primes_outer = [](long n) {
    return static_cast<long>(wstree::count_if(2L, n, [](long i) { return !has_divisor_alone(i); }));
  };
  peer.ordered = [](std::span<const Affine> x) {
    return wstree::reduce(x.begin(), x.end(), Affine(), std::multiplies<>());
  };
  peer.least = [](Doubles x) { return static_cast<std::size_t>(wstree::min_element(x) - x.begin()); };
  peer.for_each = [](long n, const auto& function) { wstree::for_each(0L, n, function); };
  peer.early_exit = [](long n, long hit, std::atomic<long>& looked_at) {
    return wstree::find_first(0L, n, [&, hit](long i) {
      looked_at.fetch_add(1, std::memory_order_relaxed);
      return i >= hit;
    });
  };
  return peer;
}

} // namespace bench
