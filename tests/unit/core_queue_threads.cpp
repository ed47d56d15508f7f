// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queues with one owner and real thieves: whatever is pushed comes out once.
#include "seed.h"
#include "threads.h"

#include "wstree/core/queue/lock_free_queue.h"
#include "wstree/core/queue/locked_queue.h"
#include "wstree/core/rng.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace wstree::queue_threads_test {
namespace {

using core::Theft;
using P = core::StdPlatform;

template <class Queue> class CoreQueueThreads : public testing::Test {
protected:
  /// The owner pushes the numbers from 1 to `items`, and pops now and then so that at most `most` wait; the
  /// thieves take what they can, until the owner has found its queue empty at the end.
  void fight(std::uint64_t items, std::uint32_t most, std::uint32_t thieves, std::uint64_t seed) {
    auto queue = std::make_unique<Queue>();
    queue->reset(++loop_);
    std::vector<std::atomic<std::uint32_t>> hits(items + 1);
    std::atomic<std::uint64_t> strange{0};
    std::atomic<bool> over{false};
    const auto take = [&](std::uint64_t item) {
      if (item == 0 || item > items)
        strange.fetch_add(1, std::memory_order_relaxed);
      else
        hits[item].fetch_add(1, std::memory_order_relaxed);
    };
    test::in_parallel(thieves + 1, [&](std::uint32_t member) {
      std::uint64_t item = 0;
      if (member != 0) {
        while (!over.load(std::memory_order_relaxed)) {
          if (queue->is_of(loop_) && queue->steal(item, member % 2 == 0) == Theft::taken)
            take(item);
          else
            std::this_thread::yield(); // the machine may have fewer processors than there are threads
        }
        return;
      }
      core::Rng random(seed);
      std::uint32_t waiting = 0; // at most: thieves may have taken some
      for (std::uint64_t next = 1; next <= items;) {
        if (waiting < most && random.below(5) < 3) {
          if (queue->push(next)) {
            ++next;
            ++waiting;
          }
        } else if (queue->pop(item)) {
          take(item);
          --waiting;
        } else {
          waiting = 0;
        }
      }
      while (queue->pop(item)) take(item);
      EXPECT_TRUE(queue->looks_empty()) << "pop() has said empty, and the owner would leave";
      over.store(true, std::memory_order_relaxed);
    });
    EXPECT_EQ(strange.load(), 0U);
    for (std::uint64_t i = 1; i <= items; ++i) ASSERT_EQ(hits[i].load(), 1U) << "item " << i;
  }

private:
  std::uint64_t loop_ = 0;
};

using Queues = testing::Types<core::LockFreeQueue<P>, core::LockedQueue<P>, core::ChaseLevQueue<P, 1>,
                              core::DuffyQueue<P, 1>>;
struct Names {
  template <class Queue> static std::string GetName(int i) {
    constexpr const char* k_names[] = {"LockFree", "Locked", "LockFreeGrowing", "LockedGrowing"};
    return k_names[i];
  }
};
TYPED_TEST_SUITE(CoreQueueThreads, Queues, Names);

TYPED_TEST(CoreQueueThreads, EveryItemComesOutOnce) {
  core::Rng random(test::seed());
  for (const std::uint32_t thieves : {1U, 3U})
    for (const std::uint32_t most : {1U, 2U, 30U})
      this->fight(test::scaled(4'000), most, thieves, random.next());
}

TYPED_TEST(CoreQueueThreads, EveryItemComesOutOnceWhileTheArrayGrows) {
  core::Rng random(test::seed());
  for (std::uint64_t round = 0; round < test::scaled(12); ++round)
    this->fight(400, 300, 2, random.next()); // from the first array on in each round
}

/// Stops a thief between its look at the tail and the head that it moves back.
struct StagedPlatform : core::StdPlatform {
  static inline std::atomic<bool> staged{false};
  static inline std::atomic<bool> thief_is_there{false};
  static inline std::atomic<bool> owner_waits_or_is_done{false};
  static std::memory_order order(core::Tag tag, std::memory_order needed) noexcept {
    if (tag == core::Tag::restore_head && staged) {
      thief_is_there = true;
      while (!owner_waits_or_is_done) std::this_thread::yield();
    }
    return needed;
  }
  static void relax() noexcept { owner_waits_or_is_done = true; }
  static void yield() noexcept { std::this_thread::yield(); }
};

TEST(CoreQueueLock, TheOwnerIsNotToldThatItsQueueIsEmptyBecauseAThiefTriesItsLuck) {
  core::LockedQueue<StagedPlatform> queue;
  queue.reset(1);
  StagedPlatform::staged = true;
  test::in_parallel(2, [&](std::uint32_t member) {
    std::uint64_t item = 0;
    if (member != 0) {
      EXPECT_EQ(queue.steal(item, true), Theft::empty) << "it has looked before the push";
      return;
    }
    while (!StagedPlatform::thief_is_there) std::this_thread::yield();
    EXPECT_TRUE(queue.push(7));
    EXPECT_TRUE(queue.pop(item)) << "the published queue says that there is nothing";
    EXPECT_EQ(item, 7U);
    StagedPlatform::owner_waits_or_is_done = true;
  });
  StagedPlatform::staged = false;
}

} // namespace
} // namespace wstree::queue_threads_test
