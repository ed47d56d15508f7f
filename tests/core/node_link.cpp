// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links of roots: which use of the slot they belong to.
#include "wstree/core/tree/node.h"

#include "usual.h"

namespace wstree::core {
namespace {

/// A root's links carry the low 23 bits of the use that they belong to. refresh() keeps those of a root that
/// no loop needs for millions of uses from looking current when these bits come round.
constexpr std::uint64_t k_round = UsualMarks::Link::k_mask + 1;
constexpr std::uint64_t k_use = 5;

/// A root with children and a held node of use k_use.
struct Root {
  Root() {
    root.write_range(0, 4);
    EXPECT_TRUE(root.own(root.inspect(), Word(Phase::owned, k_use, 1, 0)));
    EXPECT_TRUE(root.stop(Word(root.inspect())));
    EXPECT_EQ(root.adopt(below.data(), k_use), below.data());
    root.publish_held(below.data(), k_use);
  }
  Node<StdPlatform> root;
  std::array<Node<StdPlatform>, 2> below;
};

TEST(NodeLink, BelongsToOneUseAndStaysWhileItIsYoung) {
  Root made;
  for (int refreshed = 0; refreshed < 2; ++refreshed) {
    EXPECT_EQ(made.root.children(k_use), made.below.data());
    EXPECT_EQ(made.root.held(k_use), made.below.data());
    EXPECT_EQ(made.root.children(k_use + 1), nullptr);
    EXPECT_EQ(made.root.held(k_use + 1), nullptr);
    made.root.refresh(k_use);
  }
}

TEST(NodeLink, IsGoneWhenItsNumberComesRound) {
  Root made;
  ASSERT_EQ(made.root.children(k_use + k_round), made.below.data()) << "why it has to be refreshed before";
  made.root.refresh(k_use + k_round / 4);
  EXPECT_EQ(made.root.children(k_use + k_round), nullptr);
  EXPECT_EQ(made.root.held(k_use + k_round), nullptr);
}

} // namespace
} // namespace wstree::core
