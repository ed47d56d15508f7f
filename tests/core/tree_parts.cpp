// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of the tree: the loop's shape, words, links and marks of nodes, and what a thief has seen around it.
#include "wstree/core/shape.h"
#include "wstree/core/tree/handed_out.h"
#include "wstree/core/tree/node.h"
#include "wstree/core/tree/search/surroundings.h"
#include "wstree/core/tree/word.h"

#include "usual.h"

namespace wstree::core {
namespace {

/// The roots tile [0, units) in order and the units tile iterations [0, n-1).
void expect_tiling(std::uint64_t n, std::uint32_t roots) {
  const Shape shape(n, roots);
  SCOPED_TRACE(testing::Message() << n << " iterations, " << roots << " roots");
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < roots; ++i) {
    EXPECT_EQ(shape.root_begin(i), at);
    EXPECT_LE(shape.root_begin(i + 1) - shape.root_begin(i), k_max_share);
    at = shape.root_begin(i + 1);
    EXPECT_EQ(shape.root_begin(i) + shape.root_size(i), at);
  }
  EXPECT_EQ(at, shape.units());
  if (shape.units() == 0) {
    EXPECT_EQ(n, 1U);
    return;
  }
  EXPECT_EQ(shape.range(0, shape.units()).begin, 0U);
  EXPECT_EQ(shape.range(0, shape.units()).end, n - 1);
  EXPECT_LT(shape.range(shape.units() - 1, shape.units()).begin, n - 1) << "the last unit is not empty";
}

TEST(Shape, TilesTheLoopForEverySizeAndTeam) {
  for (std::uint32_t roots : {1U, 2U, 3U, 5U, 8U, 64U, 1000U, 65535U})
    for (std::uint64_t n : {1ULL, 2ULL, 3ULL, 4ULL, 7ULL, 8ULL, 9ULL, 63ULL, 64ULL, 65ULL, 999ULL, 1000ULL,
                            1001ULL, 1000000ULL})
      expect_tiling(n, roots);
}

TEST(Shape, TilesLoopsThatNeedUnitsOfManyIterations) {
  for (std::uint32_t roots : {1U, 2U, 3U, 8U, 100U})
    for (unsigned bits = 25; bits < 63; ++bits)
      for (std::int64_t off : {-2, -1, 0, 1, 2})
        expect_tiling((1ULL << bits) + static_cast<std::uint64_t>(off), roots);
  expect_tiling((1ULL << 63) - 1, 1);
  expect_tiling((1ULL << 63) - 1, 7);
}

TEST(Shape, KeepsIterationsApartWhileTheyFitAndGivesRootsTheSharesOfStatic) {
  EXPECT_EQ(Shape(100'000'000, 2).shift(), 0U);
  EXPECT_GT(Shape(1'000'000'000, 2).shift(), 0U);
  const Shape shape(10, 3); // static: 4, 3, 3; the last iteration is apart
  EXPECT_EQ(shape.root_size(0), 4U);
  EXPECT_EQ(shape.root_size(1), 3U);
  EXPECT_EQ(shape.root_size(2), 2U);
}

TEST(Word, KeepsItsFieldsApart) {
  const Word largest(Phase::owned, 0xAB, Word::k_max_size, 5);
  EXPECT_EQ(largest.phase(), Phase::owned);
  EXPECT_EQ(largest.epoch(), 0xABU);
  EXPECT_EQ(largest.left(), Word::k_max_size);
  EXPECT_EQ(largest.right(), 5U);
  const Word word(Phase::owned, 7, 10, 20);
  EXPECT_EQ(word.with_left(3), Word(Phase::owned, 7, 13, 20));
  EXPECT_EQ(word.with_right(4), Word(Phase::owned, 7, 10, 24));
  EXPECT_EQ(word.stopped(), Word(Phase::stolen, 7, 10, 20));
}

TEST(Word, ReadsAStaleWordAsAvailable) {
  const Word old(Phase::stolen, 41, 3, 4);
  EXPECT_EQ(Word::seen(old.raw(), 41), old);
  EXPECT_EQ(Word::seen(old.raw(), 42), Word(Phase::available, 42, 0, 0));
  EXPECT_EQ(Word::seen(old.raw(), 41 + UsualMarks::Word::k_mask + 1), old)
      << "a round later the mark is the same: it has to be refreshed before";
  for (std::uint64_t use = 1; use < 600; ++use) // and zeroed memory
    EXPECT_EQ(Word::seen(0, use).phase() == Phase::available ? Word::seen(0, use).left() : 1, 0U) << use;
}

TEST(Word, IsOldFromAQuarterOfARoundOn) {
  constexpr std::uint64_t k_quarter = UsualMarks::Word::k_quarter;
  for (const Phase phase : {Phase::owned, Phase::stolen}) {
    const Word word(phase, 41, 3, 4);
    EXPECT_FALSE(word.is_old(41));
    EXPECT_FALSE(word.is_old(41 + k_quarter - 1));
    EXPECT_TRUE(word.is_old(41 + k_quarter));
    EXPECT_TRUE(word.is_old(41 + 4 * k_quarter - 1));
  }
  EXPECT_FALSE(Word(Phase::available, 41, 0, 0).is_old(41 + k_quarter)) << "means the same in every use";
}

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

TEST(Surroundings, AThiefsShareIsNeverEmpty) {
  // One root for a team of eight: member 4 has no other member in its two domains, but the node that it meets
  // belongs to member 5, which is in the second. A share of nothing was handed out as an empty piece.
  const Domain domains[] = {{4, 5}, {4, 6}};
  const Neighbourhood near{nullptr, domains, 2, 4};
  Node<StdPlatform> node;
  Surroundings<StdPlatform> around(near);
  for (std::uint32_t ring = 0; ring < around.rings(); ++ring) {
    const Domain domain = around.domain(ring, 1);
    around.expect(ring, domain.end - domain.begin, domain.end - domain.begin);
  }
  around.saw(2, 0, 5, {&node, 0, 10, 0, 0, Word()}, 10);
  const auto choice = around.choose(1);
  ASSERT_EQ(choice.target.node, &node);
  EXPECT_GE(choice.share, 4U);
  EXPECT_LE(choice.share, 6U);
}

} // namespace
} // namespace wstree::core
