// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of two and three dimensions, steps, and elements that can only be walked through.
#include "algorithms_support.h"

#include <atomic>
#include <forward_list>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace wstree::algorithms_test {
namespace {

TEST(Blocks, CoverEveryPlaceOfAMatrixOnce) {
  for (const int rows : {0, 1, 5, 64, 65, 130})
    for (const int columns : {0, 1, 63, 64, 200}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(rows * columns));
      const auto visit = [&](const auto& all, std::ptrdiff_t row, std::ptrdiff_t column) {
        for_each(par().threads(3), all, [&](const block<2>& b) {
          for (const auto i : b[0])
            for (const auto j : b[1]) ++times[static_cast<std::size_t>((i - row) * columns + j - column)];
        });
      };
      visit(blocks_2d(rows, columns), 0, 0);
      visit(blocks_2d({3, rows + 3}, {-2, columns - 2}, {7, 16}), 3, -2);
      for (const auto& count : times) ASSERT_EQ(count.load(), 2);
    }
}

TEST(Blocks, OfThreeDimensionsGoInOrder) {
  const auto all = blocks_3d(5, 6, {10, 17}, {2, 4, 3});
  EXPECT_EQ(all.size(), 3U * 2 * 3);
  std::vector<std::atomic<int>> times(5 * 6 * 7);
  for_each(all, [&](const block<3>& b) {
    for (const auto x : b[0])
      for (const auto y : b[1])
        for (const auto z : b[2]) ++times[static_cast<std::size_t>((x * 6 + y) * 7 + z - 10)];
  });
  for (const auto& count : times) ASSERT_EQ(count.load(), 1);
  const block<3> last = all.begin()[17];
  EXPECT_EQ(last[0].first, 4);
  EXPECT_EQ(last[1].first, 4);
  EXPECT_EQ(last[1].last, 6);
  EXPECT_EQ(last[2].last, 17);
  // As many elements as one sum, in order.
  EXPECT_EQ(transform_reduce(
                all, std::string(), [](std::string a, const std::string& b) { return a += b; },
                [](const block<3>& b) { return std::to_string(b[2].first) + ' '; }),
            "10 13 16 10 13 16 10 13 16 10 13 16 10 13 16 10 13 16 ");
}

constexpr std::ptrdiff_t k_lowest = std::numeric_limits<std::ptrdiff_t>::min(),
                         k_highest = std::numeric_limits<std::ptrdiff_t>::max();

TEST(Steps, AreRefusedIfThereAreTooMany) {
  EXPECT_THROW(steps(k_lowest, k_highest, 1), std::length_error);
  EXPECT_THROW(steps(k_highest, k_lowest, -1), std::length_error);
  EXPECT_THROW(steps(std::uint64_t{0}, ~std::uint64_t{0}, 1), std::length_error);
  EXPECT_THROW(steps(k_lowest, 0, 1), std::length_error) << "2^63";
  const auto all = steps(k_lowest + 1, 0, 1);
  EXPECT_EQ(all.end() - all.begin(), k_highest);
  EXPECT_THROW(steps(k_lowest, k_highest, 2), std::length_error) << "2^63";
  EXPECT_EQ(steps(k_lowest, k_highest, 3).size(), ~std::size_t{0} / 3);
}

