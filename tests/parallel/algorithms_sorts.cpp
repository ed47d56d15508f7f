// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace wstree::algorithms_test {
namespace {

/// An element of any size, with a key and its place before the sort.
template <std::size_t k_bytes> struct Placed {
  int key = 0;
  int place = 0;
  char more[k_bytes - 2 * sizeof(int)] = {};
  bool operator==(const Placed& other) const { return key == other.key && place == other.place; }
};
template <> struct Placed<8> {
  int key = 0;
  int place = 0;
  bool operator==(const Placed&) const = default;
};
struct ByKey {
  template <class T> bool operator()(const T& a, const T& b) const { return a.key < b.key; }
};
template <class T> std::vector<T> placed(const std::vector<int>& keys) {
  std::vector<T> elements(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i)
    elements[i].key = keys[i], elements[i].place = static_cast<int>(i);
  return elements;
}

template <class T> void expect_stable(const std::vector<int>& keys, unsigned threads) {
  const std::vector<T> in = placed<T>(keys);
  std::vector<T> expected = in, out = in;
  std::stable_sort(expected.begin(), expected.end(), ByKey{});
  EXPECT_EQ(stable_sort(par().threads(threads), out, ByKey{}), out.end());
  EXPECT_TRUE(out == expected);
  out = in;
  EXPECT_EQ(sort(par().threads(threads), out.begin(), out.end(), ByKey{}), out.end());
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), ByKey{}));
  std::sort(out.begin(), out.end(), [](const T& a, const T& b) { return a.place < b.place; });
  EXPECT_TRUE(out == in);
}

TEST(Sort, FindsWhatIsSortedAlready) {
  const std::size_t n = 70'001;
  std::vector<int> up(n), down(n), equal(n, 7), hills(n), almost(n);
  std::iota(up.begin(), up.end(), 0);
  std::reverse_copy(up.begin(), up.end(), down.begin());
  for (std::size_t i = 0; i < n; ++i) hills[i] = static_cast<int>(i % 1000);
  almost = up;
  std::swap(almost[n - 1], almost[n - 2]);
  std::vector<int> steps = down; // it does not descend strictly: turned round, equal elements would be, too
  for (int& step : steps) step /= 2;
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const std::vector<int>& keys : {up, down, equal, hills, almost, steps})
      expect_stable<Placed<8>>(keys, threads);
    for (const int below : {10, 1'000'000}) expect_stable<Placed<64>>(numbers(40'000, below), threads);
  }
}

/// What std::stable_sort makes of `texts`, and whether sort() and stable_sort() make the same.
template <class Text> void expect_sorted_texts(const std::vector<Text>& texts) {
  std::vector<Text> expected = texts;
  std::stable_sort(expected.begin(), expected.end());
  for (const unsigned threads : {2U, 3U}) {
    std::vector<Text> out = texts;
    EXPECT_EQ(sort(par().threads(threads), out), out.end());
    EXPECT_TRUE(out == expected);
    out = texts;
    stable_sort(par().threads(threads), out, std::less<>());
    EXPECT_TRUE(out == expected);
    if constexpr (std::is_same_v<Text, std::string_view>) {
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i].data(), expected[i].data()) << i;
    }
    std::deque<Text> deque(texts.begin(), texts.end());
    sort(par().threads(threads), deque, std::less<Text>());
    EXPECT_TRUE(std::equal(deque.begin(), deque.end(), expected.begin()));
  }
}

