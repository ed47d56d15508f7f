// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms that the standard has, too, against those of the standard in sequence, at each size.
#include "algorithms_support.h"

#include <array>
#include <atomic>
#include <functional>
#include <utility>

namespace wstree::algorithms_test {
namespace {

using same_calls::Numbers;

template <class Group> void same(Group group) {
  for (const std::size_t n : k_sizes)
    for (const int below : {3, 1000, 1'000'000'000}) {
      if (n > 5'000 && below != 1000) continue;
      const std::vector<int> ints = numbers(n, below);
      const Numbers values(ints.begin(), ints.end());
      const auto expected = group(same_calls::InSequence(), values);
      for (const unsigned threads : {1U, 2U, 5U}) {
        if (!is_worth(n, threads) || (n > 5'000 && threads == 1)) continue;
        SCOPED_TRACE(std::to_string(n) + " numbers below " + std::to_string(below) + ", " +
                     std::to_string(threads) + " threads");
        EXPECT_TRUE(group(Ours{par().threads(threads)}, values) == expected);
      }
      if (testing::Test::HasFailure()) return;
    }
}

TEST(Searches, AreThoseOfTheStandardAtEachSize) { same(WSTREE_GROUP(searches)); }
TEST(Comparisons, AreThoseOfTheStandardAtEachSize) { same(WSTREE_GROUP(comparisons)); }
TEST(Writes, AreThoseOfTheStandardAtEachSize) { same(WSTREE_GROUP(writes)); }
TEST(Choices, AreThoseOfTheStandardAtEachSize) { same(WSTREE_GROUP(choices)); }
TEST(Sorts, AreThoseOfTheStandardAtEachSize) { same(WSTREE_GROUP(sorts)); }
TEST(StableSorts, AreThoseOfTheStandardAtEachSize) { same(WSTREE_GROUP(stable_sorts)); }
TEST(Sets, AreThoseOfTheStandardAtEachSize) { same(WSTREE_GROUP(sets)); }
TEST(Sums, AreThoseOfTheStandardAtEachSize) { same(WSTREE_GROUP(sums)); }

/// Ranges in place of iterators, and projections.
TEST(Ranges, AndProjectionsAreAccepted) {
  const std::vector<int> in = numbers(50'000, 1000), other = numbers(50'000, 1000, 1);
  std::vector<int> sorted = in, out = in, expected(in.size());
  std::sort(sorted.begin(), sorted.end());
  const auto policy = par().threads(2);
  const auto is_small = [](int i) { return i < 500; };
  EXPECT_EQ(partition(policy, out.begin(), out.end(), is_small, std::identity{}) - out.begin(),
            std::count_if(in.begin(), in.end(), is_small));
  out = in;
  partial_sort(policy, out, out.begin() + 30'000, std::greater<>{}, std::negate<>{});
  EXPECT_TRUE(std::equal(out.begin(), out.begin() + 30'000, sorted.begin()));
  EXPECT_TRUE(is_sorted(policy, sorted, std::greater<>{}, std::negate<>{}));
  EXPECT_EQ(transform(policy, in, out, std::negate<>{}, [](int i) { return i + 1; }), out.end());
  for (std::size_t i = 0; i < in.size(); ++i) ASSERT_EQ(out[i], -in[i] - 1);
  tabulate(policy, out, [](std::size_t i) { return static_cast<int>(i); });
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(out, expected);
  std::vector<long> wide(in.begin(), in.end());
  EXPECT_TRUE(equal(policy, in, wide, [](int x, long y) { return x == y; }));
  wide[40'000] = -1;
  EXPECT_EQ(mismatch(policy, in, wide).first - in.begin(), 40'000);
  out = expected = in; // the value is one of the elements
  expected.erase(std::remove(expected.begin(), expected.end(), in[25'000]), expected.end());
  out.erase(remove(policy, out, out[25'000]), out.end());
  EXPECT_EQ(out, expected);
  std::vector<std::pair<int, int>> pairs;
  for (const int i : sorted) pairs.emplace_back(i, -i);
  std::vector<std::pair<int, int>> merged(2 * pairs.size());
  merge(policy, pairs, pairs, merged, std::less<>{}, &std::pair<int, int>::first,
        &std::pair<int, int>::first);
  EXPECT_TRUE(std::is_sorted(merged.begin(), merged.end(), [](auto a, auto b) { return a.first < b.first; }));
}

/// Each call says that all of its elements are done.
TEST(Progress, IsThatOfAllElements) {
  const std::size_t n = 50'000;
  std::vector<int> in = numbers(n, 1000), other = in, out(2 * n);
  std::sort(other.begin(), other.end());
  const auto is_small = [](int i) { return i < 500; };
  const auto expect = [](const char* name, std::size_t elements, auto call) {
    for (const unsigned threads : {1U, 3U}) {
      std::atomic<std::size_t> done{0};
      call(par().threads(threads).progress(done));
      EXPECT_EQ(done, elements) << name;
    }
  };
  expect("merge", 2 * n, [&](auto policy) { merge(policy, other, other, out); });
  expect("inplace_merge", n, [&](auto policy) { inplace_merge(policy, other, other.begin() + 9'000); });
  expect("stable_partition", n, [&](auto policy) { stable_partition(policy, in, is_small); });
  expect("reverse", n, [&](auto policy) { reverse(policy, in); });
  expect("equal", n, [&](auto policy) { equal(policy, in, in); });
  expect("set_union", 2 * n, [&](auto policy) { set_union(policy, other, other, out); });
  expect("set_difference", 2 * n, [&](auto policy) { set_difference(policy, other, other, out); });
}

} // namespace
} // namespace wstree::algorithms_test
