// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wstree::thread_pool: every task once, values, exceptions, waiting inside of tasks, destruction.
#include "wstree/types/thread_pool.h"

#include "usual.h"

#include <ctime>
#include <latch>
#include <stdexcept>

namespace wstree::types_pool_test {
namespace {

struct ThreadPool : testing::TestWithParam<std::tuple<std::uint32_t, pool_order>> {
  thread_pool pool_{std::get<0>(GetParam()), std::get<1>(GetParam())};
};

TEST_P(ThreadPool, ExecutesEveryTaskOnce) {
  constexpr std::size_t k_tasks = 20'000;
  std::vector<std::atomic<std::uint8_t>> seen(k_tasks);
  for (std::size_t i = 0; i < k_tasks; ++i) pool_.run([&seen, i] { ++seen[i]; });
  pool_.wait();
  for (std::size_t i = 0; i < k_tasks; ++i) ASSERT_EQ(seen[i], 1) << i;
}

TEST_P(ThreadPool, WaitsForWhatTasksHaveMade) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> left{64};
    std::function<void(int)> split = [&](int n) {
      if (n == 1) {
        --left;
        return;
      }
      pool_.run([&, n] { split(n / 2); });
      split(n - n / 2);
    };
    pool_.run([&] { split(64); });
    pool_.wait();
    ASSERT_EQ(left, 0);
  }
}

TEST_P(ThreadPool, FuturesHaveTheValue) {
  auto number = pool_.submit([] { return 42; });
  auto text = pool_.submit([] { return std::string("a text that needs memory of its own"); });
  auto moved = pool_.submit([value = std::make_unique<int>(7)]() mutable { return std::move(value); });
  int target = 1;
  auto reference = pool_.submit([&target]() -> int& { return target; });
  std::atomic<bool> called{false};
  auto nothing = pool_.submit([&] { called = true; });
  EXPECT_EQ(number.get(), 42);
  EXPECT_FALSE(number.valid());
  EXPECT_EQ(text.get(), "a text that needs memory of its own");
  EXPECT_EQ(*moved.get(), 7);
  EXPECT_EQ(&reference.get(), &target);
  nothing.wait();
  EXPECT_TRUE(nothing.is_ready());
  nothing.get();
  EXPECT_TRUE(called);
}

/// What tasks need goes when they are done, whether a thread waits or not.
TEST_P(ThreadPool, DestroysWhatTasksHold) {
  const auto held = std::make_shared<std::atomic<int>>(0);
  struct Large {
    std::shared_ptr<std::atomic<int>> shared;
    char space[200];
  };
  constexpr int k_tasks = 100;
  for (int i = 0; i < k_tasks; ++i) {
    pool_.run([held] { held->fetch_add(1, std::memory_order_relaxed); });
    pool_.run([large = Large{held, {}}] { static_cast<void>(large); });
    static_cast<void>(pool_.submit([held] { return held; }));
  }
  pool_.wait();
  EXPECT_EQ(held->load(), k_tasks);
  EXPECT_EQ(held.use_count(), 1);
}

int fib(thread_pool& pool, int n) {
  if (n < 2) return n;
  int left = 0;
  task_group group(pool);
  group.run([&] { left = fib(pool, n - 1); });
  const int right = fib(pool, n - 2);
  group.wait();
  return left + right;
}
int fib_of_futures(thread_pool& pool, int n) {
  if (n < 2) return n;
  auto left = pool.submit([&pool, n] { return fib_of_futures(pool, n - 1); });
  const int right = fib_of_futures(pool, n - 2);
  return left.get() + right;
}

/// Far more waiting tasks than threads.
TEST_P(ThreadPool, MembersThatWaitExecuteTasks) {
  EXPECT_EQ(pool_.submit([this] { return fib(pool_, 18); }).get(), 2584);
  EXPECT_EQ(pool_.submit([this] { return fib_of_futures(pool_, 14); }).get(), 377);
  EXPECT_EQ(fib(pool_, 14), 377); // by a thread outside, too
}

