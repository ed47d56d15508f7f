// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// User bounds <-> 0..n-1 against 128-bit arithmetic, also of loops with exclusive bounds.
#include "canonical_loop.h"
#include "seed.h"
#include "usual.h"

#include "wstree/core/rng.h"

#include <climits>

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
  using SignedLimits = std::numeric_limits<S>;
  std::vector<T> bounds{Limits::min(), Limits::max(), T(Limits::min() + 1), T(Limits::max() / 2),
                        T(Limits::max() - 1)};
  for (const int small : {0, 1, 2, 7, -1, -7}) bounds.push_back(static_cast<T>(small));
  const std::vector<S> strides{
      1, -1, 2, -2, 3, -3, 1000, -1000, SignedLimits::max(), SignedLimits::min(), S(SignedLimits::min() + 1)};
  for (const T lower : bounds)
    for (const T upper : bounds)
      for (const S stride : strides) expect_like_oracle<T>(lower, upper, stride);
}

TYPED_TEST(CanonicalLoopOf, AgreesWithWideArithmeticAtRandom) {
  using T = TypeParam;
  using S = std::make_signed_t<T>;
  using U = std::make_unsigned_t<T>;
  core::Rng random(test::seed());
  for (std::uint64_t i = 0, count = test::scaled(30'000); i < count; ++i) {
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

void expect_trips(const HalfOpenLoop& loop, Wide start, Wide end, Wide increment) {
  const bool up = increment > 0;
  const Wide distance = up ? end - start : start - end;
  const Wide step = up ? increment : -increment;
  const Wide trips = distance <= 0 ? 0 : (distance - 1) / step + 1;
  SCOPED_TRACE(testing::Message() << static_cast<long double>(start) << " to "
                                  << static_cast<long double>(end) << " by "
                                  << static_cast<long double>(increment));
  if (trips > static_cast<Wide>(HalfOpenLoop::k_most_iterations)) {
    EXPECT_FALSE(loop.countable());
    return;
  }
  ASSERT_TRUE(loop.countable());
  ASSERT_EQ(static_cast<Wide>(loop.iterations()), trips);
  // What the caller computes from these: the value of every iteration modulo 2^64.
  for (const Wide k : {Wide{0}, Wide{1}, trips / 2, trips - 1}) {
    if (k < 0 || k >= trips) continue;
    EXPECT_EQ(loop.start() + static_cast<std::uint64_t>(k) * loop.increment(),
              static_cast<std::uint64_t>(start + k * increment));
  }
  EXPECT_EQ(loop.end(), static_cast<std::uint64_t>(end));
}

TEST(HalfOpenLoop, AgreesWithWideArithmeticAtTheEdgesOfItsTypes) {
  const std::vector<long> bounds = {LONG_MIN, LONG_MIN + 1, -7,           -1,      0, 1, 2,
                                    7,        LONG_MAX / 2, LONG_MAX - 1, LONG_MAX};
  const std::vector<long> increments = {1, -1, 2, -2, 3, -3, 1000, -1000, LONG_MAX, LONG_MIN + 1, LONG_MIN};
  for (const long start : bounds)
    for (const long end : bounds)
      for (const long increment : increments)
        expect_trips(HalfOpenLoop(start, end, increment), start, end, increment);
  const std::vector<unsigned long long> places = {
      0, 1, 2, 7, LLONG_MAX, ULLONG_MAX / 2 + 1, ULLONG_MAX - 7, ULLONG_MAX - 1, ULLONG_MAX};
  for (const auto start : places)
    for (const auto end : places)
      for (const auto step :
           {1ULL, 2ULL, 3ULL, 1000ULL, ULLONG_MAX / 2, ULLONG_MAX / 2 + 1, ULLONG_MAX - 1, ULLONG_MAX}) {
        expect_trips(HalfOpenLoop(true, start, end, step), start, end, static_cast<Wide>(step));
        expect_trips(HalfOpenLoop(false, start, end, 0 - step), start, end, -static_cast<Wide>(step));
      }
}

TEST(HalfOpenLoop, AgreesWithWideArithmeticAtRandom) {
  core::Rng random(test::seed());
  for (std::uint64_t i = 0, count = test::scaled(30'000); i < count; ++i) {
    const auto start = random.next() >> random.below(64);
    const auto end = random.next() >> random.below(64);
    const auto step = (random.next() >> random.below(64)) | 1;
    expect_trips(HalfOpenLoop(true, start, end, step), static_cast<Wide>(start), static_cast<Wide>(end),
                 static_cast<Wide>(step));
    const auto from = static_cast<long>(start);
    const auto to = static_cast<long>(end);
    const long by = static_cast<long>(step >> 1) + 1;
    expect_trips(HalfOpenLoop(from, to, by), from, to, by);
    expect_trips(HalfOpenLoop(from, to, -by), from, to, -static_cast<Wide>(by));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(HalfOpenLoop, IsWideWhereLibgompOverflows) {
  constexpr long k_low = LONG_MIN, k_high = LONG_MAX;
  EXPECT_FALSE(HalfOpenLoop(k_high - 10, k_high, 1L).is_wide());
  EXPECT_FALSE(HalfOpenLoop(k_low + 10, k_low, -3L).is_wide());
  EXPECT_FALSE(HalfOpenLoop(k_high, k_low, 1L).is_wide()); // no iterations
  EXPECT_FALSE(HalfOpenLoop(true, ~0ULL - 10, ~0ULL, 1ULL).is_wide());
  EXPECT_FALSE(HalfOpenLoop(false, 10ULL, 0ULL, ~0ULL).is_wide());
  EXPECT_TRUE(HalfOpenLoop(k_low, k_high, 1L << 50).is_wide());
  EXPECT_TRUE(HalfOpenLoop(k_high, k_low, -(1L << 50)).is_wide());
  EXPECT_TRUE(HalfOpenLoop(0L, 5L, k_high).is_wide());
  EXPECT_TRUE(HalfOpenLoop(0L, -5L, k_low).is_wide());
  EXPECT_TRUE(HalfOpenLoop(true, 0ULL, ~0ULL, 1ULL << 40).is_wide());
  EXPECT_TRUE(HalfOpenLoop(false, ~0ULL, 0ULL, ~0ULL).is_wide()); // not countable
}

TEST(HalfOpenLoop, HasWholeStepsIfTheValueBehindTheLastOneIsInItsType) {
  constexpr long k_low = LONG_MIN, k_high = LONG_MAX;
  EXPECT_TRUE(HalfOpenLoop(0L, 1L << 62, 1L << 57).has_whole_steps());
  EXPECT_TRUE(HalfOpenLoop(-(1L << 61), 1L << 61, 1L << 57).has_whole_steps());
  EXPECT_TRUE(HalfOpenLoop(1L << 61, -(1L << 61), -(1L << 57)).has_whole_steps());
  EXPECT_TRUE(HalfOpenLoop(k_high - 10, k_high, 5L).has_whole_steps());
  EXPECT_FALSE(HalfOpenLoop(k_high - 11, k_high, 5L).has_whole_steps());
  EXPECT_TRUE(HalfOpenLoop(k_low + 10, k_low, -5L).has_whole_steps());
  EXPECT_FALSE(HalfOpenLoop(k_low + 11, k_low, -5L).has_whole_steps());
  EXPECT_FALSE(HalfOpenLoop(k_low, 0L, 1L).has_whole_steps()); // 2^63 apart
  EXPECT_FALSE(HalfOpenLoop(0L, k_high, 1L).has_whole_steps());
  EXPECT_FALSE(HalfOpenLoop(0L, 10L, 0L).has_whole_steps());
  EXPECT_TRUE(HalfOpenLoop(true, ~0ULL - 10, ~0ULL, 5ULL).has_whole_steps());
  EXPECT_FALSE(HalfOpenLoop(true, ~0ULL - 11, ~0ULL, 5ULL).has_whole_steps());
  EXPECT_TRUE(HalfOpenLoop(false, 10ULL, 0ULL, 0ULL - 5).has_whole_steps());
  EXPECT_FALSE(HalfOpenLoop(false, 11ULL, 0ULL, 0ULL - 5).has_whole_steps());
  EXPECT_FALSE(HalfOpenLoop(true, 0ULL, ~0ULL, 1ULL << 40).has_whole_steps());
}

TEST(HalfOpenLoop, WithoutAStepIsNotOurs) {
  EXPECT_FALSE(HalfOpenLoop(0L, 10L, 0L).countable());
  EXPECT_FALSE(HalfOpenLoop(true, 0ULL, 10ULL, 0ULL).countable());
}

} // namespace
} // namespace wstree::loop