TEST(Steps, AreTheNumbersOfALoop) {
  const auto expect = [](auto first, decltype(first) last, decltype(first) step) {
    std::vector<decltype(first)> expected, reached;
    if (step > 0)
      for (auto i = static_cast<std::int64_t>(first); i < last; i += step)
        expected.push_back(static_cast<decltype(first)>(i));
    else if (step < 0)
      for (auto i = static_cast<std::int64_t>(first); i > last; i += step)
        expected.push_back(static_cast<decltype(first)>(i));
    const auto range = steps(first, last, step);
    for (auto it = range.begin(); it != range.end(); ++it) reached.push_back(*it);
    EXPECT_EQ(reached, expected) << +first << ' ' << +last << ' ' << +step;
    EXPECT_EQ(range.size(), expected.size());
  };
  for (const int step : {-7, -3, -1, 0, 1, 2, 10, 1000}) {
    expect(3, 100, step);
    expect(100, 3, step);
    expect(-5, 6, step);
    expect(5, 5, step);
  }
  const int least = std::numeric_limits<int>::min(), most = std::numeric_limits<int>::max();
  expect(least, most, 1'000'000'000);
  expect(most, least, -1'000'000'000);
  expect(most, least, least);
  const auto large = steps(std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 62);
  EXPECT_EQ(std::vector<std::uint64_t>(large.begin(), large.end()),
            (std::vector<std::uint64_t>{0, 1ULL << 62, 1ULL << 63, 3ULL << 62}));
  std::atomic<std::int64_t> sum{0};
  for_each(par().threads(4), steps(0, 300'000, 3), [&](int i) { sum += i; });
  EXPECT_EQ(sum.load(), 3 * (std::int64_t{99'999} * 100'000 / 2));
}

/// Every element once, with every number of threads.
template <class Container> void walk_through(Container elements, std::size_t n) {
  for (unsigned threads = 1; threads <= 4; ++threads) {
    std::atomic<std::int64_t> sum{0}, progress{0};
    const auto add = [&](auto& element) {
      if constexpr (requires { element.second; })
        sum += ++element.second;
      else
        sum += element;
    };
    const auto policy = par().threads(threads);
    for_each(policy.progress(progress), elements, add);
    for_each(policy.on(resident_crew), elements.begin(), elements.end(), add);
    const auto m = static_cast<std::int64_t>(n);
    std::int64_t expected = m * (m - 1);
    if constexpr (requires { elements.begin()->second; }) {
      // Each walk has added one to each.
      expected += m * (4 * static_cast<std::int64_t>(threads) - 1);
    }
    EXPECT_EQ(sum.load(), expected) << threads << " threads, " << n << " elements";
    EXPECT_EQ(progress.load(), m);
  }
}

TEST(Walks, ThroughContainersWithoutRandomAccess) {
  for (const std::size_t n : {0U, 1U, 2U, 3U, 100U, 20'000U}) {
    std::list<std::int64_t> list;
    std::forward_list<std::int64_t> forward;
    std::set<std::int64_t> set;
    std::map<int, std::int64_t> map;
    std::unordered_map<int, std::int64_t> hashed;
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = static_cast<std::int64_t>(i);
      list.push_back(value), forward.push_front(value), set.insert(value);
      map[static_cast<int>(i)] = value, hashed[static_cast<int>(i)] = value;
    }
    walk_through(list, n);
    walk_through(forward, n);
    walk_through(set, n);
    walk_through(map, n);
    walk_through(hashed, n);
  }
}

TEST(Walks, TheLowestExceptionArrivesAndStopsHold) {
  std::list<int> list;
  for (int i = 0; i < 50'000; ++i) list.push_back(i);
  for (unsigned threads = 1; threads <= 4; ++threads) {
    try {
      for_each(par().threads(threads), list, [](int i) {
        if (i % 1000 == 777) throw std::runtime_error(std::to_string(i));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "777");
    }
  }
  struct Stopped {
    static bool stop_requested() { return true; }
  };
  EXPECT_THROW(for_each(par().stop(Stopped{}), list, [](int) { FAIL(); }), cancelled);
}

TEST(Sentinels, EndElementsOfEveryCall) {
  std::vector<int> v(1'000, 2);
  const std::counted_iterator first(v.begin(), 1'000);
  const auto end = std::default_sentinel;
  for_each(first, end, [](int& e) { ++e; });
  for_each(par(), first, end, [](int& e) { ++e; });
  EXPECT_EQ(reduce(first, end, 0), 4'000);
  EXPECT_EQ(reduce(v.begin(), v.cend(), 0), 4'000);
  EXPECT_EQ(reduce(first, end, plus()), 4'000);
  EXPECT_EQ(reduce(par(), first, end, plus()), 4'000);
  EXPECT_EQ(reduce(sequential_order, first, end, 1, plus()), 4'001);
  EXPECT_EQ(reduce(reproducible, first, end, 1L), 4'001);
  EXPECT_EQ(transform_reduce(first, end, 0, plus(), [](int e) { return e / 4; }), 1'000);
  EXPECT_EQ(count(first, end, 4), 1'000);
}

} // namespace
} // namespace wstree::algorithms_test
