// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The judgement of `wstree compare` on times that are made up like those of a machine under load: runs that
// take longer by chance, rounds that are disturbed as a whole, and single runs that something has hit.
#include "compare/paired.h"

#include "usual.h"

namespace wstree::cli {
namespace {

/// A number below 1 that is the same with each C++ library.
double draw(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

struct Noise {
  double single; ///< of each run, up to this part of its time
  double round;  ///< of all runs of a round
  double hits;   ///< how often something else takes as much time as the program
};

/// Times of two programs in the same rounds; the first takes `ratio` of the other.
Ratio measure(std::mt19937_64& random, std::size_t rounds, double ratio, const Noise& noise) {
  std::vector<double> first, second;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double round = 1 + noise.round * draw(random);
    const auto once = [&](double time) {
      const double hit = draw(random) < noise.hits ? 1 + draw(random) : 1;
      return time * round * (1 + noise.single * draw(random)) * hit;
    };
    first.push_back(once(ratio));
    second.push_back(once(1));
  }
  return ratio_of(first, second);
}

constexpr Noise k_loads[] = {{0.02, 0, 0}, {0.05, 0.5, 0.1}, {0.3, 2, 0.3}, {0.02, 1, 0.4}};

TEST(RatioOf, SaysNoDifferenceWhereThereIsNone) {
  std::mt19937_64 random(20);
  for (const auto& load : k_loads)
    for (const std::size_t rounds : {10u, 20u}) {
      int wrong = 0;
      for (int i = 0; i < 400; ++i) wrong += measure(random, rounds, 1, load).is_same() ? 0 : 1;
      // One in twenty is allowed; the confidence of 99 % lets four of 400 be expected.
      EXPECT_LE(wrong, 400 / 20) << load.single << ' ' << rounds;
    }
}

TEST(RatioOf, IsNeverOfTheWrongSignAndSeesWhatIsThere) {
  std::mt19937_64 random(21);
  for (const auto& load : k_loads)
    for (const double ratio : {0.5, 0.8, 0.95})
      for (int i = 0; i < 200; ++i) {
        ASSERT_FALSE(measure(random, 10, ratio, load).is_slower()) << ratio << ' ' << load.single;
        ASSERT_FALSE(measure(random, 10, 1 / ratio, load).is_faster()) << ratio << ' ' << load.single;
      }
  int seen = 0;
  for (int i = 0; i < 100; ++i) seen += measure(random, 20, 0.9, {0.05, 0.5, 0.02}).is_faster() ? 1 : 0;
  EXPECT_GE(seen, 90);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(measure(random, 10, 0.5, {0.1, 2, 0.1}).is_faster());
}

TEST(RatioOf, KnowsTheExactInterval) {
  // Of ten differences 1 to 10, the signed ranks leave out three of the 55 means on each side at 99 %: P(T <=
  // 2) is 3/1024 and P(T <= 3) is 5/1024, which is just below 0.5 %; P(T <= 4) is 7/1024.
  std::vector<double> times, ones;
  for (int i = 1; i <= 10; ++i) {
    times.push_back(std::exp(i));
    ones.push_back(1);
  }
  const auto ratio = ratio_of(times, ones);
  EXPECT_TRUE(ratio.enough);
  EXPECT_NEAR(std::log(ratio.middle), 5.5, 1e-9);
  // Means in ascending order: 1, 1.5, 2, 2, ...; the fourth.
  EXPECT_NEAR(std::log(ratio.low), 2, 1e-9);
  EXPECT_NEAR(std::log(ratio.high), 9, 1e-9);
}

TEST(RatioOf, NeedsEnoughRoundsAndADifferenceThatMatters) {
  const auto of = [](std::size_t rounds, double first, double second) {
    return ratio_of(std::vector<double>(rounds, first), std::vector<double>(rounds, second));
  };
  // Seven differences have 128 choices of signs, and 2/128 is more than 1 %; eight have 256.
  EXPECT_FALSE(of(7, 1, 2).enough);
  EXPECT_FALSE(of(7, 1, 2).is_faster());
  EXPECT_TRUE(of(8, 1, 2).is_faster());
  EXPECT_TRUE(of(8, 2, 1).is_slower());
  EXPECT_FALSE(ratio_of({}, {}).enough);
  EXPECT_TRUE(of(10, 0.995, 1).is_same());
  EXPECT_TRUE(of(10, 0.98, 1).is_faster());
  const auto hit = ratio_of({1, 1, 1, 1, 7, 1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 14, 2, 2, 2, 2, 2, 2, 2});
  EXPECT_DOUBLE_EQ(hit.middle, 0.5);
  EXPECT_DOUBLE_EQ(hit.high, 0.5);
}

TEST(RatioOfGroups, KnowsTheExactInterval) {
  // Of two groups of eight, P(U <= 7) is 0.35 % and P(U <= 8) is 0.52 %, so eight of the 64 ratios are left
  // out on each side at 99 %.
  std::vector<double> times, ones(8, 1);
  for (int i = 1; i <= 8; ++i) times.push_back(std::exp(i));
  const auto ratio = ratio_of_groups(times, ones);
  EXPECT_TRUE(ratio.enough);
  EXPECT_NEAR(std::log(ratio.middle), 4.5, 1e-9);
  EXPECT_NEAR(std::log(ratio.low), 1, 1e-9) << "the eighth: the smallest time has eight ratios";
  EXPECT_NEAR(std::log(ratio.high), 8, 1e-9);
  EXPECT_NEAR(std::log(ratio_of_groups(times, ones, 0.98).low), 2, 1e-9) << "P(U <= 9) is 0.74 %: the tenth";
  // Four against four have 70 orders: 1/70 is more than 0.5 %.
  EXPECT_FALSE(ratio_of_groups({1, 2, 3, 4}, {5, 6, 7, 8}).enough);
  EXPECT_FALSE(ratio_of_groups({}, {1}).enough);
  // Very many pairs: 100 each, of which the normal distribution leaves out 3,944.
  std::vector<double> many;
  for (int i = 1; i <= 100; ++i) many.push_back(std::exp(i));
  EXPECT_NEAR(std::log(ratio_of_groups(many, std::vector<double>(100, 1)).low), 40, 1);
}

/// Times of a program on a quiet machine as real runs have them: half a percent for each run, one percent for
/// all runs of a session, and one run in thirty that takes up to three times as long.
std::vector<double> session(std::mt19937_64& random, double seconds, std::size_t rounds) {
  const double shift = 1 + 0.01 * (draw(random) - 0.5);
  std::vector<double> times;
  for (std::size_t i = 0; i < rounds; ++i) {
    const double bell = draw(random) + draw(random) + draw(random) + draw(random) - 2; // deviation 0.58
    const double hit = draw(random) < 1.0 / 30 ? 1 + 2 * draw(random) : 1;
    times.push_back(seconds * shift * (1 + 0.009 * bell) * hit);
  }
  return times;
}

TEST(RatioOfGroups, TellsFivePercentFromNothingAtATolerance) {
  std::mt19937_64 random(23);
  constexpr double k_tolerance = 1.02;
  int alarms = 0, found = 0;
  for (int i = 0; i < 200; ++i) {
    const auto before = session(random, 1, 16);
    alarms += ratio_of_groups(session(random, 1, 16), before).low > k_tolerance ? 1 : 0;
    found += ratio_of_groups(session(random, 1.05, 16), before).low > k_tolerance ? 1 : 0;
  }
  EXPECT_EQ(alarms, 0);
  EXPECT_GE(found, 190);
}

TEST(OutliersOf, NamesRunsThatLieFarFromTheOthers) {
  EXPECT_EQ(outliers_of({1, 1.01, 0.99, 2.5, 1.02, 1}), std::vector<std::size_t>{3});
  EXPECT_EQ(outliers_of({1, 1.01, 0.99, 1.08, 1.02, 1}), std::vector<std::size_t>{}) << "not by a tenth";
  EXPECT_EQ(outliers_of({1, 1.3, 0.7, 1.6, 1.1}), std::vector<std::size_t>{}) << "all of them vary";
  EXPECT_EQ(outliers_of({1, 1, 1, 9}), std::vector<std::size_t>{}) << "too few";
}

TEST(MedianInterval, HoldsTheMedian) {
  const auto few = median_interval({3, 1, 2});
  EXPECT_EQ(few.middle, 2);
  EXPECT_EQ(few.low, 1);
  EXPECT_EQ(few.high, 3);
  std::vector<double> times;
  for (int i = 1; i <= 20; ++i) times.push_back(i);
  const auto many = median_interval(times);
  EXPECT_EQ(many.middle, 10.5);
  // P(at most 3 of 20 heads) is 0.13 %, of at most 4 0.59 %.
  EXPECT_EQ(many.low, 4);
  EXPECT_EQ(many.high, 17);
  EXPECT_EQ(median_interval({}).middle, 0);
}

} // namespace
} // namespace wstree::cli
