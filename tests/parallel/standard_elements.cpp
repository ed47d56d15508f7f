// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard library's parallel algorithms on elements, iterators and functions of all kinds.
#include "standard_support.h"

namespace wstree::standard_test {
namespace {

TEST(StandardAlgorithms, UninitializedMemory) {
  for (const std::size_t n : k_sizes) {
    const std::vector<std::string> words(n, "a text that is longer than what a string keeps in itself");
    std::allocator<std::string> memory;
    std::string* const raw = memory.allocate(n + 1);
    std::uninitialized_copy(execution::par, words.begin(), words.end(), raw);
    EXPECT_TRUE(std::equal(execution::par, raw, raw + n, words.begin(), words.end()));
    std::destroy(execution::par, raw, raw + n);
    std::uninitialized_fill(execution::par, raw, raw + n, words.empty() ? std::string() : words[0]);
    std::destroy_n(execution::par, raw, n);
    std::uninitialized_value_construct(execution::par, raw, raw + n);
    EXPECT_TRUE(std::all_of(raw, raw + n, [](const std::string& word) { return word.empty(); }));
    std::destroy(execution::par, raw, raw + n);
    std::uninitialized_default_construct_n(execution::par, raw, n);
    std::destroy(execution::par, raw, raw + n);
    auto movable = words;
    std::uninitialized_move(execution::par, movable.begin(), movable.end(), raw);
    EXPECT_TRUE(std::equal(raw, raw + n, words.begin(), words.end()));
    std::destroy(execution::par, raw, raw + n);
    memory.deallocate(raw, n + 1);
  }
}

/// Elements that cannot be copied, and ones that have to lie on lines of their own.
TEST(StandardAlgorithms, MoveOnlyAndAlignedElements) {
  std::vector<std::unique_ptr<int>> owners;
  for (const std::int64_t x : numbers(30'000, 1'000'000))
    owners.push_back(std::make_unique<int>(static_cast<int>(x)));
  const auto less = [](const auto& a, const auto& b) { return *a < *b; };
  std::sort(execution::par, owners.begin(), owners.end(), less);
  EXPECT_TRUE(std::is_sorted(execution::par, owners.begin(), owners.end(), less));
  const auto small = [](const auto& x) { return *x < 1'000; };
  const auto kept = std::remove_if(execution::par, owners.begin(), owners.end(), small);
  EXPECT_TRUE(std::none_of(owners.begin(), kept, small));

  struct alignas(128) Wide {
    std::int64_t value;
    bool operator<(const Wide& other) const {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(this) % alignof(Wide), 0U);
      return value < other.value;
    }
  };
  std::vector<Wide> wide;
  for (const std::int64_t x : numbers(5'000, 1'000'000)) wide.push_back({x});
  std::sort(execution::par, wide.begin(), wide.end());
  EXPECT_TRUE(std::is_sorted(wide.begin(), wide.end()));
}

TEST(StandardAlgorithms, OtherIterators) {
  const Numbers v = numbers(40'000, 1'000);
  std::list<std::int64_t> list(v.begin(), v.end());
  EXPECT_EQ(std::reduce(execution::par, list.begin(), list.end()), std::reduce(v.begin(), v.end()));
  std::for_each(execution::par, list.begin(), list.end(), [](std::int64_t& x) { ++x; });
  std::deque<std::int64_t> queue(v.begin(), v.end());
  std::sort(execution::par, queue.rbegin(), queue.rend());
  EXPECT_TRUE(std::is_sorted(queue.rbegin(), queue.rend()));
  std::vector<bool> bits(v.size());
  EXPECT_EQ(std::count(execution::par, bits.begin(), bits.end(), false), std::ptrdiff_t(v.size()));
  const auto some = v.begin() + 550; // leaves end within words
  bits.resize(550);
  for (int round = 0; round < 500; ++round) {
    std::transform(v.begin(), some, bits.begin(), k_even);
    std::sort(execution::par, bits.begin(), bits.end());
    ASSERT_TRUE(std::is_sorted(bits.begin(), bits.end()));
    ASSERT_EQ(std::count(bits.begin(), bits.end(), true), std::count_if(v.begin(), some, k_even));
  }
}

TEST(StandardAlgorithmsDeathTest, ExceptionsEndTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  std::vector<int> v(100'000);
  EXPECT_DEATH(std::for_each(execution::par, v.begin(), v.end(),
                             [&](int& x) {
                               if (&x == &v[50'000]) throw 1;
                             }),
               "");
}

} // namespace
} // namespace wstree::standard_test
