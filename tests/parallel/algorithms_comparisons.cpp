// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace wstree::algorithms_test {
namespace {

/// Places of a change: none, the ends, borders of blocks, anywhere.
std::vector<std::size_t> places_in(std::size_t n) {
  std::vector<std::size_t> places{n};
  for (const std::size_t place : {std::size_t{0}, std::size_t{1023}, std::size_t{1024}, n / 2, n - 1})
    if (place < n) places.push_back(place);
  return places;
}

TEST(Comparisons, FindTheFirstDifferenceAtEachSize) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    const std::vector<int> a = numbers(n, 1000);
    for (const std::size_t place : places_in(n)) {
      std::vector<int> b = a;
      std::vector<long> wide(a.begin(), a.end());
      if (place < n) b[place] += place % 2 == 0 ? 1 : -1, wide[place] = -1;
      EXPECT_EQ(equal(policy, a, b), a == b);
      EXPECT_EQ(equal(policy, a.begin(), a.end(), b.begin()), a == b);
      EXPECT_EQ(equal(policy, a, wide, [](int x, long y) { return x == y; }), place == n);
      EXPECT_EQ(mismatch(policy, a, b), std::mismatch(a.begin(), a.end(), b.begin()));
      EXPECT_EQ(mismatch(policy, a, wide).first - a.begin(), static_cast<std::ptrdiff_t>(place));
      EXPECT_EQ(lexicographical_compare(policy, a, b), a < b);
      EXPECT_EQ(lexicographical_compare(policy, b.begin(), b.end(), a.begin(), a.end()), b < a);
      EXPECT_EQ(lexicographical_compare(policy, a, b, std::greater<>{}),
                std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), std::greater<>{}));
    }
    std::vector<int> longer = a;
    longer.push_back(0);
    EXPECT_FALSE(equal(policy, a, longer));
    EXPECT_FALSE(equal(policy, longer.begin(), longer.end(), a.begin(), a.end()));
    EXPECT_TRUE(lexicographical_compare(policy, a, longer));
    EXPECT_FALSE(lexicographical_compare(policy, longer, a));
    EXPECT_EQ(mismatch(policy, longer, a),
              (std::pair{longer.begin() + static_cast<std::ptrdiff_t>(n), a.end()}));
    std::atomic<std::size_t> done{0};
    EXPECT_TRUE(equal(policy.progress(done), a, a));
    EXPECT_EQ(done, n);
  });
}

TEST(Comparisons, LookAtNeighboursAtEachSize) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    std::vector<int> up(n);
    for (std::size_t i = 0; i < n; ++i) up[i] = static_cast<int>(2 * i);
    for (const std::size_t place : places_in(n)) {
      std::vector<int> in = up;
      if (place < n) in[place] += 2; // equal to the next one
      EXPECT_EQ(adjacent_find(policy, in), std::adjacent_find(in.begin(), in.end()));
      EXPECT_EQ(adjacent_find(policy, in, std::greater<>{}), in.end());
      EXPECT_TRUE(is_sorted(policy, in));
      if (place < n) in[place] = -5;
      EXPECT_EQ(is_sorted(policy, in.begin(), in.end()), std::is_sorted(in.begin(), in.end()));
      EXPECT_EQ(is_sorted_until(policy, in), std::is_sorted_until(in.begin(), in.end()));
      EXPECT_EQ(is_sorted(policy, in, std::greater<>{}, std::negate<>{}),
                std::is_sorted(in.begin(), in.end()));
    }
  });
}

TEST(Comparisons, SearchFindsTheFirstBeginning) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    const std::vector<int> in = numbers(n, 3);
    for (const std::size_t length :
         {std::size_t{0}, std::size_t{1}, std::size_t{5}, std::size_t{9}, std::size_t{40}, n, n + 1}) {
      std::vector<int> wanted = numbers(length, 3, 1);
      EXPECT_EQ(search(policy, in, wanted), std::search(in.begin(), in.end(), wanted.begin(), wanted.end()));
      if (length > n || length == 0) continue;
      wanted.assign(in.end() - static_cast<std::ptrdiff_t>(length), in.end());
      EXPECT_EQ(search(policy, in.begin(), in.end(), wanted.begin(), wanted.end()),
                std::search(in.begin(), in.end(), wanted.begin(), wanted.end()));
    }
  });
}

TEST(Comparisons, AnExceptionBehindTheFirstDifferenceIsNone) {
  const int n = 100'000;
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const int at : {10, 40'000, 99'000}) {
      std::vector<int> a(n), b(n);
      b[static_cast<std::size_t>(at)] = 1;
      const auto throws_behind = [&](const int& x, const int& y) {
        if (&x - a.data() == at + 1) throw std::runtime_error("planted");
        return x == y;
      };
      EXPECT_EQ(mismatch(par().threads(threads), a, b, throws_behind).first - a.begin(), at);
      const auto throws_before = [&](const int& x, const int& y) {
        if (&x - a.data() == at - 1) throw std::runtime_error("planted");
        return x == y;
      };
      EXPECT_THROW(mismatch(par().threads(threads), a, b, throws_before), std::runtime_error);
    }
  }
}

} // namespace
} // namespace wstree::algorithms_test
