// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace wstree::algorithms_test {
namespace {

struct Pair {
  int key, place;
  bool operator==(const Pair&) const = default;
};
struct ByFirst {
  bool operator()(const Pair& a, const Pair& b) const { return a.key < b.key; }
};
std::vector<Pair> pairs(std::size_t n, int below, int first = 0) {
  std::vector<Pair> out;
  for (const int key : numbers(n, below)) out.push_back({key, first++});
  return out;
}

TEST(Merge, IsThatOfTheStandardAtEachSize) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    for (const std::size_t middle : {std::size_t{0}, n / 7, n / 2, n}) {
      std::vector<Pair> in = pairs(n, 500), out(n), expected(n);
      const auto at = in.begin() + static_cast<std::ptrdiff_t>(middle);
      std::stable_sort(in.begin(), at, ByFirst{});
      std::stable_sort(at, in.end(), ByFirst{});
      std::merge(in.begin(), at, at, in.end(), expected.begin(), ByFirst{});
      EXPECT_EQ(merge(policy, in.begin(), at, at, in.end(), out, ByFirst{}), out.end());
      EXPECT_EQ(out, expected);
      std::vector<Pair> left(in.begin(), at), right(at, in.end());
      std::fill(out.begin(), out.end(), Pair{-1, -1});
      merge(policy, left, right, out.begin(), std::less<>{}, &Pair::key, &Pair::key);
      EXPECT_EQ(out, expected);
      std::atomic<std::size_t> done{0};
      EXPECT_EQ(inplace_merge(policy.progress(done), in.begin(), at, in.end(), ByFirst{}), in.end());
      EXPECT_EQ(in, expected);
      EXPECT_EQ(done, n);
    }
  });
}

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

TEST(Merge, LosesNothingIfAComparisonThrows) {
  for (const unsigned threads : {2U, 5U}) {
    for (int at = 1; at < 60'000; at += at) {
      std::vector<std::unique_ptr<int>> in;
      for (int i = 0; i < 50'000; ++i) in.push_back(std::make_unique<int>(i % 25'000));
      std::atomic<int> compared{0};
      try {
        inplace_merge(par().threads(threads), in, in.begin() + 25'000, [&](const auto& a, const auto& b) {
          if (++compared == at) throw std::runtime_error("planted");
          return *a < *b;
        });
        EXPECT_LT(compared, at);
      } catch (const std::runtime_error&) {
      }
      std::vector<int> counts(25'000);
      for (const auto& element : in) {
        ASSERT_NE(element, nullptr);
        ++counts[static_cast<std::size_t>(*element)];
      }
      EXPECT_EQ(std::count(counts.begin(), counts.end(), 2), 25'000);
    }
  }
}

TEST(Partition, KeepsTheOrderAtEachSize) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    const std::vector<int> in = numbers(n, 1000);
    for (const int below : {0, 10, 500, 1000}) {
      const auto is_small = [below](int i) { return i < below; };
      std::vector<int> out = in, expected = in;
      auto end = std::stable_partition(expected.begin(), expected.end(), is_small);
      std::atomic<std::size_t> done{0};
      EXPECT_EQ(stable_partition(policy.progress(done), out, is_small) - out.begin(), end - expected.begin());
      EXPECT_EQ(out, expected);
      EXPECT_EQ(done, n);
      out = in;
      EXPECT_EQ(partition(policy, out.begin(), out.end(), is_small, std::identity{}) - out.begin(),
                end - expected.begin());
      EXPECT_EQ(std::count_if(out.begin(), out.begin() + (end - expected.begin()), is_small),
                end - expected.begin());

      out = expected = in;
      expected.erase(std::remove_if(expected.begin(), expected.end(), is_small), expected.end());
      out.erase(remove_if(policy, out, is_small), out.end());
      EXPECT_EQ(out, expected);
      out = expected = in;
      for (int& i : out) i /= 300;
      expected = out;
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      out.erase(unique(policy, out), out.end());
      EXPECT_EQ(out, expected);
    }
    std::vector<int> out = in, expected = in;
    if (n == 0) return;
    expected.erase(std::remove(expected.begin(), expected.end(), in[n / 2]), expected.end());
    out.erase(remove(policy, out, out[n / 2]), out.end());
    EXPECT_EQ(out, expected);
  });
}

TEST(Partition, MovesWhatCanOnlyBeMovedAndLosesNothing) {
  const int n = 60'000;
  for (const unsigned threads : {1U, 2U, 5U}) {
    std::vector<std::unique_ptr<int>> in;
    for (int i = 0; i < n; ++i) in.push_back(std::make_unique<int>(i));
    const auto middle =
        stable_partition(par().threads(threads), in, [](const auto& p) { return *p % 3 == 0; });
    ASSERT_EQ(middle - in.begin(), n / 3);
    for (int i = 0; i < n / 3; ++i) ASSERT_EQ(*in[static_cast<std::size_t>(i)], 3 * i);
    std::sort(in.begin(), in.end());
    const auto end = remove_if(par().threads(threads), in, [](const auto& p) { return *p % 3 == 0; });
    ASSERT_EQ(end - in.begin(), n - n / 3);
    EXPECT_TRUE(std::all_of(in.begin(), end, [](const auto& p) { return *p % 3 != 0; }));
    if (threads == 1) continue;
    in.erase(end, in.end());
    for (const int at : {1, 1000, 39'000}) {
      std::atomic<int> asked{0};
      EXPECT_THROW(unique(par().threads(threads), in,
                          [&](const auto&, const auto&) {
                            if (++asked == at) throw std::runtime_error("planted");
                            return true;
                          }),
                   std::runtime_error);
      EXPECT_TRUE(std::all_of(in.begin(), in.end(), [](const auto& p) { return p != nullptr; }));
    }
  }
}

TEST(Reorder, ReversesAndRotatesAtEachSize) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    const std::vector<int> in = numbers(n, 1'000'000);
    std::vector<int> out = in;
    std::atomic<std::size_t> done{0};
    EXPECT_EQ(reverse(policy.progress(done), out), out.end());
    EXPECT_TRUE(std::equal(out.rbegin(), out.rend(), in.begin(), in.end()));
    EXPECT_EQ(done, n);
    for (const std::size_t left : {std::size_t{0}, n / 3, n}) {
      std::vector<int> expected = out = in;
      const auto to =
          std::rotate(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(left), expected.end());
      EXPECT_EQ(rotate(policy, out.begin(), out.begin() + static_cast<std::ptrdiff_t>(left), out.end()) -
                    out.begin(),
                to - expected.begin());
      EXPECT_EQ(out, expected);
    }
  });
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

} // namespace
} // namespace wstree::algorithms_test
