// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The parallel mode of libstdc++, on OpenMP. Its filter and its loops within loops are sequential.
#include "measure/kernel.h"
#include "peers.h"
#include <functional>
#include <numeric>
#include <parallel/algorithm>
#include <parallel/numeric>

namespace bench {
namespace {

std::vector<long> numbers_below(long n) {
  std::vector<long> made(static_cast<std::size_t>(n));
  std::iota(made.begin(), made.end(), 0L);
  return made;
}

} // namespace

Peer gnu_peer() {
  Peer peer{"gnu"};
  peer.sum_ints = [](std::span<const int> x) { return __gnu_parallel::accumulate(x.begin(), x.end(), 0); };
  peer.sum = [](Doubles x) { return __gnu_parallel::accumulate(x.begin(), x.end(), 0.0); };
  peer.scan = [](Doubles in, double* out) { __gnu_parallel::partial_sum(in.begin(), in.end(), out); };
  peer.scan_matrices = [](std::span<const Matrix> in, Matrix* out) {
    __gnu_parallel::partial_sum(in.begin(), in.end(), out, std::multiplies<>());
  };
  peer.find = [](Doubles x, double value) {
    return static_cast<std::size_t>(
        __gnu_parallel::find_if(x.begin(), x.end(), [value](double v) { return v == value; }) - x.begin());
  };
  peer.sort = sorts_by([](auto x) { __gnu_parallel::sort(x.begin(), x.end()); });
  peer.stable_sort = sorts_by([](auto x) { __gnu_parallel::stable_sort(x.begin(), x.end()); });
  peer.ordered = [](std::span<const Affine> x) {
    return __gnu_parallel::accumulate(x.begin(), x.end(), Affine(), std::multiplies<>());
  };
  peer.least = [](Doubles x) {
    return static_cast<std::size_t>(__gnu_parallel::min_element(x.begin(), x.end()) - x.begin());
  };
  peer.for_each = [](long n, const auto& function) {
    const std::vector<long> all = numbers_below(n);
    __gnu_parallel::for_each(all.begin(), all.end(), function);
  };
  peer.early_exit = [](long n, long hit, std::atomic<long>& looked_at) {
    const std::vector<long> all = numbers_below(n);
    const auto found = __gnu_parallel::find_if(all.begin(), all.end(), [&, hit](long i) {
      looked_at.fetch_add(1, std::memory_order_relaxed);
      return i >= hit;
    });
    return static_cast<long>(found - all.begin());
  };
  return peer;
}

} // namespace bench
