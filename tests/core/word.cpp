// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The word of a node: its fields, and how old it is.
#include "wstree/core/tree/word.h"

#include "usual.h"

namespace wstree::core {
namespace {

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

} // namespace
} // namespace wstree::core
