// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "wstree/core/tree/word.h"

#include <gtest/gtest.h>

namespace wstree::core {
namespace {

TEST(Word, KeepsItsFieldsApart) {
  const Word word(Phase::owned, 0xAB, Word::k_max_size, 5);
  EXPECT_EQ(word.phase(), Phase::owned);
  EXPECT_EQ(word.epoch(), 0xABU);
  EXPECT_EQ(word.left(), Word::k_max_size);
  EXPECT_EQ(word.right(), 5U);
}

TEST(Word, AdvancesOneEndAtATime) {
  const Word word(Phase::owned, 7, 10, 20);
  EXPECT_EQ(word.with_left(3), Word(Phase::owned, 7, 13, 20));
  EXPECT_EQ(word.with_right(4), Word(Phase::owned, 7, 10, 24));
  EXPECT_EQ(word.stopped(), Word(Phase::stolen, 7, 10, 20));
}

TEST(Word, ReadsAStaleWordAsAvailable) {
  const Word old(Phase::stolen, 41, 3, 4);
  EXPECT_EQ(Word::seen(old.raw(), 41), old);
  EXPECT_EQ(Word::seen(old.raw(), 42), Word(Phase::available, 42, 0, 0));
  EXPECT_EQ(Word::seen(old.raw(), 41 + 256), old)
      << "256 uses later the mark is the same: it has to be refreshed before";
}

TEST(Word, ZeroMemoryIsAvailableInEveryUse) {
  for (std::uint64_t use = 1; use < 600; ++use) {
    EXPECT_EQ(Word::seen(0, use).phase(), Phase::available);
    EXPECT_EQ(Word::seen(0, use).left(), 0U);
  }
}

} // namespace
} // namespace wstree::core
