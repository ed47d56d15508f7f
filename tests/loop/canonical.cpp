// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// User bounds <-> 0..n-1 against 128-bit arithmetic.
#include "canonical_loop.h"
#include "seed.h"

#include "wstree/core/rng.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace wstree::loop {
namespace {

__extension__ typedef __int128 Wide;

template <class T> struct CanonicalLoopOf : testing::Test {};
using Types = testing::Types<std::int32_t, std::uint32_t, std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(CanonicalLoopOf, Types);

template <class T> void expect_like_oracle(T lower, T upper, std::make_signed_t<T> stride) {
  const CanonicalLoop<T> loop(lower, upper, stride);
  const Wide low = lower, high = upper, step = stride;
  const Wide distance = step > 0 ? high - low : low - high;
  const Wide trips = distance < 0 ? 0 : distance / (step > 0 ? step : -step) + 1;
  SCOPED_TRACE(testing::Message() << +lower << " to " << +upper << " by " << +stride);
  if (trips > static_cast<Wide>(CanonicalLoop<T>::k_most_iterations)) {
    EXPECT_FALSE(loop.countable());
    return;
  }
  ASSERT_TRUE(loop.countable());
  ASSERT_EQ(static_cast<Wide>(loop.iterations()), trips);
  EXPECT_EQ(loop.stride(), stride);
  if (trips == 0) return;
  for (const Wide k : {Wide{0}, Wide{1}, trips / 2, trips - 2, trips - 1}) {
    if (k < 0 || k >= trips) continue;
    EXPECT_EQ(static_cast<Wide>(loop.at(static_cast<std::uint64_t>(k))), low + k * step);
  }
}

TYPED_TEST(CanonicalLoopOf, AgreesWithWideArithmeticAtTheEdgesOfTheType) {
  using T = TypeParam;
  using S = std::make_signed_t<T>;
  using Limits = std::numeric_limits<T>;
  const std::vector<T> bounds = {Limits::min(),
                                 static_cast<T>(Limits::min() + 1),
                                 static_cast<T>(0),
                                 static_cast<T>(1),
                                 static_cast<T>(2),
                                 static_cast<T>(7),
                                 static_cast<T>(-1),
                                 static_cast<T>(-7),
                                 static_cast<T>(Limits::max() / 2),
                                 static_cast<T>(Limits::max() - 1),
                                 Limits::max()};
  const std::vector<S> strides = {1,
                                  -1,
                                  2,
                                  -2,
                                  3,
                                  -3,
                                  1000,
                                  -1000,
                                  std::numeric_limits<S>::max(),
                                  std::numeric_limits<S>::min(),
                                  std::numeric_limits<S>::min() + 1};
  for (const T lower : bounds)
    for (const T upper : bounds)
      for (const S stride : strides) expect_like_oracle<T>(lower, upper, stride);
}

TYPED_TEST(CanonicalLoopOf, AgreesWithWideArithmeticAtRandom) {
  using T = TypeParam;
  using S = std::make_signed_t<T>;
  using U = std::make_unsigned_t<T>;
  core::Rng random(test::seed());
  for (std::uint64_t i = 0, count = test::scaled(200'000); i < count; ++i) {
    const unsigned keep = random.below(sizeof(T) * 8);
    const T lower = static_cast<T>(random.next() >> (64 - sizeof(T) * 8));
    const auto distance = static_cast<U>(random.next() >> (63 - keep));
    const auto from = static_cast<U>(lower);
    const T upper = static_cast<T>(static_cast<U>(random.coin() ? from + distance : from - distance));
    S stride = static_cast<S>(random.next() >> (63 - random.below(sizeof(T) * 8)));
    if (random.coin()) stride = static_cast<S>(0 - static_cast<std::make_unsigned_t<S>>(stride));
    if (stride == 0) stride = 1;
    expect_like_oracle<T>(lower, upper, stride);
    if (testing::Test::HasFailure()) return;
  }
}

} // namespace
} // namespace wstree::loop
