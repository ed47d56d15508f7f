// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that end by an exception or a stop.
#include "algorithms_support.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>

namespace wstree::algorithms_test {
namespace {

struct Failure {
  int at;
};
/// Throws at two places of [0, n), the second of which is often met first.
struct ThrowingAt {
  int low, high;
  int operator()(int i) const {
    if (i == low || i == high) throw Failure{i};
    return i;
  }
};

template <class Call> void expect_lowest(const char* what, Call call) {
  const int n = 60'000;
  for (unsigned threads = 1; threads <= 8; ++threads) {
    for (const int low : {0, 1, 700, 20'000, 30'000, n - 2}) {
      SCOPED_TRACE(std::string(what) + ", " + std::to_string(threads) + " threads");
      try {
        call(par().threads(threads), n, ThrowingAt{low, low + (n - low) / 2});
        ADD_FAILURE() << "nothing was thrown";
      } catch (const Failure& failure) {
        EXPECT_EQ(failure.at, low);
      }
    }
  }
}

TEST(Exceptions, TheLowestReachesTheCallerOfTiles) {
  std::vector<int> out(60'000), rest(60'000);
  expect_lowest("find_first",
                [](auto p, int n, auto f) { find_first(p, 0, n, [&](int i) { return f(i) < 0; }); });
  expect_lowest("filter", [](auto p, int n, auto f) { filter(p, 0, n, [&](int i) { return f(i) >= 0; }); });
  expect_lowest("copy_if",
                [&](auto p, int n, auto f) { copy_if(p, 0, n, out, [&](int i) { return f(i) >= 0; }); });
  expect_lowest("partition_copy", [&](auto p, int n, auto f) {
    partition_copy(p, 0, n, out, rest, [&](int i) { return f(i) % 2 == 0; });
  });
  expect_lowest("inclusive_scan", [&](auto p, int n, auto f) {
    transform_inclusive_scan(
        p, 0, n, out, [](int a, int b) { return a ^ b; }, f);
  });
  expect_lowest("sequential_order", [](auto p, int n, auto f) {
    transform_reduce(
        sequential_order.threads(p.threads()), 0, n, 0, [](int a, int b) { return a ^ b; }, f);
  });
}

// Folds promise the lowest of those that were thrown.
TEST(Exceptions, OneReachesTheCallerOfFolds) {
  std::vector<int> out(60'000);
  const auto expect_one = [](auto call) {
    for (unsigned threads = 1; threads <= 8; ++threads)
      EXPECT_THROW(call(par().threads(threads), 60'000, ThrowingAt{40'000, 40'000}), Failure);
  };
  expect_one([](auto p, int n, auto f) { for_each(p, 0, n, f); });
  expect_one([](auto p, int n, auto f) { count_if(p, 0, n, [&](int i) { return f(i) > 0; }); });
  expect_one([](auto p, int n, auto f) { min_element(p, 0, n, std::less<>{}, f); });
  expect_one([&](auto p, int n, auto f) { transform(p, 0, n, out, f); });
  expect_one([](auto p, int n, auto f) {
    transform_reduce(reproducible.threads(p.threads()), 0, n, 0, std::plus<>{}, f);
  });
}

// No call ends before both have thrown, if there are two threads at work.
TEST(Exceptions, OfTwoThatAreThrownTheLowerOneArrives) {
  for (unsigned round = 0; round < 200; ++round) {
    std::mutex mutex;
    std::set<std::uint64_t> all;
    try {
      detail::in_tiles(par().threads(1 + round % 4), 64, [&](std::uint64_t tile, std::uint32_t) -> bool {
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

TEST(Exceptions, AHitBeforeOneCounts) {
  for (unsigned threads = 1; threads <= 8; ++threads) {
    const ThrowingAt f{30'500, 31'000};
    EXPECT_EQ(find_first(par().threads(threads), 0, 60'000, [&](int i) { return f(i) == 30'000; }), 30'000);
  }
}

TEST(Exceptions, OperatorsThatThrowLeakNothing) { // with a leak checker
  const std::vector<std::string> in(30'000, "a string that is not stored in place, and has to be freed");
  std::vector<std::string> out(in.size());
  for (unsigned threads = 1; threads <= 4; ++threads) {
    std::atomic<int> calls{0};
    EXPECT_THROW(inclusive_scan(par().threads(threads), in, out,
                                [&](const std::string& a, const std::string& b) {
                                  if (calls.fetch_add(1) == 20'000) throw Failure{0};
                                  return a.size() > 100 ? b : a + b;
                                }),
                 Failure);
  }
}

TEST(Stop, EndsCallsByAnException) {
  std::vector<int> out(2'000'000), in(out.size(), 1);
  for (unsigned threads = 1; threads <= 4; ++threads) {
    const auto expect_stop = [&](const char* what, auto call) {
      SCOPED_TRACE(what);
      std::stop_source source;
      std::atomic<int> calls{0};
      const auto stops = [&](int i) {
        // The thread that asks may lose its processor before that: the others would be done meanwhile.
        const int number = calls.fetch_add(1, std::memory_order_relaxed);
        if (number == 5'000) source.request_stop();
        while (number > 5'000 && !source.stop_requested()) std::this_thread::yield();
        return i;
      };
      EXPECT_THROW(call(par().threads(threads).stop(source.get_token()), stops), cancelled);
      EXPECT_LT(calls.load(), 1'900'000);
    };
    expect_stop("find_first", [&](auto p, auto f) { find_first(p, in, [&](int i) { return f(i) == 0; }); });
    expect_stop("filter", [&](auto p, auto f) { filter(p, in, [&](int i) { return f(i) == 0; }); });
    expect_stop("scan", [&](auto p, auto f) { transform_inclusive_scan(p, in, out, std::plus<>{}, f); });
    expect_stop("transform", [&](auto p, auto f) { transform(p, in, out, f); });
  }
}

// Nothing is left undone where the stop comes with the last element.
TEST(Stop, IsNoneWhereEverythingWasDone) {
  for (int round = 0; round < 50; ++round) {
    const auto expect_all = [](const char* what, int n, auto call) {
      std::stop_source source;
      std::atomic<int> begun{0};
      const auto stops = [&](int i) {
        if (begun.fetch_add(1) + 1 == n) source.request_stop();
        std::this_thread::sleep_for(std::chrono::microseconds(50)); // long enough for a team
        return i;
      };
      EXPECT_NO_THROW(call(par().threads(3).stop(source.get_token()), n, stops)) << what;
      EXPECT_EQ(begun, n) << what;
    };
    expect_all("for_each", 8, [](auto p, int n, auto f) { for_each(p, 0, n, f); });
    expect_all("transform_reduce", 8,
               [](auto p, int n, auto f) { EXPECT_EQ(transform_reduce(p, 0, n, 0, std::plus<>{}, f), 28); });
    expect_all("filter", 8, [](auto p, int n, auto f) { filter(p, 0, n, [&](int i) { return f(i) >= 0; }); });
    expect_all("join", 2, [](auto p, int, auto f) {
      join(
          p, [&] { f(0); }, [&] { f(1); });
    });
    expect_all("join by one", 2, [](auto p, int, auto f) {
      join(
          p.threads(1), [&] { f(0); }, [&] { f(1); });
    });
  }
}

} // namespace
} // namespace wstree::algorithms_test
