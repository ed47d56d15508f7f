// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the C++ library on a pool: par().on(pool), in a program without OpenMP.
#include "wstree/parallel.hpp"
#include "wstree/types/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <latch>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace wstree::types_pool_calls_test {
namespace {

/// Something that no compiler computes beforehand, of a microsecond.
double work(std::size_t i) {
  double x = static_cast<double>(i % 97) + 1;
  for (int k = 0; k < 200; ++k) x = x * 0.999 + 1 / x;
  return x;
}

TEST(PoolCalls, EveryElementOnce) {
  for (const std::uint32_t threads : {1U, 2U, 4U}) {
    thread_pool pool(threads);
    for (const int n : {0, 1, 2, 100, 5000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
      for_each(par().on(pool), 0, n, [&](int i) {
        static_cast<void>(work(static_cast<std::size_t>(i)));
        ++seen[static_cast<std::size_t>(i)];
      });
      for (const auto& count : seen) ASSERT_EQ(count, 1);
    }
  }
}

/// Two threads are in the call at once: each waits in it for the other.
TEST(PoolCalls, MembersOfThePoolTakePart) {
  thread_pool pool(1);
  std::latch both(2);
  std::set<std::thread::id> ids;
  std::mutex mutex;
  for_each(par().on(pool).max_chunk(1), 0, 2000, [&](int i) {
    static_cast<void>(work(static_cast<std::size_t>(i)));
    if (i < 100) return;
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_GE(ids.size(), 1U);
  join(
      par().on(pool), [&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
}

TEST(PoolCalls, ResultsAreThoseOfOneThread) {
  thread_pool pool(3);
  const std::size_t n = 20'000;
  const auto text_of = [](std::size_t i) { return std::string(1, static_cast<char>('a' + i % 26)); };
  std::string expected;
  for (std::size_t i = 0; i < 2000; ++i) expected += text_of(i);
  const auto text = fold(
      par().on(pool), std::size_t{0}, std::size_t{2000}, std::string(),
      [&](std::string made, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i != end; ++i) {
          static_cast<void>(work(i));
          made += text_of(i);
        }
        return made;
      },
      [](std::string left, const std::string& right) { return left + right; });
  EXPECT_EQ(text, expected);
  std::vector<std::uint64_t> in(n), out(n), sums(n);
  std::iota(in.begin(), in.end(), 1);
  std::inclusive_scan(in.begin(), in.end(), sums.begin());
  inclusive_scan(par().on(pool), in.begin(), in.end(), out.begin());
  EXPECT_EQ(out, sums);
}

TEST(PoolCalls, WithinTasksAndWithinCalls) {
  thread_pool pool(2);
  std::atomic<int> count{0};
  task_group group(pool);
  for (int t = 0; t < 4; ++t)
    group.run([&] {
      for_each(par().on(pool), 0, 20, [&](int) {
        for_each(par().on(pool), 0, 50, [&](int i) {
          static_cast<void>(work(static_cast<std::size_t>(i)));
          ++count;
        });
      });
    });
  group.wait();
  EXPECT_EQ(count, 4 * 20 * 50);
}

/// The caller is outside and waits for a task in its part: the members have to come back from theirs.
TEST(PoolCalls, BodiesWaitForTasks) {
  for (const std::uint32_t threads : {1U, 2U}) {
    thread_pool pool(threads);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> sum{0};
      for_each(par().on(pool).max_chunk(4), 0, 200, [&](int i) {
        static_cast<void>(work(static_cast<std::size_t>(i)));
        sum += pool.submit([] { return 1; }).get();
      });
      ASSERT_EQ(sum, 200);
    }
  }
}

TEST(PoolCalls, ExceptionsReachTheCaller) {
  thread_pool pool(2);
  for (int round = 0; round < 20; ++round)
    EXPECT_THROW(for_each(par().on(pool), 0, 10'000,
                          [&](int i) {
                            static_cast<void>(work(static_cast<std::size_t>(i)));
                            if (i == 7000) throw std::runtime_error("here");
                          }),
                 std::runtime_error);
  EXPECT_NO_THROW(pool.wait());
}

/// All members are busy: the caller does not wait for them.
TEST(PoolCalls, DoNotWaitForBusyMembers) {
  thread_pool pool(2);
  std::latch begun(2), release(1);
  for (int i = 0; i < 2; ++i)
    pool.run([&] {
      begun.count_down();
      release.wait();
    });
  begun.wait();
  std::atomic<int> count{0};
  for_each(par().on(pool), 0, 3000, [&](int i) {
    static_cast<void>(work(static_cast<std::size_t>(i)));
    ++count;
  });
  EXPECT_EQ(count, 3000);
  release.count_down();
}

} // namespace
} // namespace wstree::types_pool_calls_test
