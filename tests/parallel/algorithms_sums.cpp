// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

namespace wstree::algorithms_test {
namespace {

TEST(Sum, HasTheSameBitsForEveryCut) {
  for (const std::size_t n : k_sizes) {
    const std::vector<double> in = fractions(n);
    const double alone = sum(reproducible.threads(1), in);
    EXPECT_NEAR(alone, std::accumulate(in.begin(), in.end(), 0.0), 1e-9 * alone);
    for (unsigned threads = 1; threads <= 8; ++threads) {
      for (const std::uint64_t chunk : {1U, 3U, 17U}) {
        const auto policy = reproducible.threads(threads).min_chunk(chunk).max_chunk(chunk);
        EXPECT_EQ(std::bit_cast<std::uint64_t>(sum(policy, in)), std::bit_cast<std::uint64_t>(alone));
        EXPECT_EQ(reduce(policy, in, 0.0), alone);
      }
      EXPECT_EQ(sum(par().threads(threads), in), alone) << "sums of numbers are always reproducible";
    }
  }
}

// Bits that any machine has: the additions are written down here once more, without cuts.
TEST(Sum, IsTheCanonicalTreeOverBlocks) {
  const std::vector<double> in = fractions(7 * 2048 + 100);
  const auto block = [&](std::size_t b) {
    const std::size_t begin = b * 2048, end = std::min(in.size(), begin + 2048);
    double lane[8];
    for (std::size_t i = begin; i < end; ++i)
      lane[(i - begin) % 8] = i - begin < 8 ? in[i] : lane[(i - begin) % 8] + in[i];
    for (int half = 4; half > 0; half /= 2)
      for (int l = 0; l < half; ++l) lane[l] += lane[l + half];
    return lane[0];
  };
  const double left = (block(0) + block(1)) + (block(2) + block(3)),
               right = (block(4) + block(5)) + (block(6) + block(7));
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sum(in)), std::bit_cast<std::uint64_t>(left + right));
}

TEST(Sum, SequentialOrderIsThatOfALoop) {
  for_sizes_and_threads([](std::size_t n, const auto& policy) {
    const std::vector<double> in = fractions(n);
    EXPECT_EQ(reduce(sequential_order.threads(policy.threads()), in, 1.0),
              std::accumulate(in.begin(), in.end(), 1.0));
    EXPECT_EQ(sum(sequential_order.threads(policy.threads()), in),
              std::accumulate(in.begin(), in.end(), 0.0));
  });
}

} // namespace
} // namespace wstree::algorithms_test
