// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls on OpenMP teams: results, exceptions, stops, progress, bounds.
#include <wstree/parallel.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace wstree::engine_test {
namespace {

/// Long enough for a team in a loop of some hundred.
void busy(int rounds) {
  for (int i = 0; i < rounds; ++i) asm volatile("" : : "r"(i));
}

class Threads : public testing::TestWithParam<std::uint32_t> {
protected:
  par on() const { return par("engine test").threads(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Of, Threads, testing::Values(1U, 2U, 3U, 4U, 8U));

TEST_P(Threads, EveryElementIsVisitedOnce) {
  std::vector<std::atomic<int>> visits(3000);
  for_each(on(), 0U, 3000U, [&](unsigned i) {
    busy(500);
    ++visits[i];
  });
  for (const auto& count : visits) ASSERT_EQ(count, 1);
}

TEST_P(Threads, TheOnlyExceptionArrives) {
  for (const int at : {0, 1, 17, 500, 998, 999}) {
    try {
      for_each(on(), 0, 1000, [at](int i) {
        busy(200);
        if (i == at) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(at));
    }
  }
}

TEST_P(Threads, OfTwoExceptionsThatAreThrownTheLowerOneArrives) {
  // No call ends before both have thrown, if there are two threads at work.
  for (int round = 0; round < 50; ++round) {
    std::mutex mutex;
    std::set<std::uint64_t> all;
    try {
      detail::in_tiles(on(), 64, [&](std::uint64_t tile, std::uint32_t) -> bool {
        busy(100);
        if (tile % 3 != 2) return true;
        const std::lock_guard lock(mutex);
        all.insert(tile);
        throw tile;
      });
      FAIL() << "nothing was thrown";
    } catch (const std::uint64_t tile) {
      EXPECT_EQ(tile, *all.begin());
    }
  }
}

struct Counted {
  static inline std::atomic<int> alive{0};
  explicit Counted(long with) : value(with) { ++alive; }
  Counted(Counted&& other) noexcept : value(other.value) { ++alive; }
  Counted& operator=(Counted&&) noexcept = default;
  ~Counted() { --alive; }
  long value;
};

TEST_P(Threads, ChunksKeepTheirBounds) {
  std::mutex mutex;
  std::vector<long> sizes;
  for_each_chunk(on().min_chunk(16).max_chunk(64), 0L, 10'000L, [&](long begin, long end) {
    busy(1000);
    const std::lock_guard lock(mutex);
    sizes.push_back(end - begin);
  });
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), 0L), 10'000);
  for (const long size : sizes) EXPECT_LE(size, 64);
  // Only the last batch of a node is smaller.
  EXPECT_GT(*std::max_element(sizes.begin(), sizes.end()), 15);
}

TEST(Calls, PlacesThatBecomeLongGetTeams) {
  // The same place: short, then long, then short.
  for (const int n : {10, 10, 10, 3000, 3000, 3000, 10, 10}) {
    std::vector<int> visits(static_cast<std::size_t>(n));
    for_each(par().threads(4), 0, n, [&](int i) {
      if (n > 10) busy(500);
      ++visits[static_cast<std::size_t>(i)];
    });
    for (const int count : visits) ASSERT_EQ(count, 1);
  }
}

} // namespace
} // namespace wstree::engine_test
