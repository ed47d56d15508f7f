// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// oneTBB. It has no search and no filter: these are the usual ways to write them.
#include "measure/kernel.h"
#include "peers.h"
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

namespace bench {
namespace {

using Range = tbb::blocked_range<std::size_t>;

template <class T, class F> T reduce(std::size_t n, F element) {
  return tbb::parallel_reduce(
      Range(0, n), T{},
      [&](const Range& r, T sum) {
        for (std::size_t i = r.begin(); i < r.end(); ++i) sum += element(i);
        return sum;
      },
      std::plus<>());
}

template <class T, class Op> void scan(std::span<const T> in, T* out, Op op) {
  tbb::parallel_scan(
      Range(0, in.size()), T{},
      [&](const Range& r, T sum, bool is_final) {
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
          sum = op(sum, in[i]);
          if (is_final) out[i] = sum;
        }
        return sum;
      },
      op);
}

/// Elements behind the best hit so far are not looked at.
template <class Pred> std::size_t find(std::size_t n, Pred pred) {
  std::atomic<std::size_t> best{n};
  tbb::parallel_for(Range(0, n), [&](const Range& r) {
    if (r.begin() >= best.load(std::memory_order_relaxed)) return;
    for (std::size_t i = r.begin(); i < r.end(); ++i) {
      if (!pred(i)) continue;
      std::size_t seen = best.load(std::memory_order_relaxed);
      while (i < seen && !best.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {
      }
      return;
    }
  });
  return best;
}

bool has_divisor(long n) {
  std::atomic<bool> found{false};
  tbb::parallel_for(tbb::blocked_range<long>(2, std::max(2L, root_of(n) + 1)),
                    [&](const tbb::blocked_range<long>& r) {
                      if (found.load(std::memory_order_relaxed)) return;
                      for (long d = r.begin(); d < r.end(); ++d)
                        if (n % d == 0) return found.store(true, std::memory_order_relaxed);
                    });
  return found;
}

} // namespace

Peer tbb_peer() {
  Peer peer{"tbb"};
  peer.sum_ints = [](std::span<const int> x) {
    return reduce<int>(x.size(), [x](std::size_t i) { return x[i]; });
  };
  peer.sum = [](Doubles x) { return reduce<double>(x.size(), [x](std::size_t i) { return x[i]; }); };
  peer.reproducible_sum = [](Doubles x) {
    // A grain is set, because the default of one element takes a hundred times as long.
    const std::size_t grain = x.size() / 4096 + 1;
    return tbb::parallel_deterministic_reduce(
        Range(0, x.size(), grain), 0.0,
        [x](const Range& r, double sum) {
          for (std::size_t i = r.begin(); i < r.end(); ++i) sum += x[i];
          return sum;
        },
        std::plus<>());
  };
  peer.variance = [](Doubles x, double mean) {
    return reduce<double>(x.size(), [=](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
  };
  peer.uneven = [](Costs costs) {
    return reduce<std::uint64_t>(costs.size(), [costs](std::size_t i) { return spin(i, costs[i]); });
  };
  peer.scan = [](Doubles in, double* out) { scan(in, out, std::plus<>()); };
  peer.scan_matrices = [](std::span<const Matrix> in, Matrix* out) { scan(in, out, std::multiplies<>()); };
  peer.find = [](Doubles x, double value) {
    return find(x.size(), [=](std::size_t i) { return x[i] == value; });
  };
  peer.filter = [](Doubles in, double* out) {
    return tbb::parallel_scan(
        Range(0, in.size()), std::size_t{0},
        [=](const Range& r, std::size_t at, bool is_final) {
          for (std::size_t i = r.begin(); i < r.end(); ++i) {
            if (!is_chosen(in[i])) continue;
            if (is_final) out[at] = in[i];
            ++at;
          }
          return at;
        },
        std::plus<>());
  };
  peer.sort = sorts_by([](auto x) { tbb::parallel_sort(x.begin(), x.end()); });
  peer.rows = [](const CostlyRows& rows) {
    return reduce<std::uint64_t>(rows.costs.size(), [&](std::size_t row) {
      return reduce<std::uint64_t>(rows.elements,
                                   [cost = rows.costs[row]](std::size_t i) { return spin(i, cost); });
    });
  };
  peer.primes = [](long n) {
    return reduce<long>(static_cast<std::size_t>(n - 2),
                        [](std::size_t i) { return long{!has_divisor(static_cast<long>(i) + 2)}; });
  };
  peer.ordered = [](std::span<const Affine> x) {
    return tbb::parallel_reduce(
        Range(0, x.size()), Affine(),
        [x](const Range& r, Affine all) {
          for (std::size_t i = r.begin(); i < r.end(); ++i) all = all * x[i];
          return all;
        },
        std::multiplies<>());
  };
  peer.for_each = [](long n, const auto& function) { tbb::parallel_for(0L, n, function); };
  peer.early_exit = [](long n, long hit, std::atomic<long>& looked_at) {
    return static_cast<long>(find(static_cast<std::size_t>(n), [&](std::size_t i) {
      looked_at.fetch_add(1, std::memory_order_relaxed);
      return static_cast<long>(i) >= hit;
    }));
  };
  return peer;
}

} // namespace bench
