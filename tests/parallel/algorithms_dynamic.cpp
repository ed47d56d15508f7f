// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that makes work, pipelines, values of threads, results of functions.
#include "algorithms_support.h"

#include <wstree/types/thread_pool.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace wstree::algorithms_test {
namespace {

/// On OpenMP teams, on the library's own threads, and on those of a pool.
template <class Test> void on_all_places(Test test) {
  for (unsigned threads = 1; threads <= 4; ++threads) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    thread_pool pool(threads);
    test(par().threads(threads));
    test(par().threads(threads).on(resident_crew));
    test(par().threads(threads).on(pool));
  }
}

TEST(ForEach, EachElementOnceAndExceptionsReachTheCaller) {
  on_all_places([](const auto& policy) {
    for (const int n : {0, 1, 2, 100, 5000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(n));
      for_each(policy, 0, n, [&](int i) { busy(300), ++seen[static_cast<std::size_t>(i)]; });
      for (const auto& count : seen) ASSERT_EQ(count, 1);
    }
    EXPECT_THROW(for_each(policy, 0, 10'000,
                          [](int i) {
                            busy(300);
                            if (i == 7000) throw std::runtime_error("here");
                          }),
                 std::runtime_error);
  });
}

/// A tree of depth 12 from three roots, as numbers of nodes.
TEST(ForEachWhile, EachItemOnce) {
  on_all_places([](const auto& policy) {
    std::vector<std::atomic<int>> times(3 << 13);
    const std::vector<int> roots{1, 2, 3};
    std::atomic<std::int64_t> progress{0};
    for_each_while(policy.progress(progress), roots, [&](int node, worklist<int>& more) {
      ++times[static_cast<std::size_t>(node)];
      if (node >= 4 << 10) return;
      more.push(2 * node + (node % 2 == 0 ? 2 : 3));
      if (node % 3 == 0) more.push(2 * node + (node % 2 == 0 ? 4 : 5));
    });
    std::vector<int> expected(times.size());
    std::vector<int> left = roots;
    while (!left.empty()) {
      const int node = left.back();
      left.pop_back();
      ++expected[static_cast<std::size_t>(node)];
      if (node >= 4 << 10) continue;
      left.push_back(2 * node + (node % 2 == 0 ? 2 : 3));
      if (node % 3 == 0) left.push_back(2 * node + (node % 2 == 0 ? 4 : 5));
    }
    std::int64_t all = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      ASSERT_EQ(times[i].load(), expected[i]) << i;
      all += expected[i];
    }
    EXPECT_EQ(progress.load(), all);
  });
}

/// The first body waits for the items beside it and for those that it pushes.
TEST(ForEachWhile, OthersTakeTheItemsOfAMemberThatWaits) {
  on_all_places([](const auto& policy) {
    if (policy.threads() < 2 || std::thread::hardware_concurrency() < 2) return;
    std::atomic<int> done{0};
    for_each_while(policy, std::vector<int>(20, 1), [&](int item, worklist<int>& more) {
      if (done.fetch_add(1) != 0) return;
      for (int k = 0; k < 20; ++k) more.push(item);
      const auto since = std::chrono::steady_clock::now();
      while (done != 40 && std::chrono::steady_clock::now() - since < std::chrono::seconds(20))
        std::this_thread::yield();
      EXPECT_EQ(done, 40) << "pushed items, too, are for other members";
    });
    EXPECT_EQ(done, 40);
  });
}

TEST(ForEachWhile, AnExceptionEndsTheCall) {
  on_all_places([](const auto& policy) {
    std::atomic<int> executed{0};
    EXPECT_THROW(for_each_while(policy, std::vector<int>{0},
                                [&](int item, worklist<int>& more) {
                                  if (++executed == 5'000) throw std::runtime_error("five thousand");
                                  more.push(item + 1), more.push(item + 1);
                                }),
                 std::runtime_error);
  });
}

TEST(Pipeline, OrderedStagesSeeItemsInOrder) {
  on_all_places([](const auto& policy) {
    for (const std::size_t tokens : {1U, 2U, 7U, 64U}) {
      int next = 0, seen = 0;
      std::vector<std::string> out;
      std::atomic<int> inside{0};
      pipeline(
          policy, tokens,
          [&]() -> std::optional<int> { return next < 2'000 ? std::optional<int>(next++) : std::nullopt; },
          [&](int i) {
            EXPECT_LE(++inside, static_cast<int>(tokens));
            return std::to_string(i);
          },
          ordered([&](std::string text) {
            EXPECT_EQ(text, std::to_string(seen++));
            return std::make_unique<std::string>(std::move(text));
          }),
          [](std::unique_ptr<std::string> text) { return *text + "!"; },
          ordered([&](std::string text) { --inside, out.push_back(std::move(text)); }));
      ASSERT_EQ(out.size(), 2'000U);
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], std::to_string(i) + "!");
    }
  });
}

TEST(Pipeline, ExceptionsOfSourceAndStagesEndIt) {
  on_all_places([](const auto& policy) {
    for (const int where : {0, 1, 2}) {
      int next = 0;
      const auto fails = [where](int stage, int item) {
        if (stage == where && item == 500) throw std::runtime_error("at 500");
      };
      EXPECT_THROW(pipeline(
                       policy, 8,
                       [&]() -> std::optional<int> {
                         fails(0, next);
                         return next < 1'000 ? std::optional<int>(next++) : std::nullopt;
                       },
                       [&](int i) { return fails(1, i), i; }, ordered([&](int i) { fails(2, i); })),
                   std::runtime_error);
    }
  });
}

TEST(PerThread, ValuesOfAllThreadsAreCombined) {
  on_all_places([](const auto& policy) {
    per_thread<std::vector<int>> parts;
    wstree::for_each(policy, 0, 100'000, [&](int i) { parts.local().push_back(i); });
    std::vector<int> all = parts.combine([](std::vector<int> left, const std::vector<int>& right) {
      left.insert(left.end(), right.begin(), right.end());
      return left;
    });
    std::sort(all.begin(), all.end());
    std::vector<int> expected(100'000);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
    EXPECT_GE(parts.size(), 1U);
    parts.clear();
    EXPECT_EQ(parts.size(), 0U);
  });
}

TEST(Members, NumbersAreUniqueAtATime) {
  on_all_places([](const auto& policy) {
    std::vector<std::atomic<int>> inside(8);
    wstree::for_each(policy.max_chunk(1), 0, 2'000, [&](int) {
      const member_of_call me = this_member();
      ASSERT_LT(me.number, me.count);
      ASSERT_LT(me.count, 8U);
      EXPECT_EQ(++inside[me.number], 1);
      for (int i = 0; i < 100; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
      --inside[me.number];
    });
  });
}

TEST(Fold, AccumulatorsMayBeChangedInPlace) {
  on_all_places([](const auto& policy) {
    const auto even = fold(
        policy, 0, 50'000, [] { return std::vector<int>(); },
        [](std::vector<int>& found, int begin, int end) {
          for (int i = begin; i < end; ++i)
            if (i % 2 == 0) found.push_back(i);
        },
        [](std::vector<int> left, const std::vector<int>& right) {
          left.insert(left.end(), right.begin(), right.end());
          return left;
        });
    ASSERT_EQ(even.size(), 25'000U);
    for (int i = 0; i < 25'000; ++i) ASSERT_EQ(even[static_cast<std::size_t>(i)], 2 * i);
  });
}

} // namespace
} // namespace wstree::algorithms_test
