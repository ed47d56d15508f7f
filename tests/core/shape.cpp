// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a loop is cut into roots and units.
#include "wstree/core/shape.h"

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

} // namespace
} // namespace wstree::core
