// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that are not just ints in a vector: integers of all widths, bits.
#include "algorithms_support.h"

#include <atomic>
#include <climits>
#include <functional>
#include <ranges>
#include <span>
#include <type_traits>

namespace wstree::algorithms_test {
namespace {

TEST(Elements, OfIntegersHaveATypeThatHoldsBothEnds) {
  const std::int64_t beyond = (std::int64_t{1} << 32) + 1;
  EXPECT_EQ(find_first(0, beyond, [](auto i) { return i == 100; }), 100);
  EXPECT_EQ(find_first(-1, std::size_t{5}, [](auto i) { return i == 3; }), 3);
  EXPECT_EQ(find_first(INT_MAX - 1, 3'000'000'000U, [](auto i) { return i > INT_MAX; }),
            std::int64_t{INT_MAX} + 1);
  EXPECT_EQ(count_if(0U, -5, [](auto) { return true; }), 0);
  EXPECT_EQ(count_if(std::size_t{7}, -5, [](auto) { return true; }), 0);
  EXPECT_EQ(count_if('a', 'z', [](char c) { return c != 'b'; }), 24);
  static_assert(std::is_same_v<decltype(find_first(0, 9, std::negate<>{})), int>);
}

TEST(Elements, OfIntegersMayBeMoreThanTheirTypeHolds) { // with a sanitizer of overflows
  for (unsigned threads = 1; threads <= 3; ++threads) {
    const auto policy = par().threads(threads);
    EXPECT_EQ(find_first(policy, INT_MIN, INT_MAX, [](int i) { return i == -2'147'000'000; }),
              -2'147'000'000);
    EXPECT_EQ(count_if(policy, std::int8_t{-128}, std::int8_t{127}, [](int i) { return i > 100; }), 26);
    const auto bits = [](int i) { return i & 1; };
    EXPECT_EQ(transform_reduce(policy, std::int8_t{-128}, std::int8_t{127}, 0, std::plus<>{}, bits), 127);
  }
}

TEST(Elements, OfBitVectorsAreBools) {
  std::vector<bool> bits(100'000);
  for (std::size_t i = 1; i < bits.size(); i += 3) bits[i] = true;
  const std::vector<bool> before = bits;
  for (unsigned threads = 1; threads <= 4; ++threads) {
    const auto policy = par().threads(threads);
    const auto chosen = filter(policy, bits, std::identity{});
    static_assert(std::is_same_v<decltype(chosen), const std::vector<bool>>);
    EXPECT_EQ(chosen, std::vector<bool>(33'333, true));
    EXPECT_EQ(min_element(policy, bits) - bits.begin(), 0);
    EXPECT_EQ(max_element(policy, bits) - bits.begin(), 1);
    EXPECT_EQ(sum(policy, bits), 33'333);
    std::vector<int> out(bits.size());
    EXPECT_EQ(inclusive_scan(policy, bits, out, std::plus<>{}, 0), 33'333);
    EXPECT_TRUE(inclusive_scan(policy, bits, out, std::logical_or<>{}));
    std::atomic<int> set{0};
    for_each(policy, bits, [&](bool bit) { set += bit; });
    EXPECT_EQ(set, 33'333);
    EXPECT_EQ(bits, before);
  }
}

TEST(Elements, PositionsInWhatDoesNotOutliveTheCallAreNone) {
  std::vector<int> in{1, 3, 2};
  const auto made = [&] { return in; };
  const auto is_two = [](int i) { return i == 2; };
  using None = std::ranges::dangling;
  static_assert(std::is_same_v<decltype(max_element(made())), None>);
  static_assert(std::is_same_v<decltype(min_element(par(), made(), std::greater<>{})), None>);
  static_assert(std::is_same_v<decltype(minmax_element(made())), std::pair<None, None>>);
  static_assert(std::is_same_v<decltype(find(made(), 2)), None>);
  static_assert(std::is_same_v<decltype(find_first(made(), is_two)), None>);
  static_assert(std::is_same_v<decltype(find_any(made(), is_two)), None>);
  EXPECT_EQ(count_if(made(), is_two), 1);
  std::vector<int> out(3);
  EXPECT_EQ(copy_if(made(), out, is_two), out.begin() + 1); // out lives on
  EXPECT_EQ(*max_element(std::span<int>(in)), 3);           // and so does what a span refers to
}

TEST(Elements, MayBeAsManyAsThereAreNumbers) {
  const auto count = [](std::uint64_t so_far, auto begin, auto end) {
    return so_far + (static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin));
  };
  for (const std::uint64_t n : {~std::uint64_t{0}, ~std::uint64_t{0} - 1, std::uint64_t{1} << 63}) {
    for (int threads = 1; threads <= 3; ++threads) {
      const auto policy = par().threads(threads);
      EXPECT_EQ(fold(policy, std::uint64_t{0}, n, std::uint64_t{0}, count, std::plus<>{}), n);
      std::atomic<int> right{0};
#pragma omp parallel num_threads(threads)
      right += team::fold(std::uint64_t{0}, n, std::uint64_t{0}, count, std::plus<>{}) == n;
      EXPECT_EQ(right, threads);
      std::atomic<std::uint64_t> seen{0};
      for_each_chunk(policy, std::uint64_t{0}, n,
                     [&](std::uint64_t begin, std::uint64_t end) { seen += end - begin; });
      EXPECT_EQ(seen, n);
    }
  }
  EXPECT_EQ(fold(INT64_MIN, INT64_MAX, std::uint64_t{0}, count, std::plus<>{}), ~std::uint64_t{0});
}

TEST(Elements, AnEndMayBeWiderThanTheBeginning) {
  const std::uint64_t first = 0xFFFF'FFFFU - 50;
  std::atomic<std::uint64_t> seen{0};
  for_each(0xFFFF'FFFFU - 50, first + 100, [&](std::uint64_t i) {
    if (i >= first && i < first + 100) ++seen;
  });
  EXPECT_EQ(seen, 100U);
  seen = 0;
  for_each_chunk(5, 10L, [&](long begin, long end) { seen += static_cast<std::uint64_t>(end - begin); });
  EXPECT_EQ(seen, 5U);
  const long sum = transform_reduce(1, 101L, 0L, std::plus<>(), [](long i) { return i; });
  EXPECT_EQ(sum, 5050);
  const auto count = fold(
      0, std::size_t{7}, 0L,
      [](long so_far, auto begin, auto end) { return so_far + static_cast<long>(end - begin); },
      std::plus<>());
  EXPECT_EQ(count, 7);
  for_each(0U, -5, [](auto) { ADD_FAILURE() << "nothing is before the beginning"; });
}

TEST(Elements, ANegativeEndIsBeforeAWiderBeginning) {
  const std::size_t first = 0;
  const int none = -1;
  std::atomic<int> calls{0};
  const auto once = [&](auto&&...) {
    if (++calls > 1) throw calls.load(); // what is wrong here does not end
    return 1;
  };
  for_each(first, none, once);
  for_each_chunk(first, none, once);
  fold(first, none, 0, once, std::plus<>());
  transform_reduce(first, none, 0, std::plus<>(), once);
#pragma omp parallel num_threads(2)
  {
    team::for_each(first, none, once);
    team::for_each_chunk(par(), first, none, once);
    team::fold(first, none, 0, once, std::plus<>());
  }
  EXPECT_EQ(calls, 0);
  for_each(first, 1, once);
  EXPECT_EQ(calls, 1);
}

} // namespace
} // namespace wstree::algorithms_test
