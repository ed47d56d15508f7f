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

/// Call number 100 stops the others, which wait for that: else all could be done where it loses its processor
/// before it has.
void stop_at_100(int call, std::stop_source& source) {
  if (call == 100) source.request_stop();
  while (call > 100 && !source.stop_requested()) std::this_thread::yield();
}

class Threads : public testing::TestWithParam<std::uint32_t> {
protected:
  par on() const { return par("engine test").threads(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Of, Threads, testing::Values(1U, 2U, 3U, 4U, 8U));

TEST_P(Threads, StringsAreReducedInOrder) {
  std::vector<std::string> words;
  for (int i = 0; i < 2000; ++i) words.push_back(std::to_string(i) + " ");
  const std::string wanted = std::accumulate(words.begin(), words.end(), std::string("begin "));
  const auto slowly = [](std::string a, const std::string& b) {
    busy(100);
    return a += b;
  };
  EXPECT_EQ(reduce(on(), words.begin(), words.end(), std::string("begin "), slowly), wanted);
  const auto without = reduce(on(), words.begin(), words.end(), slowly);
  ASSERT_TRUE(without.has_value());
  EXPECT_EQ("begin " + *without, wanted);
  EXPECT_FALSE(reduce(on(), words.begin(), words.begin(), slowly).has_value());
}

/// More than what memory is aligned to.
struct alignas(512) Wide {
  long value = 0;
  bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(this) % alignof(Wide) == 0; }
};

TEST_P(Threads, ValuesMayBeAlignedWidely) {
  std::atomic<int> wrong{0};
  const auto add = [&](Wide a, const Wide& b) {
    busy(300);
    if (!a.is_aligned() || !b.is_aligned()) ++wrong;
    a.value += b.value;
    return a;
  };
  for (int round = 0; round < 5; ++round) {
    const Wide sum = fold(
        on().max_chunk(1), 0L, 600L, [] { return Wide{}; },
        [&](Wide so_far, long begin, long end) {
          for (; begin != end; ++begin) so_far = add(so_far, Wide{begin});
          return so_far;
        },
        add);
    EXPECT_EQ(sum.value, 600 * 599 / 2);
  }
  EXPECT_EQ(wrong, 0);
}

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

TEST_P(Threads, ThrowingCombinationsLeaveNothingBehind) {
  std::atomic<int> combined{0};
  const auto sum = [&](bool throws) {
    return fold(
               on(), 0L, 2000L, [] { return Counted(0); },
               [](Counted so_far, long begin, long end) {
                 for (; begin != end; ++begin) {
                   busy(200);
                   so_far.value += begin;
                 }
                 return so_far;
               },
               [&](Counted a, const Counted& b) {
                 if (throws && ++combined % 2 == 0) throw std::runtime_error("combine");
                 a.value += b.value;
                 return a;
               })
        .value;
  };
  EXPECT_EQ(sum(false), 1999L * 2000 / 2);
  for (int round = 0; round < 20; ++round) {
    try {
      EXPECT_EQ(sum(true), 1999L * 2000 / 2); // not enough was combined
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "combine");
    }
    ASSERT_EQ(Counted::alive, 0);
  }
}

TEST_P(Threads, AStopEndsTheCallWithAnException) {
  std::stop_source source;
  std::atomic<int> done{0};
  EXPECT_THROW(for_each(on().max_chunk(8).stop(source.get_token()), 0, 100'000,
                        [&](int) {
                          busy(100);
                          stop_at_100(++done, source);
                        }),
               cancelled);
  EXPECT_LT(done, 1000);
  // It is too late to stop what is done.
  std::stop_source late;
  EXPECT_NO_THROW(for_each(on().stop(late.get_token()), 0, 1, [&](int) { late.request_stop(); }));
}

TEST_P(Threads, ProgressCountsEveryElement) {
  std::atomic<long> progress{0};
  for_each(on().progress(progress), 0, 5000, [](int) { busy(100); });
  EXPECT_EQ(progress, 5000);
}

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

TEST_P(Threads, TilesComeInAscendingOrderUntilOneIsEnough) {
  std::mutex mutex;
  std::uint64_t latest = 0;
  std::atomic<int> tiles{0};
  detail::in_tiles(on(), 1000, [&](std::uint64_t tile, std::uint32_t member) {
    EXPECT_LT(member, GetParam());
    ++tiles;
    const std::lock_guard lock(mutex);
    latest = std::max(latest, tile);
    return tile < 100;
  });
  EXPECT_GE(tiles, 101);
  EXPECT_LE(latest, 100U + GetParam());
}

TEST(Calls, JoinCallsEachFunction) {
  int a = 0, b = 0, c = 0;
  join([&] { a = 1; }, [&] { b = 2; }, [&] { c = 3; });
  EXPECT_EQ(a + b + c, 6);
  EXPECT_THROW(join([] { throw 1; }, [] {}), int);
}

TEST(Calls, IntegersOfAnyTypeAreRanges) {
  std::atomic<int> seen{0};
  for_each(std::int8_t{-128}, std::int8_t{127}, [&](std::int8_t) { ++seen; });
  EXPECT_EQ(seen, 255);
  for_each(5, 3, [&](int) { ++seen; });
  EXPECT_EQ(seen, 255);
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
