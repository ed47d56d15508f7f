// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <map>
#include <utility>

namespace wstree::algorithms_test {
namespace {

TEST(Selection, IsThatOfTheStandardAtEachSize) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    for (const int below : {3, 1'000'000}) {
      const std::vector<int> in = numbers(n, below);
      const std::uint64_t all = sum_in_any_order(in);
      std::vector<int> sorted = in;
      std::sort(sorted.begin(), sorted.end());
      for (const std::size_t place : {std::size_t{0}, n / 9, n / 2, n - 1, n}) {
        if (place > n) continue;
        const auto at = static_cast<std::ptrdiff_t>(place);
        std::vector<int> out = in;
        EXPECT_EQ(nth_element(policy, out.begin(), out.begin() + at, out.end()), out.end());
        if (place < n) {
          ASSERT_EQ(out[place], sorted[place]);
          EXPECT_TRUE(std::all_of(out.begin(), out.begin() + at, [&](int i) { return i <= out[place]; }));
          EXPECT_TRUE(std::all_of(out.begin() + at, out.end(), [&](int i) { return i >= out[place]; }));
        }
        EXPECT_EQ(sum_in_any_order(out), all);
        out = in;
        partial_sort(policy, out, out.begin() + at, std::greater<>{}, std::negate<>{});
        EXPECT_TRUE(std::equal(out.begin(), out.begin() + at, sorted.begin()));
        EXPECT_EQ(sum_in_any_order(out), all);
      }
    }
  });
}

struct Item {
  int key, place;
  bool operator==(const Item&) const = default;
};

TEST(Sets, AreThoseOfTheStandardAtEachSize) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    for (const int below : {5, 2000, 1'000'000}) {
      const auto sorted = [&](std::size_t count, std::uint64_t salt) {
        std::vector<Item> items;
        for (const int key : numbers(count, below, salt)) items.push_back({key, static_cast<int>(salt)});
        std::stable_sort(items.begin(), items.end(),
                         [](const Item& a, const Item& b) { return a.key < b.key; });
        return items;
      };
      const auto by_key = [](const Item& a, const Item& b) { return a.key < b.key; };
      const std::vector<Item> one = sorted(n, 1), two = sorted(n / 3 + 1, 2);
      std::vector<Item> out(one.size() + two.size(), Item{-1, -1}), expected;
      const auto check = [&](const auto& algorithm, const auto& standard) {
        for (const bool is_turned : {false, true}) {
          const std::vector<Item>&a = is_turned ? two : one, &b = is_turned ? one : two;
          expected.clear();
          standard(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(expected), by_key);
          std::atomic<std::size_t> done{0};
          const auto end = algorithm(policy.progress(done), a, b, out, by_key);
          EXPECT_EQ(std::vector<Item>(out.begin(), end), expected);
          EXPECT_EQ(done, a.size() + b.size());
        }
      };
      check(set_union, [](auto... all) { std::set_union(all...); });
      check(set_intersection, [](auto... all) { std::set_intersection(all...); });
      check(set_difference, [](auto... all) { std::set_difference(all...); });
      check(set_symmetric_difference, [](auto... all) { std::set_symmetric_difference(all...); });
    }
  });
}

TEST(Histogram, CountsAtEachSize) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    const std::vector<int> in = numbers(n, 1000);
    std::vector<std::size_t> expected(100);
    for (const int i : in)
      if (i % 103 < 100) ++expected[static_cast<std::size_t>(i % 103)];
    EXPECT_EQ(histogram(policy, in, 100, [](int i) { return i % 103; }), expected);
  });
}

TEST(GroupBy, KeepsTheOrderInEachGroup) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    std::map<int, std::vector<int>> expected;
    const std::vector<int> in = numbers(n, 100'000);
    for (const int i : in) expected[i % 37].push_back(i);
    const auto groups = group_by(policy, in, [](int i) { return i % 37; });
    ASSERT_EQ(groups.size(), expected.size());
    EXPECT_TRUE(std::equal(groups.begin(), groups.end(), expected.begin(), [](const auto& a, const auto& b) {
      return a.first == b.first && a.second == b.second;
    }));
  });
}

/// NaN is neither less nor more than any number: the result is unspecified, and stays within the output.
TEST(Sets, StayWithinTheirOutputIfTheComparisonContradictsItself) {
  std::vector<double> one = fractions(60'000), two = fractions(45'000);
  for (std::size_t i = 0; i < one.size(); i += 7) one[i] = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < two.size(); i += 5) two[i] = std::numeric_limits<double>::quiet_NaN();
  for (const unsigned threads : {2U, 5U}) {
    const auto policy = par().threads(threads);
    std::vector<double> out(one.size() + two.size() + 1'000, -1.0);
    const auto most = static_cast<std::ptrdiff_t>(one.size() + two.size());
    for (const auto size : {set_union(policy, one, two, out.begin()) - out.begin(),
                            set_symmetric_difference(policy, one, two, out.begin()) - out.begin(),
                            set_intersection(policy, one, two, out.begin()) - out.begin(),
                            set_difference(policy, one, two, out.begin()) - out.begin()})
      EXPECT_LE(size, most);
    EXPECT_EQ(std::count(out.begin() + most, out.end(), -1.0), 1'000);
  }
}

} // namespace
} // namespace wstree::algorithms_test
