// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <ranges>

namespace wstree::algorithms_test {
namespace {

TEST(Scan, OrdersAffineMapsAtEachSizeAndNumberOfThreads) {
  for_sizes_and_threads([](std::size_t n, const auto& policy) {
    const std::vector<Affine> in = affine_maps(n);
    std::vector<Affine> out(n), expected(n);
    std::inclusive_scan(in.begin(), in.end(), expected.begin(), Then{});
    const Affine total = inclusive_scan(policy, in, out, Then{});
    EXPECT_EQ(out, expected);
    EXPECT_EQ(total, n == 0 ? Affine{} : expected.back());

    const Affine init{3, 4};
    std::inclusive_scan(in.begin(), in.end(), expected.begin(), Then{}, init);
    EXPECT_EQ(inclusive_scan(policy, in.begin(), in.end(), out.begin(), Then{}, init),
              n == 0 ? init : expected.back());
    EXPECT_EQ(out, expected);
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), init, Then{});
    const Affine all = exclusive_scan(policy, in, out.begin(), init, Then{});
    EXPECT_EQ(out, expected);
    EXPECT_EQ(all, n == 0 ? init : Then{}(expected.back(), in.back()));
  });
}

TEST(Scan, MayWriteOverItsInput) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    const std::vector<Affine> in = affine_maps(150'000);
    std::vector<Affine> expected(in.size());
    const auto check = [&](const auto& policy) {
      std::vector<Affine> values = in;
      std::inclusive_scan(in.begin(), in.end(), expected.begin(), Then{});
      inclusive_scan(policy, values, values, Then{});
      EXPECT_EQ(values, expected);
      values = in;
      std::exclusive_scan(in.begin(), in.end(), expected.begin(), Affine{}, Then{});
      exclusive_scan(policy, values, values, Affine{}, Then{});
      EXPECT_EQ(values, expected);
    };
    check(par().threads(threads));
    check(reproducible.threads(threads));
  }
}

TEST(Scan, TransformsAndKeepsStringsInOrder) {
  const auto last_nine = [](const std::string& a, const std::string& b) {
    const std::string both = a + b;
    return both.size() > 9 ? both.substr(both.size() - 9) : both;
  };
  const auto text = [](int i) { return std::to_string(i); };
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    const std::vector<int> in = numbers(40'000, 1000);
    std::vector<std::string> out(in.size()), expected(in.size());
    std::transform_inclusive_scan(in.begin(), in.end(), expected.begin(), last_nine, text);
    transform_inclusive_scan(par().threads(threads), in, out, last_nine, text);
    EXPECT_EQ(out, expected);
    std::transform_exclusive_scan(in.begin(), in.end(), expected.begin(), std::string("start"), last_nine,
                                  text);
    transform_exclusive_scan(par().threads(threads), in, out, std::string("start"), last_nine, text);
    EXPECT_EQ(out, expected);
  }
}

TEST(Scan, CallsADearFunctionOnceForEachElement) {
  std::vector<std::atomic<int>> calls(3'000);
  const auto slow = [&](const long& i) {
    for (int k = 0; k < 30; ++k) calls[static_cast<std::size_t>(i)].fetch_add(k == 0 ? 1 : 0);
    return 2 * i;
  };
  const auto check_calls = [&] {
    for (auto& called : calls) EXPECT_EQ(called.exchange(0), 1);
  };
  std::vector<long> in(calls.size()), expected(in.size()), out(in.size());
  std::iota(in.begin(), in.end(), 0L);
  const auto check = [&](const auto& policy) {
    std::transform_inclusive_scan(in.begin(), in.end(), expected.begin(), plus{}, slow);
    check_calls();
    transform_inclusive_scan(policy, in, out, plus{}, slow);
    EXPECT_EQ(out, expected);
    check_calls();
    out = in;
    std::transform_exclusive_scan(in.begin(), in.end(), expected.begin(), 7L, plus{}, slow);
    check_calls();
    transform_exclusive_scan(policy, out, out, 7L, plus{}, slow);
    EXPECT_EQ(out, expected);
    check_calls();
  };
  for (const unsigned threads : {1U, 2U, 3U, 8U}) {
    for (const std::uint64_t chunk : {1U, 100U, 1'000U}) check(par().threads(threads).min_chunk(chunk));
    check(reproducible.threads(threads));
  }
}

} // namespace
} // namespace wstree::algorithms_test
