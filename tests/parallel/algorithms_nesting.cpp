// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls within calls, and within regions of the program.
#include "algorithms_support.h"

#include <atomic>
#include <thread>
#include <vector>

#include <omp.h>

namespace wstree::algorithms_test {
namespace {

/// Which outermost element the executing thread works for; -1: none.
thread_local long t_element = -1;

TEST(Nesting, InnerCallsOfAllElementsAreRight) {
  for (const std::uint32_t threads : {1U, 2U, 4U, 8U}) {
    std::vector<long> sums(12);
    for_each(par("outer").threads(threads), 0, 12, [&](int i) {
      sums[static_cast<std::size_t>(i)] = fold(
          0L, 500L, 0L,
          [i](long sum, long begin, long end) {
            for (; begin != end; ++begin) {
              busy(i == 0 ? 2000 : 50);
              sum += begin + i;
            }
            return sum;
          },
          [](long a, long b) { return a + b; });
    });
    for (long i = 0; i < 12; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)], 499L * 500 / 2 + 500 * i);
  }
}

/// One call of each engine.
bool calls_are_right() {
  std::vector<int> in(40'000, 1), out(in.size());
  return inclusive_scan(in, out) == 40'000 && find(out, 30'000) == out.begin() + 29'999 &&
         sum(in) == 40'000 && filter(out, [](int i) { return i % 2 == 0; }).size() == 20'000 &&
         reduce(sequential_order, in, 0) == 40'000;
}

TEST(Nesting, WorksInRegionsSinglesTasksAndCalls) {
  std::atomic<int> right{0};
#pragma omp parallel num_threads(3)
  right += calls_are_right();
  EXPECT_EQ(right.exchange(0), 3);
#pragma omp parallel num_threads(3)
#pragma omp single
  right += calls_are_right();
  EXPECT_EQ(right.exchange(0), 1);
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 5; ++i) {
#pragma omp task shared(right)
    right += calls_are_right();
  }
  EXPECT_EQ(right.exchange(0), 5);
  for_each(par().threads(4).max_chunk(1), 0, 24, [&](int) { right += calls_are_right(); });
  EXPECT_EQ(right.exchange(0), 24);
  EXPECT_EQ(find_first(par().threads(4), 0, 30, [&](int i) { return !calls_are_right() || i == 29; }), 29);
  std::vector<int> out(20);
  inclusive_scan(par().threads(4), 0, 20, out,
                 [&](int a, int b) { return right += calls_are_right(), a + b; });
  EXPECT_EQ(out.back(), 190);
  EXPECT_GE(right.load(), 19);
}

TEST(Nesting, IdleMembersHelpAndDoNothingElse) {
  // Element 0 is long, and its inner call waits until another thread takes part: if none could, this would
  // wait for ever. While a thread works for an inner element it never gets one of the outer call.
  if (omp_get_thread_limit() < 2) GTEST_SKIP();
  std::atomic<int> helpers{0};
  std::atomic<int> foreign{0};
  for_each(par("outer").threads(2).max_chunk(1), 0, 4, [&](int i) {
    if (t_element != -1) ++foreign;
    busy(5000);
    if (i != 0) return;
    const std::thread::id mine = std::this_thread::get_id(); // those of the crew are no threads of OpenMP
    for_each(par("inner").max_chunk(1), 0, 64, [&](int) {
      const long outer = t_element;
      t_element = 0;
      if (std::this_thread::get_id() != mine) ++helpers;
      for (int k = 0; k < 200'000 && helpers == 0; ++k) busy(100);
      t_element = outer;
    });
  });
  EXPECT_EQ(foreign, 0);
  EXPECT_GT(helpers, 0);
}

TEST(Team, AllMembersCallTogether) {
  for (const int members : {1, 2, 3, 8}) {
    std::vector<std::atomic<int>> visits(1000);
    std::atomic<int> right{0};
#pragma omp parallel num_threads(members)
    {
      long mine = 0; // of the member: its function objects are its own
      team::for_each(0, 1000, [&](int i) {
        busy(200);
        ++visits[static_cast<std::size_t>(i)];
        ++mine;
      });
      const long sum = team::fold(
          1L, 1001L, 0L,
          [](long so_far, long begin, long end) {
            for (; begin != end; ++begin) so_far += begin;
            return so_far;
          },
          [](long a, long b) { return a + b; });
      if (sum == 500'500 && mine <= 1000) ++right;
    }
    EXPECT_EQ(right, members);
    for (const auto& count : visits) ASSERT_EQ(count, 1);
  }
}

TEST(Team, EveryMemberGetsTheException) {
  std::atomic<int> caught{0};
#pragma omp parallel num_threads(4)
  {
    try {
      team::for_each(0, 500, [](int i) {
        busy(200);
        if (i == 123) throw i;
      });
    } catch (const int i) {
      if (i == 123) ++caught;
    }
  }
  EXPECT_EQ(caught, 4);
}

} // namespace
} // namespace wstree::algorithms_test
