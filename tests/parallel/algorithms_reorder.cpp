// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms that put elements into another order, or into groups.
#include "algorithms_support.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace wstree::algorithms_test {
namespace {

template <class Key, std::size_t k_more> struct Padded {
  Key key;
  std::array<Key, k_more> place; // in the input
  bool operator<(const Padded& other) const { return key < other.key; }
  bool operator==(const Padded&) const = default;
};
/// Rows of one input, from none to longer than are copied at once, in inputs that overlap in part.
template <class Key, std::size_t k_more> void merge_rows() {
  using E = Padded<Key, k_more>;
  for (const std::size_t row : {1U, 5U, 15U, 16U, 17U, 40U, 1000U})
    for (const std::size_t n : {0U, 1U, 16U, 63U, 400U}) {
      std::vector<E> one, two;
      for (std::size_t i = 0; i < n; ++i) {
        one.push_back({static_cast<Key>(i / row * 2 % 100), {}});
        two.push_back({static_cast<Key>(i / row * 2 % 100 + i % 2), {}});
        one.back().place.fill(static_cast<Key>(i % 90)), two.back().place.fill(static_cast<Key>(100));
      }
      two.resize(n / 2);
      std::stable_sort(one.begin(), one.end()), std::stable_sort(two.begin(), two.end());
      std::vector<E> expected(one.size() + two.size()), out(expected.size());
      std::merge(one.begin(), one.end(), two.begin(), two.end(), expected.begin());
      merge(one, two, out, [](E& a, E& b) { return a < b; });
      ASSERT_EQ(out, expected) << row << ", " << n;
      for (const bool is_first : {true, false}) {
        const auto &a = is_first ? one : two, &b = is_first ? two : one;
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
        merge(a, b, out);
        ASSERT_EQ(out, expected) << row << ", " << n;
        std::fill(out.begin(), out.end(), E{});
        merge(par().threads(3).max_chunk(7), a, b, out);
        ASSERT_EQ(out, expected) << row << ", " << n;
      }
    }
}
TEST(Merge, KeepsRowsAndTheOrderOfEqualsOfManySizes) {
  merge_rows<signed char, 1>();
  merge_rows<signed char, 2>();
  merge_rows<short, 3>();
  merge_rows<int, 2>();
  merge_rows<int, 3>();
  merge_rows<double, 1>();
  merge_rows<long, 2>();
}

/// An element whose comparisons and predicates are counted, and of which the one with a number throws. It can
/// only be moved, or, as `Key` is, copied as bytes.
template <class Key> struct Asked {
  static inline std::atomic<int> s_asked{0};
  static inline int s_throws_at = 0;
  static bool answer(bool yes) {
    if (++s_asked == s_throws_at) throw std::runtime_error("planted");
    return yes;
  }
  explicit Asked(int value) {
    if constexpr (std::is_same_v<Key, int>)
      key = value;
    else
      key = std::make_unique<int>(value);
  }
  int value() const {
    if constexpr (std::is_same_v<Key, int>)
      return key;
    else
      return key == nullptr ? -1 : *key;
  }
  bool operator<(const Asked& other) const { return answer(value() < other.value()); }
  bool operator==(const Asked& other) const { return answer(value() == other.value()); }
  Key key{};
};

/// Elements in two sorted runs, most of them twice; every third predicate of reorder(how, elements) says yes.
template <class Key, class Reorder>
void expect_nothing_lost(const char* name, bool is_sorted, Reorder reorder) {
  using Element = Asked<Key>;
  std::vector<int> keys = numbers(8'000, 12'000);
  if (is_sorted) std::sort(keys.begin(), keys.begin() + 5'000), std::sort(keys.begin() + 5'000, keys.end());
  const auto values = [](auto first, auto last) {
    std::vector<int> all;
    for (; first != last; ++first) all.push_back(first->value());
    return all;
  };
  const auto run = [&](const auto& how, int throws_at) {
    std::vector<Element> elements;
    for (const int key : keys) elements.emplace_back(key);
    Element::s_asked = 0, Element::s_throws_at = throws_at;
    try {
      const auto end = reorder(how, elements);
      return std::pair{values(elements.begin(), end), false};
    } catch (const std::runtime_error&) {
      return std::pair{values(elements.begin(), elements.end()), true};
    }
  };
  const std::vector<int> expected = run(same_calls::InSequence(), 0).first;
  for (const unsigned threads : {1U, 2U, 5U}) {
    SCOPED_TRACE(std::string(name) + ", " + std::to_string(threads) + " threads");
    const Ours how{par().threads(threads)};
    EXPECT_EQ(run(how, 0).first, expected);
    if (threads == 1) continue; // what that of the standard leaves
    for (int at = 3; at < 300'000; at *= 8) {
      const auto [left, has_thrown] = run(how, at);
      EXPECT_EQ(has_thrown, Element::s_asked >= at);
      if (has_thrown) {
        EXPECT_EQ(sum_in_any_order(left), sum_in_any_order(keys)) << "exception " << at;
      }
    }
  }
}
template <class Reorder> void expect_nothing_lost(const char* name, bool is_sorted, Reorder reorder) {
  expect_nothing_lost<int>(name, is_sorted, reorder);
  expect_nothing_lost<std::unique_ptr<int>>(name, is_sorted, reorder);
}

TEST(Reorder, LosesNothingIfAComparisonOrPredicateThrows) {
  const auto is_third = [](const auto& e) { return e.answer(e.value() % 3 == 0); };
  expect_nothing_lost("sort", false, [](const auto& how, auto& v) {
    how.sort(v.begin(), v.end());
    return v.end();
  });
  expect_nothing_lost("stable_sort", false, [](const auto& how, auto& v) {
    how.stable_sort(v.begin(), v.end());
    return v.end();
  });
  expect_nothing_lost("inplace_merge", true, [](const auto& how, auto& v) {
    how.inplace_merge(v.begin(), v.begin() + 5'000, v.end());
    return v.end();
  });
  expect_nothing_lost("stable_partition", false, [&](const auto& how, auto& v) {
    how.stable_partition(v.begin(), v.end(), is_third);
    return v.end();
  });
  expect_nothing_lost("remove_if", false,
                      [&](const auto& how, auto& v) { return how.remove_if(v.begin(), v.end(), is_third); });
  expect_nothing_lost("unique", true,
                      [](const auto& how, auto& v) { return how.unique(v.begin(), v.end()); });
}

TEST(Reorder, ShufflesInTheSameWayForEveryNumberOfThreads) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{1000}, std::size_t{131'072},
                              std::size_t{131'073}, std::size_t{400'000}}) {
    std::vector<int> in(n);
    std::iota(in.begin(), in.end(), 0);
    std::vector<int> one = in, other = in;
    shuffle(par().threads(1), one, 17);
    shuffle(par().threads(1), other, 18);
    if (n > 2) {
      EXPECT_NE(one, other);
    }
    for (const unsigned threads : {2U, 5U}) {
      std::vector<int> out = in;
      shuffle(par().threads(threads), out, 17);
      EXPECT_EQ(out, one);
    }
    // Each half of the places gets about as many of each half of the elements.
    const auto low = std::count_if(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(n / 2),
                                   [n](int i) { return static_cast<std::size_t>(i) < n / 2; });
    if (n >= 1000) {
      EXPECT_NEAR(static_cast<double>(low), static_cast<double>(n) / 4, static_cast<double>(n) / 20);
    }
    std::sort(one.begin(), one.end());
    EXPECT_EQ(one, in);
  }
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
