// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>

namespace wstree::algorithms_test {
namespace {

TEST(Filter, KeepsTheOrderAtEachSize) {
  for_sizes_and_threads([](std::size_t n, const auto& policy) {
    const std::vector<int> in = numbers(n, 1000);
    for (const int below : {0, 10, 500, 1000}) {
      const auto is_small = [below](int i) { return i < below; };
      std::vector<int> yes, no, out(n, -1), rest(n, -1);
      std::partition_copy(in.begin(), in.end(), std::back_inserter(yes), std::back_inserter(no), is_small);
      EXPECT_EQ(filter(policy, in, is_small), yes);

      const auto end = copy_if(policy, in, out, is_small);
      EXPECT_EQ(std::vector<int>(out.begin(), end), yes);
      EXPECT_TRUE(std::all_of(end, out.end(), [](int i) { return i == -1; })); // nothing behind the end

      std::fill(out.begin(), out.end(), -1);
      const auto ends = partition_copy(policy, in, out, rest, is_small);
      EXPECT_EQ(std::vector<int>(out.begin(), ends.first), yes);
      EXPECT_EQ(std::vector<int>(rest.begin(), ends.second), no);
      EXPECT_TRUE(std::all_of(ends.second, rest.end(), [](int i) { return i == -1; }));

      const std::vector<std::size_t> places = pack_index(policy, in, is_small);
      ASSERT_EQ(places.size(), yes.size());
      for (std::size_t k = 0; k < places.size(); ++k) ASSERT_EQ(in[places[k]], yes[k]);
      EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
    }
  });
}

TEST(Filter, CopiesWhatIsNoPlainData) {
  std::vector<std::string> in;
  for (const int i : numbers(60'000, 100'000))
    in.push_back("a string that is not stored in place " + std::to_string(i));
  const auto is_long = [](const std::string& s) { return s.size() > 40; };
  std::vector<std::string> expected;
  std::copy_if(in.begin(), in.end(), std::back_inserter(expected), is_long);
  for (const unsigned threads : {1U, 2U, 7U})
    EXPECT_EQ(filter(par().threads(threads), in, is_long), expected);
}

TEST(Filter, AsksForEachElementOnce) {
  const int n = 120'000;
  for (const unsigned threads : {1U, 2U, 8U}) {
    std::vector<std::atomic<int>> asked(n);
    filter(par().threads(threads), 0, n, [&](int i) {
      asked[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed);
      return i % 3 == 0;
    });
    EXPECT_TRUE(
        std::all_of(asked.begin(), asked.end(), [](const std::atomic<int>& a) { return a.load() == 1; }));
  }
}

TEST(Transform, WritesEachElement) {
  for_sizes_and_threads([](std::size_t n, const auto& policy) {
    const std::vector<int> in = numbers(n, 1000), in2 = numbers(n, 1000, 1);
    std::vector<int> out(n), expected(n);
    const auto triple = [](int i) { return 3 * i; };
    std::transform(in.begin(), in.end(), expected.begin(), triple);
    EXPECT_EQ(transform(policy, in, out, triple), out.end());
    EXPECT_EQ(out, expected);
    std::transform(in.begin(), in.end(), in2.begin(), expected.begin(), std::minus<>{});
    transform(policy, in.begin(), in.end(), in2.begin(), out.begin(), std::minus<>{});
    EXPECT_EQ(out, expected);
    std::adjacent_difference(in.begin(), in.end(), expected.begin());
    EXPECT_EQ(adjacent_difference(policy, in, out), out.end());
    EXPECT_EQ(out, expected);
    EXPECT_EQ(copy(policy, in, out), out.end());
    EXPECT_EQ(out, in);
    fill(policy, out, 8);
    EXPECT_EQ(out, std::vector<int>(n, 8));
    generate(policy, out, [] { return 9; });
    EXPECT_EQ(out, std::vector<int>(n, 9));
    tabulate(policy, out, [](std::size_t i) { return static_cast<int>(i); });
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(out, expected);
  });
}

} // namespace
} // namespace wstree::algorithms_test
