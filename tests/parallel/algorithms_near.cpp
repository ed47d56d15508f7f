// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls near a previous one: which thread begins where, and that no result depends on it.
#include "algorithms_support.h"

#include <wstree/parallel/near.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace wstree::algorithms_test {
namespace {

void busy(int us) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < until) {
  }
}

/// A call by two threads, in which each thread's first element ends when the other one has begun. The first
/// 16 elements take so long that the caller gets a team.
class Meeting {
public:
  enum class Caller { goes_on, waits };

  /// `waits`: the caller's first element ends when the other thread has executed nearly all other elements.
  template <class Policy>
  Meeting(const Policy& policy, int elements, Caller how = Caller::goes_on)
      : by_(static_cast<std::size_t>(elements)) {
    std::atomic<int> done{0};
    for_each(policy, 0, elements, [&](int i) {
      by_[static_cast<std::size_t>(i)] = std::this_thread::get_id();
      if (i < 16) return busy(20);
      const bool is_first = begin(i);
      while (begun_ < 2) std::this_thread::yield();
      if (how == Caller::waits && is_first && is_caller(std::this_thread::get_id()))
        while (done < elements - 64) std::this_thread::yield();
      ++done;
    });
  }

  /// Whether the caller has executed some of the element's block, or the other thread has.
  bool was_of(bool is_of_caller, int i) const {
    const auto block = by_.begin() + i / k_block * k_block;
    return std::any_of(block, block + k_block,
                       [&](auto thread) { return is_caller(thread) == is_of_caller; });
  }
  int first_of_caller() const { return first(true); }
  int first_of_other() const { return first(false); }

private:
  static constexpr int k_block = 16; // elements, of k_elements

  bool is_caller(std::thread::id thread) const { return thread == caller_; }
  bool begin(int i) {
    const std::lock_guard lock(mutex_);
    if (!first_.try_emplace(std::this_thread::get_id(), i).second) return false;
    ++begun_;
    return true;
  }
  int first(bool of_caller) const {
    for (const auto& [thread, element] : first_)
      if (is_caller(thread) == of_caller) return element;
    return -1;
  }

  std::thread::id caller_ = std::this_thread::get_id();
  std::vector<std::thread::id> by_;
  std::mutex mutex_;
  std::map<std::thread::id, int> first_;
  std::atomic<int> begun_{0};
};

constexpr int k_elements = 1024; // 64 blocks of a call by two threads

TEST(Near, ThreadsBeginWithWhatTheyHadLastTime) {
  previous_call previous;
  const auto policy = par().threads(2).near(previous);
  const Meeting first(policy, k_elements, Meeting::Caller::waits);
  EXPECT_EQ(first.first_of_other(), k_elements / 2);
  const Meeting second(policy, k_elements);
  EXPECT_LT(second.first_of_other(), k_elements / 4); // it has nearly all of them
  EXPECT_TRUE(first.was_of(false, second.first_of_other()));
  EXPECT_TRUE(first.was_of(true, second.first_of_caller()));
}

TEST(Near, OnTheCrewToo) {
  previous_call previous;
  const auto policy = par().on(resident_crew).threads(2).near(previous);
  Meeting(policy, k_elements, Meeting::Caller::waits);
  EXPECT_LT(Meeting(policy, k_elements).first_of_other(), k_elements / 4);
}

TEST(Near, ACallerAloneChangesNothing) {
  previous_call previous;
  const auto policy = par().threads(2).near(previous);
  Meeting(policy, k_elements, Meeting::Caller::waits);
  for_each(policy.threads(1), 0, k_elements, [](int) {});
  EXPECT_LT(Meeting(policy, k_elements).first_of_other(), k_elements / 4);
}

TEST(Near, OtherCallsBeginAnew) {
  for (const bool has_more : {false, true}) {
    previous_call previous;
    const auto policy = par().threads(2).near(previous);
    Meeting(policy, k_elements, Meeting::Caller::waits);
    const Meeting other =
        has_more ? Meeting(policy, k_elements + 64) : Meeting(policy.min_chunk(2), k_elements);
    EXPECT_EQ(other.first_of_other(), has_more ? k_elements / 2 + 32 : k_elements / 2);
  }
}

// What another thread's team did says nothing of this one's threads, which have places of their own.
TEST(Near, OtherThreadsTakePlacesThatAreFree) {
  previous_call previous;
  const auto policy = par().threads(2).near(previous);
  Meeting(policy, k_elements, Meeting::Caller::waits);
  std::thread([&] { EXPECT_NE(Meeting(policy, k_elements).first_of_other(), -1); }).join();
  EXPECT_NE(Meeting(policy, k_elements).first_of_other(), -1);
}

