// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sequences of chunks, against the definitions of the papers written down as plainly as can be.
#include "seed.h"
#include "usual.h"

#include "wstree/core/rng.h"
#include "wstree/core/self_scheduling/worker.h"

namespace wstree::self_scheduling_test {
namespace {

using core::Range;
template <class Rule> using WorkerOf = core::SelfSchedulingWorker<core::StdPlatform, Rule>;
using Fixed = WorkerOf<core::FixedRule>;
using Guided = WorkerOf<core::GuidedRule>;
using Factoring = WorkerOf<core::FactoringRule>;
using Trapezoid = WorkerOf<core::TrapezoidRule>;
using Sizes = std::vector<std::uint64_t>;
using testing::ElementsAre;
using testing::ElementsAreArray;

/// The chunks of a loop in the order in which they are handed out, here all to one member; checked to follow
/// each other without a gap, and to say "last" where the loop ends and nowhere else.
template <class Worker> Sizes sizes(std::uint64_t n, std::uint32_t members, std::uint64_t chunk) {
  const core::Settings settings;
  typename Worker::Loop loop;
  core::NoMemory none;
  Worker worker;
  worker.enter(loop, none, {n, 1, 1, 0, members, &settings, chunk});
  Sizes result;
  std::uint64_t expected = 0;
  for (Range range; worker.next(range); expected = range.end) {
    EXPECT_EQ(range.begin, expected);
    EXPECT_LT(range.begin, range.end);
    EXPECT_EQ(range.last, range.end == n);
    result.push_back(range.end - range.begin);
  }
  EXPECT_EQ(expected, n);
  EXPECT_EQ(worker.counts().iterations, n);
  EXPECT_EQ(worker.counts().batches, result.size());
  return result;
}

std::uint64_t up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

Sizes guided_reference(std::uint64_t n, std::uint64_t members, std::uint64_t chunk) {
  Sizes result;
  for (std::uint64_t left = n; left != 0; left -= result.back())
    result.push_back(std::min(std::max(up(left, members), chunk), left));
  return result;
}

Sizes factoring_reference(std::uint64_t n, std::uint64_t members, std::uint64_t chunk) {
  Sizes result;
  for (std::uint64_t left = n; left != 0;) {
    const std::uint64_t size = std::max(up(left, 2 * members), chunk);
    for (std::uint64_t i = 0; i < members && left != 0; ++i) {
      result.push_back(std::min(size, left));
      left -= result.back();
    }
  }
  return result;
}

struct Line {
  Line(std::uint64_t n, std::uint64_t members, std::uint64_t chunk)
      : first(std::max(up(n, 2 * members), chunk)), last(chunk), count(up(2 * n, first + last)) {}
  double decrease() const {
    return count == 1 ? 0 : static_cast<double>(first - last) / static_cast<double>(count - 1);
  }
  std::uint64_t first, last, count;
};

Sizes trapezoid_reference(std::uint64_t n, std::uint64_t members, std::uint64_t chunk) {
  const Line tss(n, members, chunk);
  const std::uint64_t falls = std::max<std::uint64_t>(tss.count - 1, 1);
  Sizes result;
  for (std::uint64_t k = 0, left = n; left != 0; ++k, left -= result.back())
    result.push_back(std::min(tss.first - k * (tss.first - tss.last) / falls, left));
  return result;
}

/// The tables that the literature repeats for 1000 iterations on 4 processors.
TEST(GuidedRule, DividesWhatIsLeft) {
  EXPECT_THAT(sizes<Guided>(1000, 4, 1),
              ElementsAre(250, 188, 141, 106, 79, 59, 45, 33, 25, 19, 14, 11, 8, 6, 4, 3, 3, 2, 1, 1, 1, 1));
  EXPECT_THAT(sizes<Guided>(100, 5, 1), ElementsAre(20, 16, 13, 11, 8, 7, 5, 4, 4, 3, 2, 2, 1, 1, 1, 1, 1));
  EXPECT_THAT(sizes<Guided>(100, 5, 6), ElementsAre(20, 16, 13, 11, 8, 7, 6, 6, 6, 6, 1));
}

TEST(Rules, GiveTheChunkOfTheScheduleWhereItIsLargerThanTheirs) {
  for (const std::uint64_t chunk : {100ULL, 900ULL, 1000ULL, 1001ULL, 1ULL << 31, 1ULL << 62, ~0ULL}) {
    SCOPED_TRACE(chunk);
    Sizes expected(1000 / std::min<std::uint64_t>(chunk, 1000), std::min<std::uint64_t>(chunk, 1000));
    if (chunk < 1000 && 1000 % chunk != 0) expected.push_back(1000 % chunk);
    EXPECT_THAT(sizes<Fixed>(1000, 16, chunk), ElementsAreArray(expected));
    EXPECT_THAT(sizes<Guided>(1000, 16, chunk), ElementsAreArray(expected));
    EXPECT_THAT(sizes<Factoring>(1000, 16, chunk), ElementsAreArray(expected));
    EXPECT_THAT(sizes<Trapezoid>(1000, 16, chunk), ElementsAreArray(expected));
  }
}

TEST(Rules, FollowTheirDefinitions) {
  core::Rng random(test::seed());
  for (std::uint64_t i = 0, count = test::scaled(3000); i < count; ++i) {
    const std::uint64_t n = 1 + random.below(i % 3 == 0 ? 40 : 30'000);
    const std::uint32_t members = 1 + random.below(i % 2 == 0 ? 6 : 200);
    const std::uint64_t chunk = 1 + random.below(i % 4 == 0 ? 300 : 3);
    SCOPED_TRACE(testing::Message() << n << " iterations, " << members << " members, chunk " << chunk);
    const std::uint64_t usable = std::min(chunk, n);
    EXPECT_EQ(sizes<Guided>(n, members, chunk), guided_reference(n, members, usable));
    EXPECT_EQ(sizes<Factoring>(n, members, chunk), factoring_reference(n, members, usable));
    EXPECT_EQ(sizes<Trapezoid>(n, members, chunk), trapezoid_reference(n, members, usable));
    if (testing::Test::HasFailure()) return;
  }
}

std::uint64_t first_chunk(auto rule, std::uint64_t n, std::uint32_t members) {
  rule.enter(n, members, 1);
  return rule.chunk(0).end;
}

constexpr auto k_huge = (1ULL << 63) - 1;

TEST(Rules, CountLoopsOfAnySize) {
  for (const std::uint64_t n : {k_huge, k_huge - 1, (1ULL << 62) + 1, (1ULL << 43) + 1, (1ULL << 32) + 7})
    for (const std::uint32_t members : {1U, 2U, 3U, 4095U, (1U << 20) - 1}) {
      SCOPED_TRACE(testing::Message() << n << " iterations, " << members << " members");
      if (members < 5000) sizes<Factoring>(n, members, 1 + n / 100'000);
      if (members < 5000) sizes<Trapezoid>(n, members, 1 + n / 100'000);
      sizes<Guided>(n, members, 1 + n / 100'000);
      sizes<Fixed>(n, members, 1 + n / 100'000);
      const std::uint64_t half = n / (2ULL * members) + (n % (2ULL * members) != 0);
      EXPECT_EQ(first_chunk(core::TrapezoidRule(), n, members), half);
      EXPECT_EQ(first_chunk(core::FactoringRule(), n, members), half);
    }
  core::FixedRule fixed;
  fixed.enter(k_huge, 2, 1);
  EXPECT_EQ(fixed.chunk(0).end, 1U << 20) << "as many chunks as the counter has room for";
  EXPECT_EQ(fixed.chunk((1ULL << 43) - 1).end, k_huge);
  EXPECT_TRUE(fixed.chunk((1ULL << 43) - 1).last);
  EXPECT_EQ(fixed.chunk(1ULL << 43).begin, k_huge);
}

/// With the largest team the products inside of the rule are the largest.
TEST(TrapezoidRule, LeavesNoGapsInTheLargestTeam) {
  constexpr std::uint32_t members = (1U << 20) - 1;
  for (const std::uint64_t n : {k_huge, 1ULL << 62, (1ULL << 43) + 12345, 8ULL << 20}) {
    core::TrapezoidRule rule;
    rule.enter(n, members, 1);
    Range before{0, n, false};
    bool ended = false;
    for (std::uint64_t step = 0; !ended; step += 997) {
      ASSERT_LE(step, 4ULL * members + 997);
      const Range here = rule.chunk(step);
      const Range next = rule.chunk(step + 1);
      ASSERT_EQ(next.begin, here.end) << "step " << step;
      ASSERT_LE(here.end - here.begin, before.end - before.begin);
      ASSERT_EQ(next.last, next.end == n && next.begin != n);
      before = here;
      ended = next.begin == n;
    }
  }
}

} // namespace
} // namespace wstree::self_scheduling_test
