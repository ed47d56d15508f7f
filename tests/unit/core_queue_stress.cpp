// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Real threads with work-stealing queues: one slot, used by one loop after the other.
#include "core_queue_support.h"
#include "parameter_names.h"
#include "seed.h"
#include "shared_once.h"
#include "threads.h"

#include "wstree/core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <memory>
#include <vector>

namespace wstree::queue_stress_test {
namespace {

using core::BatchMode;
using core::Settings;
using P = core::StdPlatform;

template <template <class> class Queue> class SlotUser {
public:
  explicit SlotUser(std::uint32_t members)
      : members_(members), cells_(std::make_unique<core::QueueCell<P, Queue>[]>(members)) {
    loop_.cells = {cells_.get(), sizeof(core::QueueCell<P, Queue>)};
  }

  void run(const std::vector<std::uint64_t>& sizes, const Settings& settings) {
    test::SharedOnce once(*std::max_element(sizes.begin(), sizes.end()));
    std::barrier together(static_cast<std::ptrdiff_t>(members_));
    test::in_parallel(members_, [&](std::uint32_t m) {
      core::QueueWorker<P, Queue> worker;
      core::NoMemory none;
      std::uint64_t number = first_;
      for (const std::uint64_t n : sizes) {
        const core::Entry entry{n, number, number, m, members_, &settings, 1, nullptr};
        worker.enter(loop_, none, entry);
        once.drain(worker);
        together.arrive_and_wait();
        if (m == 0) {
          once.expect_done(n);
          EXPECT_EQ((core::QueueWorker<P, Queue>::unclaimed(loop_, entry)), 0U);
        }
        together.arrive_and_wait();
        ++number;
      }
    });
    first_ += sizes.size();
  }

private:
  std::uint32_t members_;
  std::uint64_t first_ = 1;
  std::unique_ptr<core::QueueCell<P, Queue>[]> cells_;
  core::QueueLoop<P, Queue> loop_;
};

template <template <class> class Queue> void fight(BatchMode mode) {
  core::Rng random(test::seed());
  Settings settings;
  settings.batch = mode;
  settings.limit = mode == BatchMode::fixed ? 1 : 16;
  for (const std::uint32_t members : {2U, 5U}) {
    SlotUser<Queue> user(members);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0, count = test::scaled(40); i < count; ++i)
      sizes.push_back(1 + random.below(i % 4 == 0 ? 300 : 20));
    user.run(sizes, settings);
  }
}

class CoreQueueStress : public testing::TestWithParam<BatchMode> {};
TEST_P(CoreQueueStress, EveryIterationOnceUnderRealThreads) {
  fight<core::LockFreeQueue>(GetParam());
  fight<core::LockedQueue>(GetParam());
  fight<test::TinyLockFreeQueue>(GetParam());
  fight<test::TinyLockedQueue>(GetParam());
}
INSTANTIATE_TEST_SUITE_P(All, CoreQueueStress,
                         testing::Values(BatchMode::timed, BatchMode::exponential, BatchMode::fixed,
                                         BatchMode::random),
                         test::k_parameter_name);

} // namespace
} // namespace wstree::queue_stress_test