TEST(Near, EveryElementIsExecutedOnce) {
  previous_call previous;
  for (const unsigned threads : {2U, 3U, 8U})
    for (const int n : {1, 2, 7, 64, 1000, 4097, 4097, 4097, 1000})
      for (const bool is_uneven : {false, true, false}) {
        SCOPED_TRACE(std::to_string(n) + " elements, " + std::to_string(threads) + " threads");
        std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
        std::atomic<int> done{0};
        for_each(par().threads(threads).progress(done).near(previous), 0, n, [&](int i) {
          busy(is_uneven && i % 1024 < 8 ? 20 : i % 128 < 2 ? 2 : 0);
          ++visits[static_cast<std::size_t>(i)];
        });
        EXPECT_EQ(done, n);
        EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), n);
      }
}

TEST(Near, CallsWithManyElementsCountThemInGrains) {
  constexpr std::uint64_t k_n = (std::uint64_t{1} << 28) + 12'345;
  previous_call previous;
  for (int round = 0; round < 3; ++round) {
    std::mutex mutex;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> chunks;
    for_each_chunk(par().threads(3).near(previous), std::uint64_t{0}, k_n,
                   [&](std::uint64_t begin, std::uint64_t end) {
                     const std::lock_guard lock(mutex);
                     chunks.emplace_back(begin, end);
                     if (chunks.size() < 4) busy(20);
                   });
    std::sort(chunks.begin(), chunks.end());
    std::uint64_t at = 0;
    for (const auto& [begin, end] : chunks) {
      ASSERT_EQ(begin, at);
      at = end;
    }
    EXPECT_EQ(at, k_n);
    EXPECT_GT(chunks.size(), 3U);
  }
}

TEST(Near, ChunksStopsAndExceptionsAreThoseOfThePolicy) {
  previous_call previous;
  const auto policy = par().threads(3).near(previous);
  std::atomic<int> longest{0};
  for (int round = 0; round < 3; ++round)
    for_each_chunk(policy.max_chunk(16), 0, 5000, [&](int begin, int end) {
      int known = longest;
      while (known < end - begin && !longest.compare_exchange_weak(known, end - begin)) {
      }
      busy(2);
    });
  EXPECT_LE(longest, 16);
  for (const int at : {17, 2500, 4999}) {
    try {
      for_each(policy, 0, 5000, [&](int i) {
        if (i % 64 == 0) busy(4);
        if (i == at) throw std::runtime_error(std::to_string(i));
      });
      ADD_FAILURE() << at;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(at));
    }
  }
  struct Stop {
    const std::atomic<int>* begun;
    bool stop_requested() const { return *begun >= 100; }
  };
  std::atomic<int> begun{0};
  EXPECT_THROW(for_each(policy.max_chunk(1).stop(Stop{&begun}), 0, 5000, [&](int) { ++begun, busy(2); }),
               cancelled);
  EXPECT_LT(begun, 200);
}

TEST(Near, OneCallAtATimeUsesTheObject) {
  previous_call previous;
  std::atomic<int> count{0};
  const auto policy = par().threads(2).near(previous);
  for (int round = 0; round < 20; ++round)
    for_each(policy, 0, 8, [&](int) {
      busy(4);
      for_each(policy, 0, 40, [&](int) { busy(1), ++count; });
    });
  EXPECT_EQ(count, 20 * 8 * 40);
  std::thread other([&] {
    for (int round = 0; round < 100; ++round) for_each(policy, 0, 100, [&](int) { busy(1), ++count; });
  });
  for (int round = 0; round < 100; ++round) for_each(policy, 0, 100, [&](int) { busy(1), --count; });
  other.join();
  EXPECT_EQ(count, 20 * 8 * 40);
}

TEST(Near, CallsThatCombineGoOnAsBefore) {
  previous_call previous;
  const auto policy = par().threads(3).near(previous);
  std::vector<int> values(100'000), halves(values.size());
  for (int round = 0; round < 3; ++round) {
    tabulate(policy, values, [](std::size_t i) { return static_cast<int>(i); });
    transform(policy, values, halves.begin(), [](int x) { return x / 2; });
    EXPECT_EQ(reduce(policy, halves, 0L), 2'499'950'000);
  }
}

// Of so many elements several are counted as one; a piece has hardly more than the policy says all the same.
TEST(Near, MinChunkCountsElements) {
  const std::uint64_t n = std::uint64_t{1} << 30, least = n / 64;
  std::atomic<std::uint64_t> longest{0};
  previous_call previous;
  for_each_chunk(par().threads(2).near(previous).min_chunk(least), std::uint64_t{0}, n,
                 [&](std::uint64_t begin, std::uint64_t end) {
                   volatile std::uint64_t work = 0;
                   for (std::uint64_t i = begin; i < end; i += 1024) work = work + 1;
                   std::uint64_t seen = longest;
                   while (seen < end - begin && !longest.compare_exchange_weak(seen, end - begin)) {
                   }
                 });
  EXPECT_LT(longest, 4 * least);
}

} // namespace
} // namespace wstree::algorithms_test
