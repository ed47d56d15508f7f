// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What loops have cost and where members should therefore begin, against counting unit by unit.
#include "seed.h"

#include "wstree/core/rng.h"
#include "wstree/core/shape.h"
#include "wstree/core/tree/plan.h"
#include "wstree/core/tree/planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace wstree {
namespace {

using core::CostCurve;
using Bins = core::CostBins<core::StdPlatform>;

struct SomeBins {
  SomeBins(std::uint32_t capacity, std::uint64_t units)
      : memory(capacity + 1), bins(memory.data(), capacity, units) {}
  std::vector<Bins::Bin> memory;
  Bins bins;
};

TEST(CostBins, AreAsManyAsFitAndCoverAllUnits) {
  for (const std::uint64_t units :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{129},
        std::uint64_t{1000}, (std::uint64_t{1} << 62) - 1, std::uint64_t{1} << 62,
        (std::uint64_t{1} << 63) - 1})
    for (const std::uint32_t capacity : {1U, 2U, 100U, 128U, 4096U}) {
      SCOPED_TRACE(testing::Message() << units << " units, room for " << capacity);
      const SomeBins some(capacity, units);
      const Bins& bins = some.bins;
      ASSERT_GE(bins.count(), 1U);
      ASSERT_LE(bins.count(), capacity);
      EXPECT_TRUE(bins.shift() == 0 || (units - 1) >> (bins.shift() - 1) >= capacity) << "too coarse";
      std::uint64_t covered = 0;
      for (std::uint32_t b = 0; b < bins.count(); ++b) {
        EXPECT_GT(bins.width(b, units), 0U);
        covered += bins.width(b, units);
      }
      EXPECT_EQ(covered, units);
    }
}

TEST(CostBins, SpreadWhatABatchTookOverItsBins) {
  core::Rng random(test::seed());
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t units = 1 + random.below(3000);
    SomeBins some(1 + random.below(130), units);
    std::vector<double> each(units, 0);
    double last = 0;
    for (int batch = 0; batch < 40; ++batch) {
      const std::uint64_t begin = random.below(static_cast<std::uint32_t>(units));
      const auto count = 1 + random.below(static_cast<std::uint32_t>(units - begin));
      const std::uint64_t ticks = random.below(1'000'000);
      some.bins.add(begin, count, ticks);
      for (std::uint64_t u = begin; u < begin + count; ++u) each[u] += static_cast<double>(ticks) / count;
      if (batch % 7 == 0) some.bins.add_last(static_cast<std::uint64_t>(last = random.below(1'000'000)));
    }
    for (std::uint32_t b = 0; b < some.bins.count(); ++b) {
      const std::uint64_t from = std::uint64_t{b} << some.bins.shift();
      const auto begin = each.begin() + static_cast<std::ptrdiff_t>(from);
      const double expected =
          std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(some.bins.width(b, units)), 0.0);
      ASSERT_NEAR(some.bins.take(b), expected, 1e-4 * expected + 1) << "bin " << b << " of " << units;
      EXPECT_EQ(some.bins.take(b), 0) << "was taken";
    }
    EXPECT_EQ(some.bins.take_last(), static_cast<float>(last)) << "the latest one counts";
    EXPECT_EQ(some.bins.take_last(), 0);
  }
}

