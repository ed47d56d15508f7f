// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of the C++ library on a pool, in a program without OpenMP: who takes part, and who waits for whom.
#include "wstree/parallel.hpp"
#include "wstree/types/thread_pool.h"

#include "usual.h"

#include <latch>

namespace wstree::types_pool_calls_test {
namespace {

/// Something that no compiler computes beforehand, of a microsecond.
double work(std::size_t i) {
  double x = static_cast<double>(i % 97) + 1;
  for (int k = 0; k < 200; ++k) x = x * 0.999 + 1 / x;
  return x;
}

/// Two threads are in the call at once: each waits in it for the other.
TEST(PoolCalls, MembersOfThePoolTakePart) {
  thread_pool pool(1);
  std::latch both(2);
  join(
      par().on(pool), [&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
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
