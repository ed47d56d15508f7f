// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks of the roots that are handed out.
#include "wstree/core/tree/handed_out.h"

#include "usual.h"

namespace wstree::core {
namespace {

TEST(HandedOut, KnowsRootsOfOneLoopAndNoMoreThanItHasRoomFor) {
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
  constexpr std::uint32_t k_most = HandedOut<StdPlatform>::k_roots;
  for (std::uint32_t root = 0; root <= k_most; ++root) marks.mark(root, 9);
  EXPECT_TRUE(marks.is_all(k_most, 9));
  EXPECT_FALSE(marks.is_all(k_most + 1, 9));
}

} // namespace
} // namespace wstree::core
