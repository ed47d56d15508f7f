// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every algorithm of the standard library that takes a policy, on <wstree/execution.h>, against the same
// algorithm in sequence.
#include "standard_support.h"

namespace wstree::standard_test {
namespace {

/// Calls compute(policy, numbers) with few and many different numbers. The result is that of the sequence.
template <class Compute> void same_in_parallel(Compute compute) {
  for (const std::size_t n : k_sizes)
    for (const std::int64_t below : {2, 50, 1'000'000'000}) {
      SCOPED_TRACE(std::to_string(n) + " numbers below " + std::to_string(below));
      const Numbers values = numbers(n, below, n);
      const auto expected = compute(execution::seq, values);
      EXPECT_TRUE(compute(execution::par, values) == expected);
      if (::testing::Test::HasFailure()) return;
    }
}

const auto k_large = [](std::int64_t x) { return x > 900'000'000; };
const auto k_far = [](std::int64_t x, std::int64_t y) { return x + 3 < y; };

#define FIRST v.begin(), v.end()

TEST(StandardAlgorithms, Searches) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    const auto at = [&](auto it) { return std::int64_t{it - v.begin()}; };
    const Numbers few{7, 11, 13};
    const Numbers middle(v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2),
                         v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2 + v.size() / 4));
    const auto smallest_and_largest = std::minmax_element(how, FIRST);
    return Numbers{std::all_of(how, FIRST, k_even),
                   std::any_of(how, FIRST, k_large),
                   std::none_of(how, FIRST, k_large),
                   std::count(how, FIRST, 1),
                   std::count_if(how, FIRST, k_even),
                   at(std::find(how, FIRST, 1)),
                   at(std::find_if(how, FIRST, k_large)),
                   at(std::find_if_not(how, FIRST, k_even)),
                   at(std::find_first_of(how, FIRST, few.begin(), few.end())),
                   at(std::find_end(how, FIRST, middle.begin(), middle.end())),
                   at(std::search(how, FIRST, middle.begin(), middle.end())),
                   at(std::search_n(how, FIRST, 3, 1)),
                   at(std::adjacent_find(how, FIRST)),
                   at(std::adjacent_find(how, FIRST, k_far)),
                   at(std::min_element(how, FIRST)),
                   at(std::max_element(how, FIRST)),
                   at(smallest_and_largest.first),
                   at(smallest_and_largest.second),
                   std::is_partitioned(how, FIRST, k_even),
                   std::is_sorted(how, FIRST),
                   at(std::is_sorted_until(how, FIRST)),
                   std::is_heap(how, FIRST),
                   at(std::is_heap_until(how, FIRST))};
  });
}

TEST(StandardAlgorithms, Comparisons) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    Numbers result;
    Numbers other = v;
    for (const std::size_t changed : {v.size(), v.size() / 2, std::size_t{0}}) {
      if (changed < v.size()) ++other[changed];
      result.push_back(std::equal(how, FIRST, other.begin(), other.end()));
      result.push_back(std::mismatch(how, FIRST, other.begin(), other.end()).first - v.begin());
      result.push_back(std::lexicographical_compare(how, FIRST, other.begin(), other.end()));
    }
    return result;
  });
}

