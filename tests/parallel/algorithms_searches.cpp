// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "algorithms_support.h"

#include <algorithm>
#include <atomic>
#include <ranges>
#include <stdexcept>
#include <thread>

namespace wstree::algorithms_test {
namespace {

TEST(Search, FindsAnyHit) {
  for_sizes_and_few_threads([](std::size_t n, const auto& policy) {
    for (const std::size_t at : {std::size_t{0}, n / 3, n}) {
      std::vector<int> in(n, 1);
      for (std::size_t i = at; i < n; i += n / 2 + 1) in[i] = 7;
      const auto any = find_any(policy, in, [](int i) { return i == 7; });
      if (at < n)
        EXPECT_EQ(*any, 7);
      else
        EXPECT_EQ(any, in.end());
    }
  });
}

TEST(Search, GivesUpWhatIsBehindAHit) {
  const std::size_t n = 10'000'000;
  std::atomic<std::size_t> asked{0};
  // The thread that comes to the hit may be the last one to get a processor: the others wait for it.
  std::atomic<bool> is_hit{false};
  EXPECT_EQ(find_first(par().threads(4), std::size_t{0}, n,
                       [&](std::size_t i) {
                         asked.fetch_add(1, std::memory_order_relaxed);
                         if (i == 50'000) is_hit = true;
                         while (i > 50'000 && !is_hit) std::this_thread::yield();
                         return i == 50'000;
                       }),
            50'000);
  EXPECT_LT(asked.load(), n / 2);
}

TEST(Search, TakesTheLeftOfTwoHitsThoughItComesLater) {
  const std::thread::id caller = std::this_thread::get_id();
  for (int round = 0; round < 10; ++round) {
    const int n = 1'000'000;
    std::atomic<int> lowest{n};
    std::atomic<bool> has_helper{false}, caller_waits{false}, helper_hits{false};
    const auto hit = [&](int i) {
      for (int low = lowest; i < low && !lowest.compare_exchange_weak(low, i);)
        ;
      return true;
    };
    const int found = find_first(par().threads(2), 0, n, [&](int i) {
      if (std::this_thread::get_id() != caller) {
        has_helper = true;
        while (!caller_waits) std::this_thread::yield();
        helper_hits = true;
        return hit(i);
      }
      if (i == n - 1) caller_waits = true;
      std::this_thread::yield(); // the helper may need the processor
      if (!has_helper) return false;
      caller_waits = true;
      while (!helper_hits) std::this_thread::yield();
      for (int k = 0; k < 100; ++k) std::this_thread::yield(); // the helper's hit counts meanwhile
      return hit(i);
    });
    EXPECT_EQ(found, lowest) << "round " << round;
  }
}

/// Element 1000 throws once element 1001, which another member has then, was a hit.
TEST(Search, AnExceptionBeforeTheHitReachesTheCaller) {
  struct Early {};
  const std::vector<int> in(100'000, 1);
  std::atomic<bool> is_hit{false};
  const auto ask = [&](const int& element) {
    const auto i = &element - in.data();
    std::this_thread::yield(); // elements that are worth a team
    if (i == 1000) {
      for (int k = 0; k < 100'000 && !is_hit; ++k) std::this_thread::yield();
      for (int k = 0; k < 1000; ++k) std::this_thread::yield(); // the hit counts meanwhile
      throw Early();
    }
    if (i == 1001) is_hit = true;
    return i == 1001;
  };
  const auto differ = [&](const int& a, const int&) { return ask(a); };
  const auto agree = [&](const int& a, const int&) { return !ask(a); };
  const auto policy = par().threads(2).max_chunk(1);
  const auto expect_early = [&](const char* name, auto call) {
    for (int round = 0; round < 5; ++round) {
      is_hit = false;
      EXPECT_THROW(static_cast<void>(call()), Early) << name;
    }
  };
  expect_early("any_of", [&] { return any_of(policy, in, ask); });
  expect_early("all_of", [&] { return all_of(policy, in, [&](const int& a) { return !ask(a); }); });
  expect_early("none_of", [&] { return none_of(policy, in, ask); });
  expect_early("find_first", [&] { return find_first(policy, in, ask); });
  expect_early("equal", [&] { return equal(policy, in, in, agree); });
  expect_early("is_sorted", [&] { return is_sorted(policy, in, differ); });
}

TEST(Search, AnExceptionBehindTheFirstDifferenceIsNone) {
  const int n = 100'000;
  for (const unsigned threads : {1U, 2U, 5U}) {
    for (const int at : {10, 40'000, 99'000}) {
      std::vector<int> a(n), b(n);
      b[static_cast<std::size_t>(at)] = 1;
      const auto throws_behind = [&](const int& x, const int& y) {
        if (&x - a.data() == at + 1) throw std::runtime_error("planted");
        return x == y;
      };
      EXPECT_EQ(mismatch(par().threads(threads), a, b, throws_behind).first - a.begin(), at);
      const auto throws_before = [&](const int& x, const int& y) {
        if (&x - a.data() == at - 1) throw std::runtime_error("planted");
        return x == y;
      };
      EXPECT_THROW(mismatch(par().threads(threads), a, b, throws_before), std::runtime_error);
    }
  }
}

} // namespace
} // namespace wstree::algorithms_test
