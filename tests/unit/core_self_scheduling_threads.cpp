// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Real threads on one counter. Guards the tag C2 (a load and a store hand chunks out twice) and shows a
// thread sanitizer the rest; C1 and C3 are guarded by core_self_scheduling_races.cpp.
#include "seed.h"
#include "threads.h"

#include "wstree/core/rng.h"
#include "wstree/core/self_scheduling/static_worker.h"
#include "wstree/core/self_scheduling/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <deque>
#include <vector>

namespace wstree::self_scheduling_threads_test {
namespace {

using core::Range;
using P = core::StdPlatform;
template <class Rule> using WorkerOf = core::SelfSchedulingWorker<P, Rule>;

struct Seen {
  explicit Seen(std::uint64_t iterations) : hits(iterations) {}
  std::vector<std::atomic<std::uint32_t>> hits;
  std::atomic<int> lasts{0};
  std::atomic<int> late{0};
};

/// One member in one loop.
template <class Worker> void work(typename Worker::Loop& loop, const core::Entry& entry, Seen& seen) {
  core::NoMemory none;
  Worker worker;
  worker.enter(loop, none, entry);
  bool retired = false;
  for (Range range; worker.next(range); retired = range.last) {
    if (retired) seen.late.fetch_add(1, std::memory_order_relaxed);
    if (range.last) seen.lasts.fetch_add(1, std::memory_order_relaxed);
    for (auto i = range.begin; i < range.end; ++i) seen.hits[i].fetch_add(1, std::memory_order_relaxed);
  }
}

/// A row of slots, used from one end to the other without a barrier, with one before they are used again.
template <class Worker> void run(std::uint32_t members, std::uint64_t first_use, core::Rng& random) {
  const core::Settings settings{.clocked = false};
  constexpr std::uint64_t rounds = 10;
  const std::uint64_t slots = test::scaled(100);
  std::vector<typename Worker::Loop> loops(slots);
  std::deque<Seen> seen; // of each use of each slot
  for (std::uint64_t i = 0; i < rounds * slots; ++i)
    seen.emplace_back(1 + random.below(i % 4 == 0 ? 300 : 20));
  std::barrier together(static_cast<std::ptrdiff_t>(members));
  test::in_parallel(members, [&](std::uint32_t m) {
    for (std::uint64_t i = 0; i < seen.size(); ++i) {
      if (i % slots == 0) together.arrive_and_wait();
      const std::uint64_t use = first_use + i / slots;
      work<Worker>(loops[i % slots], {seen[i].hits.size(), 1 + i, use, m, members, &settings, i % 4},
                   seen[i]);
    }
  });
  for (std::uint64_t i = 0; i < seen.size(); ++i) {
    SCOPED_TRACE(testing::Message() << seen[i].hits.size() << " iterations, chunk " << i % 4);
    for (std::size_t k = 0; k < seen[i].hits.size(); ++k) ASSERT_EQ(seen[i].hits[k], 1U) << "iteration " << k;
    EXPECT_EQ(seen[i].lasts, 1);
    EXPECT_EQ(seen[i].late, 0) << "a chunk after the last iteration";
    if (testing::Test::HasFailure()) return;
  }
}

template <class Worker> class SelfSchedulingThreads : public testing::Test {};
using Workers =
    testing::Types<WorkerOf<core::FixedRule>, WorkerOf<core::GuidedRule>, WorkerOf<core::FactoringRule>,
                   WorkerOf<core::TrapezoidRule>, core::StaticWorker<P>>;
TYPED_TEST_SUITE(SelfSchedulingThreads, Workers);

TYPED_TEST(SelfSchedulingThreads, HandOutEveryIterationOnce) {
  core::Rng random(test::seed());
  for (const std::uint32_t members : {2U, 3U, 7U})
    run<TypeParam>(members, (1ULL << 20) - 5, random); // tags begin again from 0 on the way
}

} // namespace
} // namespace wstree::self_scheduling_threads_test
