// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taskloops: tasks which come late, stop early or never come lose no iteration.
#include "task_loop.h"

#include "wstree/core/platform.h"

#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace wstree::loop {
namespace {

using Loop = TaskLoop<core::StdPlatform, int>;

struct Seen {
  static constexpr std::uint64_t k_all = ~std::uint64_t{0};
  explicit Seen(std::uint64_t n) : counts(n) {}
  std::vector<std::atomic<int>> counts;
  std::atomic<int> lasts{0};
  std::atomic<int> ended{0};

  void take(Loop& loop, std::uint32_t part, std::uint64_t most = k_all, core::Prior* prior = nullptr) {
    std::uint64_t batches = 0;
    loop.take_part(
        *loop.part(part), prior,
        [&](std::uint64_t first, std::uint64_t past, bool last) {
          ++batches;
          lasts += last;
          EXPECT_EQ(last, past == counts.size());
          for (; first != past; ++first) ++counts[first];
        },
        [&] { return batches == most; });
    ended += loop.leave();
  }
  void expect_all_once() const {
    for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], 1) << i;
    EXPECT_EQ(lasts, 1);
  }
};

Loop* make(std::uint64_t n, std::uint32_t parts, const core::Settings& settings, std::uint64_t smallest = 1) {
  return Loop::create(0, n, parts, settings, smallest);
}

TEST(TaskLoop, OneTaskAfterTheOther) {
  const core::Settings settings;
  for (std::uint32_t parts = 1; parts <= 40; parts += 3) {
    for (std::uint64_t n : {1U, 2U, 3U, 50U, 1000U}) {
      Seen seen(n);
      Loop* loop = make(n, parts, settings, n / 9 + 1);
      for (std::uint32_t i = parts; i-- > 0;) {
        EXPECT_EQ(seen.ended, 0);
        seen.take(*loop, i);
      }
      EXPECT_EQ(seen.ended, 1);
      seen.expect_all_once();
      Loop::destroy(loop);
    }
  }
}

TEST(TaskLoop, ATaskInsideAnIterationOfAnother) {
  core::Settings settings;
  settings.clocked = true;
  settings.shortest_target = std::uint64_t{1} << 30; // whatever the loop takes, it should be over soon
  core::Prior prior;                                 // of the thread: all tasks use it
  std::uint64_t known = 0;
  for (std::uint64_t round = 0; round < 60; ++round) {
    Seen seen(300);
    Loop* loop = make(300, 3, settings);
    std::uint64_t batches = 0; // before the thread waits in one, first or later
    loop->take_part(
        *loop->part(0), &prior,
        [&](std::uint64_t first, std::uint64_t past, bool last) {
          if (batches++ == round % 3)
            for (std::uint32_t i = 1; i < 3; ++i) seen.take(*loop, i, Seen::k_all, &prior);
          seen.lasts += last;
          for (; first != past; ++first) ++seen.counts[first];
        },
        [] { return false; });
    for (std::uint32_t i = 1; batches <= round % 3 && i < 3; ++i) seen.take(*loop, i);
    EXPECT_TRUE(loop->leave());
    known += loop->execution().total.known;
    seen.expect_all_once();
    Loop::destroy(loop);
  }
  EXPECT_GT(known, 0U);
}

TEST(TaskLoop, ATaskThatKnowsThePlaceTakesItsShareInFewPieces) {
  core::Settings settings;
  settings.clocked = true;
  settings.shortest_target = std::uint64_t{1} << 30;
  core::Prior prior;
  core::Execution all;
  for (int round = 0; round < 60 && all.total.known == 0; ++round) {
    Seen seen(1000);
    Loop* loop = make(1000, 2, settings);
    seen.take(*loop, 0, Seen::k_all, &prior);
    seen.take(*loop, 1);
    seen.expect_all_once();
    all = loop->execution();
    Loop::destroy(loop);
  }
  EXPECT_EQ(all.total.known, 1U);
  EXPECT_EQ(all.total.iterations, 1000U);
}

TEST(TaskLoop, ManyThreadsAndTheLastOneEnds) {
  core::Settings settings;
  core::Prior priors[4];
  for (int round = 0; round < 300; ++round) {
    settings.batch = round % 2 == 0 ? core::BatchMode::timed : core::BatchMode::fixed;
    settings.limit = 1;
    const std::uint64_t n = 1 + static_cast<std::uint64_t>(round) * 7 % 900;
    Seen seen(n);
    Loop* loop = make(n, 4, settings);
    std::vector<std::thread> threads;
    for (std::uint32_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        loop->take_part(
            *loop->part(i), &priors[i],
            [&](std::uint64_t first, std::uint64_t past, bool last) {
              seen.lasts += last;
              for (; first != past; ++first) ++seen.counts[first];
            },
            [] { return false; });
        if (!loop->leave()) return;
        EXPECT_EQ(loop->execution().total.iterations, n);
        Loop::destroy(loop); // while the others may still be on their way out
      });
    }
    for (std::thread& thread : threads) thread.join();
    seen.expect_all_once();
  }
}

} // namespace
} // namespace wstree::loop
