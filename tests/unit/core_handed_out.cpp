// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wstree/core/tree/handed_out.h"

#include "wstree/core/platform.h"
#include "wstree/core/prior.h"
#include "wstree/core/tuning.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace wstree::core {
namespace {

TEST(HandedOut, KnowsARootInTheLoopThatItWasMarkedInOnly) {
  HandedOut<StdPlatform> marks;
  EXPECT_FALSE(marks.is_all(2, 9));
  marks.mark(0, 9);
  EXPECT_FALSE(marks.is_all(2, 9));
  marks.mark(1, 9);
  EXPECT_TRUE(marks.is_all(2, 9));
  EXPECT_FALSE(marks.is_all(3, 9));
  EXPECT_FALSE(marks.is_all(2, 17));
  marks.mark(0, 17);
  EXPECT_FALSE(marks.is_all(2, 17));
}

TEST(HandedOut, SaysNothingOfMoreRootsThanItHasRoomFor) {
  constexpr std::uint32_t k_most = HandedOut<StdPlatform>::k_roots;
  HandedOut<StdPlatform> marks;
  for (std::uint32_t root = 0; root <= k_most; ++root) marks.mark(root, 9);
  EXPECT_TRUE(marks.is_all(k_most, 9));
  EXPECT_FALSE(marks.is_all(k_most + 1, 9));
}

TEST(Prior, WaitsLessOftenTheMoreOftenItWaitedInVain) {
  Prior prior;
  int waits = 0;
  for (int execution = 0; execution < 1000; ++execution)
    if (prior.waits()) {
      ++waits;
      prior.learn_wait(false);
    }
  EXPECT_GT(waits, 7);
  EXPECT_LT(waits, 16);
  for (int execution = 0; execution < 200; ++execution)
    if (prior.waits()) prior.learn_wait(true);
  for (int execution = 0; execution < 100; ++execution) {
    EXPECT_TRUE(prior.waits()) << execution;
    prior.learn_wait(true);
  }
}

} // namespace
} // namespace wstree::core
