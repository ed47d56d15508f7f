// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wstree::partitioner: partitions as ranges, their ends, and random ones consumed by threads of which some
// stop early or never come.
#include "seed.h"
#include "usual.h"

#include "../across/stress/crew.h"
#include "wstree/types/partitioner.h"

#include <deque>
#include <ranges>
#include <stdexcept>

namespace wstree::types_partitioner_test {
namespace {

using Ints = partitioner<int>;
static_assert(std::ranges::input_range<Ints::partition> && !std::ranges::forward_range<Ints::partition>);
static_assert(std::ranges::view<Ints::partition>);
static_assert(std::input_iterator<Ints::iterator> && std::forward_iterator<decltype(Ints(0, 1, 1).begin())>);
static_assert(
    std::same_as<std::ranges::range_reference_t<partitioner<std::string*>::partition>, std::string&>);
static_assert(std::same_as<std::ranges::range_value_t<partitioner<const int*>::partition>, int>);

TEST(Partitioner, OnePartitionAfterTheOtherTakesAll) {
  Ints parts(-3, 4, 3);
  ASSERT_EQ(parts.size(), 3U);
  std::vector<int> seen;
  for (const int i : parts[1]) seen.push_back(i);
  EXPECT_EQ(seen.size(), 7U); // those of the threads that never came
  for (const auto part : parts)
    for (const int i : part) seen.push_back(i);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<int>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(parts.left_over_size(), 0U);
}

TEST(Partitioner, BeginsWithAnEvenShareFromTheLeft) {
  Ints parts(0, 10, 4); // the published code hands out 8 of these
  std::vector<int> firsts;
  for (const auto part : parts) firsts.push_back(*part.begin());
  EXPECT_EQ(firsts, (std::vector<int>{0, 3, 6, 9}));
  EXPECT_EQ(parts.left_over_size(), 6U);
}

TEST(Partitioner, WhatIsNotTakenIsLeftOver) {
  std::vector<std::string> words{"a", "b", "c", "d", "e", "f", "g"};
  partitioner parts(words.begin(), words.end(), 2, 3);
  for (std::string& word : parts[0]) {
    word += '!';
    if (word == "b!") break;
  }
  EXPECT_EQ(words[0] + words[1] + words[2], "a!b!c");
  EXPECT_EQ(parts.left_over_size(), 5U);
  std::vector<std::string> left;
  for (const auto& [first, last] : parts.left_over()) left.insert(left.end(), first, last);
  std::sort(left.begin(), left.end());
  EXPECT_EQ(left, (std::vector<std::string>{"c", "d", "e", "f", "g"}));
  // A thread that comes back goes on behind the element at which it stood.
  EXPECT_EQ(*parts[0].begin(), "c");
  EXPECT_EQ(std::ranges::distance(parts[1]), 4);
  EXPECT_TRUE(parts.left_over().empty());
}

TEST(Partitioner, TakesTheLargestAndRefusesWhatItCannotTake) {
  EXPECT_THROW(Ints(0, 1, 0), std::invalid_argument);
  EXPECT_THROW(Ints(0, 1, 1, 0), std::invalid_argument);
  EXPECT_THROW(Ints(1, 0, 1), std::invalid_argument);
  EXPECT_THROW(Ints(0, 1, 1U << 20), std::length_error);
  using Longs = partitioner<std::int64_t>;
  constexpr auto k_highest = std::numeric_limits<std::int64_t>::max();
  EXPECT_THROW(Longs(std::numeric_limits<std::int64_t>::min(), k_highest, 1), std::length_error);
  EXPECT_THROW(Longs(0, k_highest, 1), std::length_error);
  Ints none(7, 7, 3);
  EXPECT_EQ(none[0].begin(), none[0].end());
  EXPECT_EQ(none.left_over_size(), 0U);
  partitioner<std::int8_t> small(-128, 127, 2);
  EXPECT_EQ(std::ranges::distance(small[1]), 255);
  // Chunks of many elements, of which a partition gives none to others once it has them.
  Longs large(1, k_highest, 3);
  std::uint64_t taken = 0;
  for (const auto part : large)
    for (const std::int64_t i : part) {
      ASSERT_GE(i, 1);
      if (++taken % 100 == 0) break;
    }
  EXPECT_EQ(large.left_over_size(), static_cast<std::uint64_t>(k_highest) - 1 - taken);
}

/// One random partitioning: a thread for each of its consumers, which takes partitions c, c + threads, ...
class Round {
public:
  explicit Round(core::Rng& rng)
      : elements_(rng.below(rng.coin() ? 40 : 400)), threads_(1 + rng.below(8)),
        parts_(-5, -5 + static_cast<int>(elements_), 1 + rng.below(12), 1 + rng.below(rng.coin() ? 1 : 6)),
        takes_(parts_.size()), hits_(elements_) {
    const bool all_stay = rng.coin();
    for (std::uint32_t& takes : takes_) takes = all_stay || rng.coin() ? k_all : rng.below(elements_ + 2);
  }
  std::uint32_t threads() const { return threads_; }

