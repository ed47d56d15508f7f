// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What policies promise of the order of operations, in calls that fold pieces and in scans.
#include "algorithms_support.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>

namespace wstree::algorithms_test {
namespace {

/// Sums of `in`, whose bits depend on the pieces.
double folded(unsigned threads, const std::vector<double>& in) {
  return fold(
      reproducible.threads(threads), std::size_t{0}, in.size(), 0.0,
      [&](double sum, std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin) sum += in[begin];
        return sum;
      },
      std::plus<>{});
}

TEST(Policy, ReproducibleFoldsHaveTheSameBits) {
  for (const std::size_t n : k_sizes) {
    const std::vector<double> in = fractions(n);
    const double alone = folded(1, in);
    for (unsigned threads = 2; threads <= 8; ++threads) EXPECT_EQ(folded(threads, in), alone) << n;
  }
}

TEST(Policy, ReproducibleFoldsOfTeamsHaveTheBitsOfOthers) {
  const std::vector<double> in = fractions(200'003);
  const double alone = folded(1, in);
  for (int threads = 1; threads <= 4; ++threads) {
    std::atomic<int> right{0};
#pragma omp parallel num_threads(threads)
    right += alone == team::fold(
                          reproducible, std::size_t{0}, in.size(), 0.0,
                          [&](double sum, std::size_t begin, std::size_t end) {
                            for (; begin < end; ++begin) sum += in[begin];
                            return sum;
                          },
                          std::plus<>{});
    EXPECT_EQ(right, threads);
  }
}

TEST(Policy, ReproducibleFoldsCallTheirFunctionForBlocks) {
  std::mutex mutex;
  std::set<std::pair<long, long>> pieces;
  fold(
      reproducible.threads(3), -100L, 5000L, 0,
      [&](int, long begin, long end) {
        const std::lock_guard lock(mutex);
        pieces.emplace(begin, end);
        return 0;
      },
      std::plus<>{});
  EXPECT_EQ(pieces, (std::set<std::pair<long, long>>{{-100, 1948}, {1948, 3996}, {3996, 5000}}));
}

} // namespace
} // namespace wstree::algorithms_test
