// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The parallel algorithms of the C++ standard, which libstdc++ runs on oneTBB.
#include "measure/kernel.h"
#include "peers.h"
#include <algorithm>
#include <execution>
#include <numeric>
#include <ranges>

namespace bench {
namespace {

constexpr auto& k_par = std::execution::par;

/// Numbers as elements. libstdc++ wants iterators that refer to something.
template <class T> std::vector<T> numbers(T first, T last) {
  std::vector<T> made(static_cast<std::size_t>(last - first));
  std::iota(made.begin(), made.end(), first);
  return made;
}
const std::vector<long>& divisors() {
  static const std::vector<long> k_made = numbers(0L, 100'000L);
  return k_made;
}
bool has_divisor(long n) {
  const auto& from = divisors();
  return std::any_of(k_par, from.begin() + 2, from.begin() + std::max(2L, root_of(n) + 1),
                     [n](long d) { return n % d == 0; });
}

} // namespace

Peer standard_peer() {
  Peer peer{"std_par"};
  peer.sum_ints = [](std::span<const int> x) { return std::reduce(k_par, x.begin(), x.end()); };
  peer.sum = [](Doubles x) { return std::reduce(k_par, x.begin(), x.end()); };
  peer.variance = [](Doubles x, double mean) {
    return std::transform_reduce(k_par, x.begin(), x.end(), 0.0, std::plus<>(),
                                 [mean](double v) { return (v - mean) * (v - mean); });
  };
  peer.uneven = [](Costs costs) {
    const std::uint32_t* const first = costs.data();
    return std::transform_reduce(
        k_par, costs.begin(), costs.end(), std::uint64_t{0}, std::plus<>(),
        [first](const std::uint32_t& cost) { return spin(static_cast<std::size_t>(&cost - first), cost); });
  };
  peer.scan = [](Doubles in, double* out) { std::inclusive_scan(k_par, in.begin(), in.end(), out); };
  peer.scan_matrices = [](std::span<const Matrix> in, Matrix* out) {
    std::inclusive_scan(k_par, in.begin(), in.end(), out, std::multiplies<>(), Matrix());
  };
  peer.find = [](Doubles x, double value) {
    return static_cast<std::size_t>(
        std::find_if(k_par, x.begin(), x.end(), [value](double v) { return v == value; }) - x.begin());
  };
  peer.filter = [](Doubles in, double* out) {
    return static_cast<std::size_t>(std::copy_if(k_par, in.begin(), in.end(), out, is_chosen) - out);
  };
  peer.sort = sorts_by([](auto x) { std::sort(k_par, x.begin(), x.end()); });
  peer.stable_sort = sorts_by([](auto x) { std::stable_sort(k_par, x.begin(), x.end()); });
  peer.rows = [](const CostlyRows& rows) {
    static const std::vector<std::size_t> k_elements = numbers<std::size_t>(0, 1'000'000);
    return std::transform_reduce(
        k_par, rows.costs.begin(), rows.costs.end(), std::uint64_t{0}, std::plus<>(),
        [&](std::uint32_t cost) {
          return std::transform_reduce(
              k_par, k_elements.begin(), k_elements.begin() + static_cast<std::ptrdiff_t>(rows.elements),
              std::uint64_t{0}, std::plus<>(), [cost](std::size_t i) { return spin(i, cost); });
        });
  };
  peer.primes = [](long n) {
    static std::vector<long> candidates;
    if (candidates.size() != static_cast<std::size_t>(n)) candidates = numbers(0L, n);
    return static_cast<long>(std::count_if(k_par, candidates.begin() + 2, candidates.end(),
                                           [](long i) { return !has_divisor(i); }));
  };
  peer.ordered = [](std::span<const Affine> x) {
    return std::reduce(k_par, x.begin(), x.end(), Affine(), std::multiplies<>());
  };
  peer.least = [](Doubles x) {
    return static_cast<std::size_t>(std::min_element(k_par, x.begin(), x.end()) - x.begin());
  };
  peer.for_each = [](long n, const auto& function) {
    const std::vector<long> all = numbers(0L, n);
    std::for_each(k_par, all.begin(), all.end(), function);
  };
  peer.early_exit = [](long n, long hit, std::atomic<long>& looked_at) {
    const std::vector<long> all = numbers(0L, n);
    const auto found = std::find_if(k_par, all.begin(), all.end(), [&, hit](long i) {
      looked_at.fetch_add(1, std::memory_order_relaxed);
      return i >= hit;
    });
    return static_cast<long>(found - all.begin());
  };
  return peer;
}

} // namespace bench