TEST(CostBins, TakeBatchesAtTheEndOfTheLongestLoop) {
  const std::uint64_t units = (std::uint64_t{1} << 63) - 2;
  SomeBins some(128, units);
  some.bins.add(units - 100, 100, 7'000);
  EXPECT_FLOAT_EQ(some.bins.take(some.bins.count() - 1), 7'000);
}

TEST(Plan, ForesawWhatIsNearOrShort) {
  const float costs[] = {10, 100, 0};
  core::Plan plan;
  plan.costs = costs;
  plan.shift = 2;
  EXPECT_TRUE(plan.foresaw(0, 4, 40, 0));
  EXPECT_TRUE(plan.foresaw(4, 4, 990, 0));
  EXPECT_FALSE(plan.foresaw(4, 4, 1010, 0)) << "too long";
  EXPECT_FALSE(plan.foresaw(4, 4, 150, 0)) << "too short";
  EXPECT_TRUE(plan.foresaw(4, 4, 1010, 20)) << "within the slack";
  EXPECT_TRUE(plan.foresaw(8, 1, 10, 20)) << "nothing is known, and it was next to nothing";
  EXPECT_FALSE(plan.foresaw(8, 1, 60, 20));
}

/// The same costs unit by unit.
class Oracle {
public:
  Oracle(const std::vector<float>& bins, unsigned shift, std::uint64_t units, float last)
      : before_(units + 1, 0), last_(last) {
    for (std::uint64_t u = 0; u < units; ++u) {
      const std::uint64_t bin = u >> shift;
      const std::uint64_t width = std::min(units - (bin << shift), std::uint64_t{1} << shift);
      before_[u + 1] = before_[u] + static_cast<double>(bins[bin]) / static_cast<double>(width);
    }
  }
  std::uint64_t units() const { return before_.size() - 1; }
  double all() const { return before_.back() + last_; }
  /// Ticks of the units before `unit`.
  double before(std::uint64_t unit) const { return before_[unit]; }
  /// How close a unit can come to `target` ticks.
  double closest(double target) const {
    const auto at = std::lower_bound(before_.begin(), before_.end(), target);
    double best = at == before_.end() ? target - before_.back() : *at - target;
    if (at != before_.begin()) best = std::min(best, target - *(at - 1));
    return best;
  }
  double imbalance(const std::vector<std::uint64_t>& begins) const {
    double longest = 0;
    for (std::size_t i = 0; i + 1 < begins.size(); ++i)
      longest = std::max(longest,
                         before_[begins[i + 1]] - before_[begins[i]] + (i + 2 == begins.size() ? last_ : 0));
    return longest / std::max(all() / static_cast<double>(begins.size() - 1), static_cast<double>(last_));
  }

private:
  std::vector<double> before_;
  float last_;
};

struct Case {
  std::vector<float> bins;
  unsigned shift = 0;
  std::uint64_t units = 1;
  float last = 0;
  std::uint32_t parts = 1;

  CostCurve curve() const {
    return {bins.data(), static_cast<std::uint32_t>(bins.size()), shift, units, last};
  }
};

Case draw(core::Rng& random) {
  Case drawn;
  drawn.shift = random.below(5);
  drawn.units = 1 + random.below(700);
  drawn.parts = 1 + random.below(random.coin() ? 8 : 900); // often more than there are units
  drawn.bins.resize(((drawn.units - 1) >> drawn.shift) + 1);
  const auto zeros = random.below(4);
  const bool wild = random.coin();
  for (float& bin : drawn.bins)
    bin = random.below(4) < zeros
              ? 0
              : static_cast<float>(1 + random.below(1000)) * (wild && random.below(20) == 0 ? 1e4F : 1);
  switch (random.below(3)) {
  case 0:
    break;
  case 1:
    drawn.last = static_cast<float>(random.below(1000));
    break;
  default: // longer than a part
    drawn.last = static_cast<float>(random.below(100'000'000));
  }
  return drawn;
}

TEST(CostCurve, CutsAsNearToEqualPartsAsUnitsAllow) {
  core::Rng random(test::seed());
  for (std::uint64_t round = 0, rounds = test::scaled(3000); round < rounds; ++round) {
    const Case drawn = draw(random);
    const Oracle oracle(drawn.bins, drawn.shift, drawn.units, drawn.last);
    const CostCurve curve = drawn.curve();
    ASSERT_NEAR(curve.all(), oracle.all(), 1e-9 * oracle.all());
    std::vector<std::uint64_t> begins(drawn.parts + 1, ~std::uint64_t{0});
    curve.cut(drawn.parts, begins.data());
    ASSERT_EQ(begins.front(), 0U);
    ASSERT_EQ(begins.back(), drawn.units);
    ASSERT_TRUE(std::is_sorted(begins.begin(), begins.end()));
    ASSERT_NEAR(curve.imbalance(drawn.parts, begins.data()), oracle.all() > 0 ? oracle.imbalance(begins) : 1,
                1e-6);
    if (oracle.all() <= 0) continue;
    const bool long_last = double{drawn.last} * drawn.parts > oracle.all() && drawn.parts > 1;
    const double fair =
        long_last ? oracle.before(drawn.units) / (drawn.parts - 1) : oracle.all() / drawn.parts;
    for (std::uint32_t part = 1; part < drawn.parts; ++part) {
      const double target = fair * part;
      ASSERT_NEAR(std::abs(oracle.before(begins[part]) - target), oracle.closest(target), 1e-6 * oracle.all())
          << "part " << part << " of " << drawn.parts << ", " << drawn.units << " units";
    }
  }
}

TEST(CostCurve, MeasuresAnyLayout) {
  core::Rng random(test::seed() + 1);
  for (std::uint64_t round = 0, rounds = test::scaled(2000); round < rounds; ++round) {
    const Case drawn = draw(random);
    std::vector<std::uint64_t> begins(drawn.parts + 1);
    for (auto& begin : begins) begin = random.below(static_cast<std::uint32_t>(drawn.units + 1));
    begins.front() = 0;
    begins.back() = drawn.units;
    std::sort(begins.begin(), begins.end());
    const Oracle oracle(drawn.bins, drawn.shift, drawn.units, drawn.last);
    ASSERT_NEAR(drawn.curve().imbalance(drawn.parts, begins.data()),
                oracle.all() > 0 ? oracle.imbalance(begins) : 1, 1e-6);
  }
}

TEST(CostCurve, ALongLastIterationIsAPartOfItsOwn) {
  const std::vector<float> bins(100, 10);
  const CostCurve curve(bins.data(), 100, 0, 100, 5'000);
  std::uint64_t begins[5];
  curve.cut(4, begins);
  EXPECT_EQ(std::vector<std::uint64_t>(begins, begins + 5),
            (std::vector<std::uint64_t>{0, 33, 67, 100, 100}));
  EXPECT_DOUBLE_EQ(curve.imbalance(4, begins), 1) << "nothing ends before the last iteration does";
  curve.cut(1, begins);
  EXPECT_EQ(begins[1], 100U) << "nobody else is there";
}

TEST(CostCurve, NothingMeasuredIsEven) {
  const std::vector<float> bins(8, 0);
  const CostCurve curve(bins.data(), 8, 3, 60, 0);
  std::uint64_t begins[4];
  curve.cut(3, begins);
  EXPECT_EQ(begins[0], 0U);
  EXPECT_EQ(begins[3], 60U);
  EXPECT_TRUE(std::is_sorted(begins, begins + 4));
  EXPECT_EQ(curve.imbalance(3, begins), 1);
}

TEST(CostCurve, OfTheLongestLoopAndTheLongestTimes) {
  const std::uint64_t units = (std::uint64_t{1} << 63) - 2;
  const SomeBins some(4096, units);
  std::vector<float> bins(some.bins.count(), 1e15F);
  bins[0] = 0;
  bins[1] = 1e18F;
  const CostCurve curve(bins.data(), some.bins.count(), some.bins.shift(), units, 1e18F);
  std::vector<std::uint64_t> begins(1025);
  curve.cut(1024, begins.data());
  EXPECT_TRUE(std::is_sorted(begins.begin(), begins.end()));
  EXPECT_EQ(begins.back(), units);
  EXPECT_GE(curve.imbalance(1024, begins.data()), 1);
}

TEST(Shape, IsLaidOutAsAPlanSays) {
  core::Shape shape(1001, 4); // 1000 units
  EXPECT_FALSE(shape.is_laid_out());
  const std::uint64_t begins[] = {0, 0, 700, 700, 1000};
  shape.lay_out(begins);
  EXPECT_TRUE(shape.is_laid_out());
  const std::uint32_t sizes[] = {0, 700, 0, 300};
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(shape.root_begin(i), begins[i]);
    EXPECT_EQ(shape.root_size(i), sizes[i]);
  }
  EXPECT_EQ(shape.root_begin(4), shape.units());
  EXPECT_EQ(shape.range(700, 1000).end, 1000U) << "iteration n-1 is not a unit";
}

} // namespace
} // namespace wstree
