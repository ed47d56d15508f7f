// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of several events ends a call, whatever order they come in.
#include <wstree/parallel/tile_run.h>

#include <gtest/gtest.h>

namespace wstree::algorithms_test {
namespace {

struct Thrown {
  std::size_t tile;
};

void throw_in(detail::Verdict& verdict, std::size_t tile) {
  try {
    throw Thrown{tile};
  } catch (...) {
    verdict.fail(tile);
  }
}

TEST(Verdict, LowestTileWins) {
  detail::Verdict verdict;
  EXPECT_FALSE(verdict.is_beyond(1000));
  for (const std::size_t tile : {7U, 9U, 3U, 5U}) throw_in(verdict, tile);
  EXPECT_TRUE(verdict.is_beyond(4));
  EXPECT_FALSE(verdict.is_beyond(3));
  try {
    verdict.finish();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Thrown& thrown) {
    EXPECT_EQ(thrown.tile, 3U);
  }
}

TEST(Verdict, AResultTakesThePlaceOfAnExceptionBehindIt) {
  detail::Verdict verdict;
  throw_in(verdict, 6);
  ASSERT_TRUE(verdict.begin(2));
  verdict.forget_exception();
  verdict.settle();
  throw_in(verdict, 4);
  EXPECT_NO_THROW(verdict.finish());
}

TEST(Verdict, AStopCallsEverythingOff) {
  detail::Verdict verdict;
  throw_in(verdict, 6);
  verdict.cancel();
  EXPECT_TRUE(verdict.is_beyond(1));
  EXPECT_THROW(verdict.finish(), cancelled);
}

} // namespace
} // namespace wstree::algorithms_test
