// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queues with one thread: against a std::deque, where an index meets a border, and as members use them.
#include "../../tools/simulate/engine/slot.h"
#include "seed.h"
#include "usual.h"

#include "wstree/core/queue/lock_free_queue.h"
#include "wstree/core/queue/locked_queue.h"
#include "wstree/core/rng.h"

#include <deque>
#include <type_traits>

namespace wstree::queue_test {
namespace {

using core::Theft;

struct CountingPlatform : core::StdPlatform {
  static inline std::uint64_t left = 0; ///< blocks that may still be allocated
  static inline std::int64_t in_use = 0;
  static void* allocate(std::size_t bytes) noexcept {
    if (left == 0) return nullptr;
    --left;
    ++in_use;
    return core::StdPlatform::allocate(bytes);
  }
  static void release(void* memory, std::size_t bytes) noexcept {
    --in_use;
    core::StdPlatform::release(memory, bytes);
  }
};
using P = CountingPlatform;

template <class Queue> class CoreQueue : public testing::Test {
protected:
  CoreQueue() { P::left = 100; }
  ~CoreQueue() override {
    queue_.reset();
    EXPECT_EQ(P::in_use, 0) << "arrays that were not given back";
  }
  Queue& queue() { return *queue_; }
  std::uint64_t pop() {
    std::uint64_t item = 0;
    return queue().pop(item) ? item : 0;
  }
  std::uint64_t steal() {
    std::uint64_t item = 0;
    return queue().steal(item, false) == Theft::taken ? item : 0;
  }

private:
  std::unique_ptr<Queue> queue_ = std::make_unique<Queue>();
};

using Queues = testing::Types<core::LockFreeQueue<P>, core::LockedQueue<P>, core::ChaseLevQueue<P, 2>,
                              core::DuffyQueue<P, 2>, core::ChaseLevQueue<P, 1>, core::DuffyQueue<P, 1>>;
TYPED_TEST_SUITE(CoreQueue, Queues);

TYPED_TEST(CoreQueue, OpeningItForALoopForgetsWhatAnEarlierOneLeftBehind) {
  this->queue().reset(7);
  for (std::uint64_t i = 1; i <= 40; ++i) ASSERT_TRUE(this->queue().push(i));
  this->queue().reset(15);
  EXPECT_TRUE(this->queue().is_of(15));
  EXPECT_FALSE(this->queue().is_of(7));
  EXPECT_EQ(this->pop(), 0U);
  const std::int64_t in_use = P::in_use;
  for (std::uint64_t i = 1; i <= 40; ++i) ASSERT_TRUE(this->queue().push(i));
  EXPECT_EQ(P::in_use, in_use) << "the grown array is there for the next loop";
  EXPECT_EQ(this->steal(), 1U);
}

TYPED_TEST(CoreQueue, AMoveIsSeenWhileItLastsAndAfterwards) {
  const std::uint64_t before = this->queue().moves();
  EXPECT_EQ(before % 2, 0U);
  this->queue().begin_move();
  EXPECT_EQ(this->queue().moves() % 2, 1U);
  this->queue().end_move(false);
  EXPECT_EQ(this->queue().moves(), before) << "nothing was moved";
  this->queue().begin_move();
  this->queue().end_move(true);
  EXPECT_EQ(this->queue().moves() % 2, 0U);
  EXPECT_NE(this->queue().moves(), before);
  this->queue().reset(2);
  EXPECT_NE(this->queue().moves(), before) << "or a search would take a new loop for a quiet one";
}

/// Random programs of one thread that plays the owner and the thieves.
TYPED_TEST(CoreQueue, DoesWhatADequeDoes) {
  core::Rng random(test::seed());
  for (std::uint64_t round = 0; round < test::scaled(200); ++round) {
    this->queue().reset(round + 1);
    std::deque<std::uint64_t> oracle;
    const std::uint32_t most = 1 + random.below(round % 5 == 0 ? 300 : 30); // short ones go round and round
    for (int step = 0; step < 500; ++step) {
      switch (random.below(4)) {
      case 0:
      case 1:
        if (oracle.size() < most) {
          const std::uint64_t item = random.next() | 1;
          ASSERT_TRUE(this->queue().push(item));
          oracle.push_back(item);
        }
        break;
      case 2:
        ASSERT_EQ(this->pop(), oracle.empty() ? 0 : oracle.back());
        if (!oracle.empty()) oracle.pop_back();
        break;
      default:
        ASSERT_EQ(this->steal(), oracle.empty() ? 0 : oracle.front());
        if (!oracle.empty()) oracle.pop_front();
      }
      ASSERT_EQ(this->queue().looks_empty(), oracle.empty());
    }
    std::deque<std::uint64_t> rest;
    this->queue().each([&](std::uint64_t item) { rest.push_back(item); });
    ASSERT_EQ(rest, oracle);
  }
}

/// The items of members, in queues of both kinds.
template <class Model> class QueueItems : public testing::Test {};
using QueueModels = testing::Types<std::integral_constant<core::Model, core::Model::queue>,
                                   std::integral_constant<core::Model, core::Model::queue_lock>>;
TYPED_TEST_SUITE(QueueItems, QueueModels);

TYPED_TEST(QueueItems, TheOldestIsTheLongestAndThievesGetIt) {
  using Worker = core::WorkerOf<core::StdPlatform, TypeParam::value>;
  simulate::SlotOf<core::StdPlatform, Worker> slot(2);
  const core::Settings settings{.batch = core::BatchMode::fixed, .limit = 1};
  Worker owner, thief;
  const auto enter = [&](Worker& worker, std::uint32_t m) { // shares of 1001 and 999 units
    worker.enter(slot.loop(), slot.memory(m), slot.entry(2001, 1, m, 2, settings));
  };
  enter(owner, 0);
  core::Range range;
  ASSERT_TRUE(owner.next(range));
  EXPECT_EQ(range.begin, 0U) << "from front to back";
  std::vector<core::Item> items;
  slot.loop().cells[0].queue.each([&](std::uint64_t word) { items.push_back(core::Item::of(word)); });
  ASSERT_EQ(items.size(), 9U); // 501, 250, 125, 63, 31, 16, 8, 4, 2 (less the halves before)
  for (std::size_t i = 1; i < items.size(); ++i) {
    EXPECT_GE(items[i - 1].size(), items[i].size());
    EXPECT_EQ(items[i].end, items[i - 1].begin) << "they follow one another";
  }
  EXPECT_EQ(items.front(), (core::Item{500, 1001}));
  EXPECT_EQ(items.back().begin, 1U);
  enter(thief, 1);
  for (int i = 0; i < 999; ++i) ASSERT_TRUE(thief.next(range));
  EXPECT_EQ(thief.counts().steals, 0U);
  ASSERT_TRUE(thief.next(range));
  EXPECT_EQ(thief.counts().steals, 1U);
  EXPECT_EQ(range.begin, 500U) << "the first unit of the longest item";
  ASSERT_TRUE(owner.next(range));
  EXPECT_EQ(range.begin, 1U);
}

} // namespace
} // namespace wstree::queue_test
