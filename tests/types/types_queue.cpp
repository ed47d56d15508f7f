// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wstree::work_stealing_queue: the order of its ends, all kinds of elements, growth under thieves.
#include "seed.h"
#include "threads.h"
#include "usual.h"

#include "wstree/core/rng.h"
#include "wstree/types/work_stealing_queue.h"

#include <stdexcept>

namespace wstree::types_queue_test {
namespace {

/// A queue of `T` in either form.
template <queue_form Form> struct In { template <class T> using Queue = work_stealing_queue<T, Form>; };
template <class Form> class WorkStealingQueue : public testing::Test {};
using Forms = testing::Types<In<queue_form::lock_free>, In<queue_form::lock_on_contention>>;
TYPED_TEST_SUITE(WorkStealingQueue, Forms);

TYPED_TEST(WorkStealingQueue, OwnerGetsTheNewestThievesTheOldest) {
  typename TypeParam::template Queue<int> queue;
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.pop());
  EXPECT_FALSE(queue.steal());
  for (const int i : {1, 2, 3, 4, 5}) queue.push(i);
  EXPECT_EQ(queue.size(), 5U);
  EXPECT_EQ(queue.pop(), 5);
  EXPECT_EQ(queue.steal(), 1);
  EXPECT_EQ(queue.try_steal(), 2);
  EXPECT_EQ(queue.pop(), 4);
  EXPECT_EQ(queue.pop(), 3);
  EXPECT_FALSE(queue.pop());
  EXPECT_FALSE(queue.try_steal());
  queue.push(6);
  EXPECT_EQ(queue.steal(), 6);
  EXPECT_EQ(queue.size(), 0U);
}

/// More than fits, from the middle of the array: what is there keeps its order.
TYPED_TEST(WorkStealingQueue, KeepsEverythingWhenItGrows) {
  typename TypeParam::template Queue<std::uint64_t> queue;
  std::uint64_t pushed = 0, oldest = 0;
  for (; pushed < 20; ++pushed) queue.push(pushed);
  for (; oldest < 15; ++oldest) ASSERT_EQ(queue.steal(), oldest);
  for (; pushed < (1U << 18) + 20; ++pushed) queue.push(pushed);
  EXPECT_EQ(queue.size(), pushed - oldest);
  for (; oldest < 100'000; ++oldest) ASSERT_EQ(queue.steal(), oldest);
  while (pushed != oldest) ASSERT_EQ(queue.pop(), --pushed);
  EXPECT_TRUE(queue.empty());
}

/// Counts those that live.
struct Counted {
  static inline std::atomic<int> alive{0};
  std::string text;
  explicit Counted(std::string of) : text(std::move(of)) { ++alive; }
  Counted(Counted&& other) noexcept : text(std::move(other.text)) { ++alive; }
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --alive; }
};

TYPED_TEST(WorkStealingQueue, TakesElementsThatCanOnlyBeMoved) {
  {
    typename TypeParam::template Queue<std::unique_ptr<int>> queue;
    queue.push(std::make_unique<int>(1));
    queue.push(std::make_unique<int>(2));
    EXPECT_EQ(**queue.steal(), 1);
    EXPECT_EQ(**queue.pop(), 2);
    queue.push(std::make_unique<int>(3)); // left in the queue
  }
  {
    typename TypeParam::template Queue<Counted> queue;
    for (int i = 0; i < 200; ++i) queue.emplace(std::to_string(i) + " is a text that has memory of its own");
    for (int i = 0; i < 90; ++i)
      EXPECT_EQ(queue.steal()->text.substr(0, 3), (std::to_string(i) + " is").substr(0, 3));
    for (int i = 199; i > 105; --i)
      EXPECT_EQ(queue.pop()->text.substr(0, 3), (std::to_string(i) + " is").substr(0, 3));
    EXPECT_EQ(Counted::alive, 16);
  }
  EXPECT_EQ(Counted::alive, 0);
}

struct ThreeWords {
  std::uint64_t first, second, third;
};
/// Trivial, but no element can be made of nothing.
struct NoDefault {
  explicit NoDefault(std::uint16_t of) : value(of) {}
  std::uint16_t value;
};

TYPED_TEST(WorkStealingQueue, TakesLargeAndOddElements) {
  typename TypeParam::template Queue<ThreeWords> large;
  large.push({1, 2, 3});
  EXPECT_EQ(large.steal()->third, 3U);
  typename TypeParam::template Queue<NoDefault> odd;
  odd.emplace(std::uint16_t{77});
  EXPECT_EQ(odd.pop()->value, 77);
  typename TypeParam::template Queue<bool> small;
  small.push(true);
  small.push(false);
  EXPECT_EQ(small.pop(), false);
  EXPECT_EQ(small.steal(), true);
}

struct Refuses {
  explicit Refuses(bool refuses) {
    if (refuses) throw std::runtime_error("refused");
  }
  Refuses(Refuses&&) noexcept = default;
  std::string text = "longer than what a string holds in itself";
};

TYPED_TEST(WorkStealingQueue, StaysAsItIsIfAnElementCannotBeMade) {
  typename TypeParam::template Queue<Refuses> queue;
  queue.emplace(false);
  EXPECT_THROW(queue.emplace(true), std::runtime_error);
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_TRUE(queue.pop());
  EXPECT_FALSE(queue.pop());
}

/// A Platform whose memory runs out.
struct Poor : core::StdPlatform {
  static void* allocate(std::size_t) noexcept { return nullptr; }
};

TYPED_TEST(WorkStealingQueue, StaysAsItIsIfItCannotGrow) {
  constexpr queue_form k_form = TypeParam::template Queue<int>::form;
  detail::BasicWorkStealingQueue<Poor, std::unique_ptr<int>, k_form, 4> queue;
  int fitted = 0;
  EXPECT_THROW(for (;; ++fitted) queue.push(std::make_unique<int>(fitted)), std::bad_alloc);
  EXPECT_EQ(queue.size(), static_cast<std::size_t>(fitted));
  for (int i = 0; i < fitted; ++i) EXPECT_EQ(**queue.steal(), i);
  EXPECT_FALSE(queue.pop());
}

/// One owner and thieves: everything comes out once, and each thief sees a rising order.
template <class Queue, class Make, class Read>
void everything_once(std::uint64_t count, std::uint32_t thieves, std::uint32_t most_popped, Make make,
                     Read read) {
  Queue queue;
  std::vector<std::atomic<std::uint8_t>> seen(count);
  std::atomic<bool> done{false};
  core::Rng random(test::seed());
  test::in_parallel(thieves + 1, [&](std::uint32_t thread) {
    const auto take = [&](std::uint64_t number) { seen[number].fetch_add(1, std::memory_order_relaxed); };
    if (thread == 0) {
      std::uint64_t pushed = 0;
      while (pushed < count) {
        // Far more pushes than pops at first, so that the queue grows while it is stolen from.
        for (std::uint32_t i = 0, most = 1 + random.below(2 * most_popped); i < most && pushed < count; ++i)
          queue.push(make(pushed++));
        for (std::uint32_t i = 0, most = random.below(most_popped); i < most; ++i)
          if (auto element = queue.pop()) take(read(*element));
      }
      while (auto element = queue.pop()) take(read(*element));
      done.store(true, std::memory_order_release);
      return;
    }
    std::uint64_t before = 0;
    while (!done.load(std::memory_order_acquire)) {
      auto element = thread % 2 == 0 ? queue.steal() : queue.try_steal();
      if (!element) continue;
      const std::uint64_t number = read(*element);
      take(number);
      EXPECT_GE(number + 1, before);
      before = number + 1;
    }
  });
  EXPECT_TRUE(queue.empty());
  for (std::uint64_t i = 0; i < count; ++i) ASSERT_EQ(seen[i], 1) << "element " << i;
}

TYPED_TEST(WorkStealingQueue, GivesEverythingOnceUnderThieves) {
  for (const std::uint32_t thieves : {1U, 3U}) {
    everything_once<typename TypeParam::template Queue<std::uint64_t>>(
        test::scaled(50'000), thieves, 50, [](std::uint64_t i) { return i; },
        [](std::uint64_t i) { return i; });
    everything_once<typename TypeParam::template Queue<std::unique_ptr<std::uint64_t>>>(
        test::scaled(25'000), thieves, 500,
        [](std::uint64_t i) { return std::make_unique<std::uint64_t>(i); },
        [](const std::unique_ptr<std::uint64_t>& element) { return *element; });
  }
}

} // namespace
} // namespace wstree::types_queue_test
