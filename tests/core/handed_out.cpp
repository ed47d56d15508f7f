// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wstree/core/tree/handed_out.h"

#include "wstree/core/platform.h"
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

} // namespace
} // namespace wstree::core