TEST(StandardAlgorithms, WritesOneForEach) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    Numbers all, out(v.size()), a = v, b = numbers(v.size(), 100, 1);
    const auto keep = [&](const Numbers& made) { all.insert(all.end(), made.begin(), made.end()); };
    std::for_each(how, a.begin(), a.end(), [](std::int64_t& x) { x = 3 * x + 1; });
    std::for_each_n(how, a.begin(), a.size() / 2, [](std::int64_t& x) { x ^= 5; });
    std::transform(how, FIRST, out.begin(), [](std::int64_t x) { return x * x % 101; });
    keep(out);
    std::transform(how, FIRST, b.begin(), out.begin(), [](std::int64_t x, std::int64_t y) { return x - y; });
    keep(out);
    std::copy(how, FIRST, out.begin());
    std::copy_n(how, b.begin(), b.size() / 2, out.begin());
    std::swap_ranges(how, a.begin(), a.end(), b.begin());
    std::move(how, b.begin(), b.end(), out.begin());
    keep(a), keep(b), keep(out);
    std::replace(how, a.begin(), a.end(), 1, 2);
    std::replace_if(how, a.begin(), a.end(), k_even, -1);
    std::replace_copy(how, FIRST, out.begin(), 1, 77);
    keep(a), keep(out);
    std::replace_copy_if(how, FIRST, out.begin(), k_even, 78);
    keep(out);
    std::fill(how, out.begin(), out.end(), 5);
    std::fill_n(how, out.begin(), out.size() / 3, 6);
    std::generate(how, a.begin(), a.end(), [] { return 9; });
    std::generate_n(how, a.begin(), a.size() / 3, [] { return 8; });
    keep(a), keep(out);
    std::adjacent_difference(how, FIRST, out.begin());
    keep(out);
    std::reverse_copy(how, FIRST, out.begin());
    keep(out);
    const auto middle = static_cast<std::ptrdiff_t>(v.size() / 3);
    std::rotate_copy(how, v.begin(), v.begin() + middle, v.end(), out.begin());
    keep(out);
    Numbers turned = v;
    std::reverse(how, turned.begin(), turned.end());
    std::rotate(how, turned.begin(), turned.begin() + middle, turned.end());
    keep(turned);
    std::rotate(how, turned.begin(), turned.end() - middle, turned.end());
    keep(turned);
    return all;
  });
}

/// What is in front of `end`.
Numbers before(const Numbers& v, Numbers::const_iterator end) { return Numbers(v.begin(), end); }

TEST(StandardAlgorithms, Choices) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    std::vector<Numbers> all;
    Numbers out(v.size()), rest(v.size());
    const auto keep = [&](auto end) { all.push_back(before(out, end)); };
    keep(std::copy_if(how, FIRST, out.begin(), k_even));
    keep(std::remove_copy(how, FIRST, out.begin(), 1));
    keep(std::remove_copy_if(how, FIRST, out.begin(), k_even));
    keep(std::unique_copy(how, FIRST, out.begin()));
    const auto ends = std::partition_copy(how, FIRST, out.begin(), rest.begin(), k_even);
    keep(ends.first), all.push_back(before(rest, ends.second));
    for (int i = 0; i < 4; ++i) {
      Numbers a = v;
      const auto end = i == 0   ? std::remove(how, a.begin(), a.end(), 1)
                       : i == 1 ? std::remove_if(how, a.begin(), a.end(), k_even)
                       : i == 2 ? std::unique(how, a.begin(), a.end())
                                : std::stable_partition(how, a.begin(), a.end(), k_even);
      all.push_back(i == 3 ? a : before(a, end)), all.push_back({end - a.begin()});
    }
    Numbers a = v;
    const auto end = std::partition(how, a.begin(), a.end(), k_even);
    all.push_back({end - a.begin(), std::all_of(a.begin(), end, k_even), std::none_of(end, a.end(), k_even)});
    std::sort(a.begin(), a.end());
    all.push_back(a);
    return all;
  });
}

TEST(StandardAlgorithms, Sorts) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    std::vector<Numbers> all;
    const auto sorted = [&](Numbers a) {
      std::sort(how, a.begin(), a.end());
      return a;
    };
    Numbers a = sorted(v), descending = v;
    std::sort(how, descending.begin(), descending.end(), std::greater<>());
    all.push_back(a), all.push_back(descending);
    all.push_back(sorted(a)), all.push_back(sorted(descending));
    const auto third = static_cast<std::ptrdiff_t>(v.size() / 3);
    Numbers b = v;
    std::partial_sort(how, b.begin(), b.begin() + third, b.end());
    all.push_back(before(b, b.begin() + third));
    std::sort(b.begin(), b.end());
    all.push_back(b);
    for (const std::size_t size : {v.size() / 3, v.size(), v.size() + 5}) {
      Numbers out(size, -1);
      std::partial_sort_copy(how, FIRST, out.begin(), out.end());
      all.push_back(out);
    }
    Numbers c = v;
    if (!c.empty()) {
      std::nth_element(how, c.begin(), c.begin() + third, c.end());
      all.push_back({c[static_cast<std::size_t>(third)]});
    }
    return all;
  });
}

/// Sorted by `key`; `place` shows the order of equals.
struct Entry {
  std::int64_t key, place;
  bool operator==(const Entry&) const = default;
};
bool operator<(const Entry& a, const Entry& b) { return a.key < b.key; }

