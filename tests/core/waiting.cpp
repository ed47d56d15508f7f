// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that the system has taken the processor from: what they were doing is not waited for, and a batch
// that they were in is not believed for long.
#include "../../tools/simulate/engine/slot.h"

#include "wstree/core/queue/locked_queue.h"
#include "wstree/core/tree/worker.h"

#include "usual.h"

namespace wstree {
namespace {

using core::Range;
using core::Settings;
using core::Tag;

/// A clock that the test sets, memory that can run out, and a hook in front of operations on shared memory.
struct P : core::StdPlatform {
  static inline std::uint64_t now = 0;
  static inline bool poor = false;
  static inline std::uint64_t waits = 0;
  static inline std::function<void(Tag)> before;

  static std::memory_order order(Tag tag, std::memory_order needed) noexcept {
    if (before) before(tag);
    return needed;
  }
  static std::uint64_t ticks() noexcept { return now; }
  static void relax() noexcept { ++waits; }
  static void yield() noexcept { ++waits; }
  static void* allocate(std::size_t bytes) noexcept {
    return poor ? nullptr : core::StdPlatform::allocate(bytes);
  }
};

/// Two members of a loop of `n` iterations.
struct Pair {
  explicit Pair(std::uint64_t n, const Settings& chosen) : settings(chosen) {
    P::now = 1'000;
    P::poor = false;
    P::waits = 0;
    for (std::uint32_t m = 0; m < 2; ++m)
      workers[m].enter(slot.loop(), slot.memory(m), slot.entry(n, 1, m, 2, settings));
  }
  Settings settings;
  simulate::SlotOf<P, core::Worker<P>> slot{2, 4};
  core::Node<P>& root = *slot.loop().root(0);
  core::Worker<P> workers[2];
};

TEST(Waiting, ABatchThatWasInterruptedIsSoonForgotten) {
  constexpr std::uint64_t k_preempted = 10'000'000; // 4 ms
  for (const std::uint64_t cost : {2U, 100U, 5'000U}) {
    SCOPED_TRACE(cost);
    Pair loop(20'000'000, {});
    Range batch;
    const auto work = [&](std::uint64_t interrupted) {
      ASSERT_TRUE(loop.workers[0].next(batch));
      P::now += (batch.end - batch.begin) * cost + interrupted;
    };
    for (int i = 0; i < 200; ++i) work(0);
    const std::uint64_t usual = batch.end - batch.begin;
    work(k_preempted);
    // Small batches, because it may have been the loop that has become expensive.
    const std::uint64_t since = P::now;
    int batches = 0;
    do {
      work(0);
      ASSERT_LT(++batches, 12) << usual << " iterations at a time before that, now "
                               << batch.end - batch.begin;
    } while (2 * (batch.end - batch.begin) < usual);
    EXPECT_LT(P::now - since, 100'000U) << "40 microseconds";
    // The member looks at the clock after eight batches at most; then thieves rank by what it says.
    for (int i = 0; i < 8; ++i) work(0);
    EXPECT_LT(loop.root.cost(), core::unit_cost(2 * cost)) << "thieves rank by it";
  }
}

TEST(Waiting, AMemberWithoutMemoryLeavesAFrozenNodeToASuspendedThief) {
  Pair loop(21, {.batch = core::BatchMode::fixed, .limit = 1}); // root 0 has 11 units, root 1 nine
  Range range;
  ASSERT_TRUE(loop.workers[0].next(range));
  // A thief has frozen the root, and is suspended before it hangs the children.
  ASSERT_TRUE(loop.root.stop(core::Word::seen(loop.root.inspect(), 1)));
  loop.slot.memory(0).reset(nullptr, 0);
  P::poor = true;
  std::vector<std::uint64_t> begins;
  while (loop.workers[0].next(range)) begins.push_back(range.begin);
  EXPECT_GT(P::waits, 1U) << "it may only take a moment";
  EXPECT_LT(P::waits, 100U);
  ASSERT_EQ(begins.size(), 10U) << "the root that no member has, and the last iteration";
  EXPECT_EQ(begins.back(), 20U);
  // The thief goes on: with memory it finds all that is left.
  std::uint64_t left = 0;
  while (loop.workers[1].next(range)) left += range.end - range.begin;
  EXPECT_EQ(left, 10U);
}

TEST(Waiting, AThiefDoesNotWaitForASuspendedHolderOfALock) {
  core::DuffyQueue<P, 8> queue;
  queue.reset(1);
  ASSERT_TRUE(queue.push(1));
  ASSERT_TRUE(queue.push(2));
  P::waits = 0;
  int thieves = 0;
  core::Theft other = core::Theft::taken;
  P::before = [&](Tag tag) {
    if (tag != Tag::raise_head || thieves++ != 0) return;
    std::uint64_t item = 0; // another thief comes while this one has the lock
    other = queue.steal(item, true);
  };
  std::uint64_t item = 0;
  EXPECT_EQ(queue.steal(item, true), core::Theft::taken);
  P::before = nullptr;
  EXPECT_EQ(item, 1U);
  EXPECT_EQ(other, core::Theft::lost_race);
  EXPECT_GT(P::waits, 10U) << "holders are suspended rarely";
  EXPECT_EQ(queue.steal(item, true), core::Theft::taken);
  EXPECT_EQ(item, 2U);
}

} // namespace
} // namespace wstree