TEST_P(ThreadPool, ExceptionsReachTheWaitingThread) {
  auto future = pool_.submit([]() -> int { throw std::runtime_error("of a future"); });
  EXPECT_THROW(future.get(), std::runtime_error);
  for (int i = 0; i < 50; ++i) pool_.run([] { throw std::out_of_range("of a task"); });
  EXPECT_THROW(pool_.wait(), std::out_of_range);
  EXPECT_NO_THROW(pool_.wait()) << "once";
  std::atomic<int> done{0};
  task_group group(pool_);
  for (int i = 0; i < 50; ++i)
    group.run([&done, i] {
      ++done;
      if (i == 20) throw i;
    });
  EXPECT_THROW(group.wait(), int);
  EXPECT_EQ(done, 50) << "the others are executed all the same";
  group.run([&done] { ++done; });
  EXPECT_NO_THROW(group.wait());
  EXPECT_EQ(done, 51);
}

TEST_P(ThreadPool, ATaskMayNotWaitForItsPool) {
  auto future = pool_.submit([this] { pool_.wait(); });
  EXPECT_THROW(future.get(), std::logic_error);
}

TEST_P(ThreadPool, GroupsAcceptTasksFromTheirTasks) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> done{0};
    task_group group(pool_);
    for (int i = 0; i < 4; ++i)
      group.run([&] {
        group.run([&] { ++done; });
        group.run([&] { ++done; });
      });
    group.wait();
    ASSERT_EQ(done, 8);
  }
}

INSTANTIATE_TEST_SUITE_P(All, ThreadPool,
                         testing::Combine(testing::Values(1U, 2U, 5U),
                                          testing::Values(pool_order::lifo, pool_order::fifo)));

/// The order of a single member, which shows what each queue does.
TEST(ThreadPoolOrder, OwnTasksNewestOrOldestFirstAndThoseFromOutsideInTheirOrder) {
  for (const pool_order order : {pool_order::lifo, pool_order::fifo}) {
    std::vector<int> seen;
    thread_pool pool(1, order);
    pool.run([&] {
      for (int i = 0; i < 5; ++i) pool.run([&seen, i] { seen.push_back(i); });
    });
    pool.wait();
    EXPECT_EQ(seen, order == pool_order::lifo ? (std::vector{4, 3, 2, 1, 0}) : (std::vector{0, 1, 2, 3, 4}));
    seen.clear();
    std::latch go(1);
    pool.run([&] { go.wait(); });
    for (int i = 0; i < 1000; ++i) pool.run([&seen, i] { seen.push_back(i); });
    go.count_down();
    pool.wait();
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_EQ(seen.size(), 1000U);
  }
}

TEST(ThreadPoolEnd, ExecutesWhatIsQueued) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> done{0};
    pool_future<int> future;
    {
      thread_pool pool(2);
      for (int i = 0; i < 100; ++i)
        pool.run([&pool, &done] {
          ++done;
          pool.run([&done] { ++done; });
        });
      future = pool.submit([] { return 5; });
      pool.run([] { throw std::runtime_error("that no call asks for"); });
    }
    ASSERT_EQ(done, 200);
    ASSERT_EQ(future.get(), 5) << "a future outlives its pool";
  }
}

/// All members sleep in the kernel: the processors' time of the process stands still, but for this thread's.
TEST(ThreadPoolIdle, UsesNoProcessor) {
  const auto cpu_of = [](clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
  };
  const auto others = [&] { return cpu_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_of(CLOCK_THREAD_CPUTIME_ID); };
  thread_pool pool(4);
  pool.run([] {});
  pool.wait();
  // Until an interval passes in which they did nothing. If they never rest, the test does not end. The two
  // clocks are not read at the same time, hence the microseconds.
  std::chrono::nanoseconds before{0}, after = others();
  do {
    before = after;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    after = others();
  } while (after - before > std::chrono::microseconds(20));
  SUCCEED();
}

} // namespace
} // namespace wstree::types_pool_test