TEST(StandardAlgorithms, StableOnesKeepEqualsInOrder) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    std::vector<Entry> a, b, out(2 * v.size());
    for (std::size_t i = 0; i < v.size(); ++i) a.push_back({v[i] % 10, static_cast<std::int64_t>(i)});
    for (const std::int64_t x : numbers(v.size(), 10, 2))
      b.push_back({x, -x - static_cast<std::int64_t>(b.size())});
    std::stable_sort(how, a.begin(), a.end());
    std::stable_sort(how, b.begin(), b.end());
    std::merge(how, a.begin(), a.end(), b.begin(), b.end(), out.begin());
    std::vector<Entry> halves = a;
    halves.insert(halves.end(), b.begin(), b.end());
    std::inplace_merge(how, halves.begin(), halves.begin() + static_cast<std::ptrdiff_t>(a.size()),
                       halves.end());
    return std::vector{a, b, out, halves};
  });
}

TEST(StandardAlgorithms, Sets) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    std::vector<Numbers> all;
    Numbers a = v, out(2 * v.size());
    std::sort(a.begin(), a.end());
    for (const std::int64_t shift : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2'000'000'000}}) {
      Numbers b = numbers(v.size() / 2, v.empty() ? 2 : a.back() + 2, 3);
      for (auto& x : b) x += shift;
      std::sort(b.begin(), b.end());
      const auto keep = [&](auto end) { all.push_back(before(out, end)); };
      keep(std::set_union(how, a.begin(), a.end(), b.begin(), b.end(), out.begin()));
      keep(std::set_intersection(how, a.begin(), a.end(), b.begin(), b.end(), out.begin()));
      keep(std::set_difference(how, a.begin(), a.end(), b.begin(), b.end(), out.begin()));
      keep(std::set_symmetric_difference(how, a.begin(), a.end(), b.begin(), b.end(), out.begin()));
      all.push_back(
          {std::includes(how, a.begin(), a.end(), b.begin(), b.end()),
           std::includes(how, a.begin(), a.end(), a.begin() + std::ptrdiff_t(a.size() / 2), a.end())});
    }
    return all;
  });
}

TEST(StandardAlgorithms, SumsAndScans) {
  same_in_parallel([](const auto& how, const Numbers& v) {
    std::vector<Numbers> all;
    Numbers out(v.size());
    const auto square = [](std::int64_t x) { return x * x % 1'000; };
    all.push_back({std::reduce(how, FIRST), std::reduce(how, FIRST, std::int64_t{5}),
                   std::reduce(how, FIRST, std::int64_t{1}, [](auto x, auto y) { return std::max(x, y); }),
                   std::transform_reduce(how, FIRST, std::int64_t{3}, std::plus<>(), square),
                   std::transform_reduce(how, FIRST, v.begin(), std::int64_t{0}, std::plus<>(),
                                         [](std::int64_t x, std::int64_t y) { return (x ^ y) % 7; })});
    const auto keep = [&](auto) { all.push_back(out); };
    keep(std::inclusive_scan(how, FIRST, out.begin()));
    keep(std::inclusive_scan(how, FIRST, out.begin(), std::plus<>(), std::int64_t{9}));
    keep(std::exclusive_scan(how, FIRST, out.begin(), std::int64_t{4}));
    keep(std::transform_inclusive_scan(how, FIRST, out.begin(), std::plus<>(), square));
    keep(std::transform_exclusive_scan(how, FIRST, out.begin(), std::int64_t{2}, std::plus<>(), square));
    std::copy(FIRST, out.begin());
    keep(std::inclusive_scan(how, out.begin(), out.end(), out.begin()));
    // Halves and quarters, whose sums are exact in any order.
    std::vector<double> exact;
    for (const std::int64_t x : v) exact.push_back(static_cast<double>(x % 1'000) / 4);
    std::vector<double> sums(v.size());
    std::exclusive_scan(how, exact.begin(), exact.end(), sums.begin(), 0.5);
    for (const double x : sums) all.back().push_back(static_cast<std::int64_t>(x * 4));
    std::inclusive_scan(how, exact.begin(), exact.end(), sums.begin());
    for (const double x : sums) all.back().push_back(static_cast<std::int64_t>(x * 4));
    return all;
  });
}

} // namespace
} // namespace wstree::standard_test