  void consume(std::uint32_t thread) {
    for (std::size_t p = thread; p < parts_.size(); p += threads_) {
      if (takes_[p] == 0) continue; // never comes
      std::uint32_t taken = 0;
      for (const int i : parts_[p]) {
        hit(i);
        if (++taken == takes_[p]) break;
      }
    }
  }
  /// What is wrong, if anything.
  std::string check() {
    std::uint64_t left = 0;
    for (const auto& [first, last] : parts_.left_over())
      for (int i = first; i < last; ++i, ++left) hit(i);
    for (std::uint32_t i = 0; i < elements_; ++i)
      if (hits_[i] != 1)
        return "element " + std::to_string(i) + " of " + std::to_string(elements_) + ": " +
               std::to_string(hits_[i]) + " times";
    if (left != parts_.left_over_size()) return "left over are not so many";
    const bool all_stay =
        std::all_of(takes_.begin(), takes_.end(), [](auto takes) { return takes == k_all; });
    return all_stay && left != 0 ? std::to_string(left) + " left over, and everybody stayed" : "";
  }

private:
  static constexpr std::uint32_t k_all = ~0U;

  void hit(int element) {
    hits_[static_cast<std::size_t>(element + 5)].fetch_add(1, std::memory_order_relaxed);
  }

  std::uint32_t elements_;
  std::uint32_t threads_;
  Ints parts_;
  std::vector<std::uint32_t> takes_; // of each partition; 0: it never comes
  std::vector<std::atomic<std::uint8_t>> hits_;
};

/// WSTREE_TEST_SCALE=25000 makes a million of them.
TEST(Partitioner, HandsOutEveryElementOnceOrLeavesItOver) {
  core::Rng rng(test::seed());
  stress::Crew crew; // threads of std::thread, started once
  for (std::uint64_t round = 0; round < test::scaled(4000); ++round) {
    Round random(rng);
    crew.run(random.threads(), [&](std::uint32_t thread) { random.consume(thread); });
    ASSERT_EQ(random.check(), "") << "round " << round;
  }
}

/// While a partition stands at its first element, another partition gets through and takes the rest of it.
TEST(Partitioner, PartitionsDoNotWaitForOneThatIsAtWork) {
  Ints parts(0, 1000, 2);
  std::atomic<bool> stands = false, is_through = false;
  std::jthread slow([&] {
    for (int i : parts[0]) {
      static_cast<void>(i);
      stands = true;
      stands.notify_one();
      is_through.wait(false);
    }
  });
  stands.wait(false);
  EXPECT_EQ(std::ranges::distance(parts[1]), 999);
  is_through = true;
  is_through.notify_one();
}

} // namespace
} // namespace wstree::types_partitioner_test