// Eight characters behind those that all have in common decide, or more, or fewer.
TEST(Sort, TextsAreComparedAsBytesAtEachLength) {
  const std::vector<int> keys = numbers(5'000, 1 << 30);
  for (const std::string common : {"", "a", "a common beginning of more than one word "}) {
    std::vector<std::string> digits, bytes, tails, even; // even: as long as each other
    for (const int key : keys) {
      digits.push_back(common + std::to_string(key));
      std::string text = common; // of 0 to 11 characters, among them 0 and those above 127
      for (int k = 0; k < key % 12; ++k) text += "\0\x01\x7f\x80\xff"[static_cast<unsigned>(key >> k) % 5];
      bytes.push_back(text);
      even.push_back(common + std::to_string(100 + key % 500));
      tails.push_back(common + std::string(1, static_cast<char>('a' + key % 3)) + "12345678" +
                      std::to_string(key));
    }
    for (const auto* texts : {&digits, &bytes, &tails, &even}) {
      expect_sorted_texts(*texts);
      expect_sorted_texts(std::vector<std::string_view>(texts->begin(), texts->end()));
    }
  }
}

// Neither the first eight characters tell them apart, nor those behind what all have in common.
TEST(Sort, TextsWithAFewLongBeginningsAreSortedByTheirKeys) {
  const std::string beginnings[] = {"/usr/include/c++/", "/usr/lib/x86_64-linux/", "/home/user/project/",
                                    "/var/log/service/"};
  std::vector<std::string> texts;
  for (const int key : numbers(40'000, 1 << 30))
    texts.push_back(beginnings[key % 4] + std::to_string(key / 4 % 30'000) + " 12345678");
  expect_sorted_texts(texts);
  std::vector<std::string> expected = texts;
  std::sort(expected.begin(), expected.end());
  EXPECT_TRUE(detail::TextSort<decltype(texts.begin())>::sort(par().threads(2), texts.begin(), texts.size()));
  EXPECT_TRUE(texts == expected);
}

// Characters that are 0 are no part of what was compared yet where texts end.
TEST(Sort, TextsThatNoEightCharactersTellApartAreSortedToo) {
  std::vector<std::string> texts(30'000, "abc");
  const std::vector<int> keys = numbers(30'000, 1'000);
  for (std::size_t i = 1; i < texts.size(); ++i)
    if (keys[i] < 20) texts[i].append(static_cast<std::size_t>(keys[i]), '\0');
  expect_sorted_texts(texts);
  const std::string xs(20'000, 'x'); // each round would tell one of them apart
  std::vector<std::string_view> views(keys.size(), xs);
  for (std::size_t i = 1; i < views.size(); ++i)
    if (keys[i] < 20) views[i] = views[i].substr(0, i / 2);
  expect_sorted_texts(views);
}

/// A string with an order of its own.
struct Backwards : std::string {
  explicit Backwards(std::string text) : std::string(std::move(text)) {}
  friend bool operator<(const Backwards& a, const Backwards& b) {
    return std::lexicographical_compare(a.rbegin(), a.rend(), b.rbegin(), b.rend());
  }
};

TEST(Sort, TextsAreSortedByAnOrderOfTheirOwn) {
  std::vector<Backwards> texts;
  for (const int key : numbers(5'000, 1 << 30)) texts.emplace_back(std::to_string(key));
  expect_sorted_texts(texts);
}

TEST(Sort, AStoppedCallLeavesAllTexts) {
  std::vector<std::string> texts;
  for (const int key : numbers(5'000, 1 << 30)) texts.push_back("a common beginning " + std::to_string(key));
  struct Stop {
    std::atomic<int>* left;
    bool stop_requested() const { return left->fetch_sub(1) <= 0; }
  };
  int stopped = 0;
  for (int at = 1; at < 40; at += 2) {
    std::atomic<int> left{at};
    std::vector<std::string> out = texts;
    try {
      sort(par().threads(3).stop(Stop{&left}), out);
    } catch (const cancelled&) {
      ++stopped;
    }
    std::vector<std::string> a = out, b = texts;
    std::sort(a.begin(), a.end()), std::sort(b.begin(), b.end());
    ASSERT_TRUE(a == b) << at;
  }
  EXPECT_GT(stopped, 0);
}

TEST(Sort, TakesProjectionsAndOtherOrders) {
  const std::vector<Placed<8>> in = placed<Placed<8>>(numbers(30'000, 500));
  std::vector<Placed<8>> out = in, expected = in;
  std::stable_sort(expected.begin(), expected.end(),
                   [](const auto& a, const auto& b) { return a.key > b.key; });
  stable_sort(par().threads(3), out, std::greater<>{}, &Placed<8>::key);
  EXPECT_TRUE(out == expected);
  sort(par().threads(3), out, std::less<>{}, &Placed<8>::place);
  EXPECT_TRUE(out == in);
  static_assert(std::is_same_v<decltype(sort(std::vector<int>{3, 1, 2})), std::ranges::dangling>);
}

TEST(Sort, HasAPlaceForNaN) {
  std::vector<double> in = fractions(50'000);
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < in.size(); i += 7) in[i] = std::copysign(nan, i % 2 == 0 ? 1.0 : -1.0);
  for (std::size_t i = 1; i < in.size(); i += 11)
    in[i] = std::copysign(i % 3 == 0 ? infinity : 0.0, i % 2 == 0 ? 1.0 : -1.0);
  const auto before = [](double a, double b) { return std::strong_order(a, b) < 0; };
  std::vector<double> expected = in;
  std::sort(expected.begin(), expected.end(), before);
  for (const unsigned threads : {1U, 2U, 7U}) {
    std::vector<double> out = in;
    sort(par().threads(threads), out, total_order);
    EXPECT_EQ(std::memcmp(out.data(), expected.data(), out.size() * sizeof(double)), 0);
  }
  for (const auto& [a, b] :
       {std::pair{-0.0F, 0.0F}, {-1.0F, -0.0F}, {1.0F, std::numeric_limits<float>::quiet_NaN()}})
    EXPECT_TRUE(total_order(a, b) && !total_order(b, a));
  EXPECT_TRUE(total_order(-0.0L, 0.0L) && !total_order(0.0L, -0.0L) && total_order(1, 2) &&
              !total_order(2, 2));
}

TEST(Sort, KeepsAllElementsIfTheComparisonContradictsItself) {
  const std::vector<int> in = numbers(100'000, 1'000'000);
  std::vector<int> out = in;
  for (const unsigned threads : {2U, 4U}) {
    std::atomic<unsigned> calls{0};
    sort(par().threads(threads), out, [&](int, int) { return (++calls * 2654435761U >> 16) % 2 == 0; });
    EXPECT_EQ(sum_in_any_order(out), sum_in_any_order(in));
  }
}

} // namespace
} // namespace wstree::algorithms_test
