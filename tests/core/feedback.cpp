// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards: feedback/balance.h and feedback/cost_curve.h: bounds that are parts of the loop whatever is told,
// parts that become even, and parts that stay equal where nothing is to gain.
#include "wstree/core/feedback/balance.h"

#include "usual.h"

namespace wstree::core {
namespace {

/// A loop and its team; costs are given as what is before each iteration.
class BalancedRuns {
public:
  BalancedRuns(std::uint64_t iterations, std::uint32_t members)
      : memory_(Balance::bytes(members) / sizeof(double) + 1), sums_(iterations + 1), speeds_(members, 1.0) {
    balance_.begin(memory_.data(), iterations, members);
  }
  Balance& balance() { return balance_; }
  std::vector<double>& speeds() { return speeds_; }

  template <class Weight> void cost(Weight&& weight) {
    for (std::size_t i = 0; i + 1 < sums_.size(); ++i) sums_[i + 1] = sums_[i] + weight(i);
  }
  /// time / ideal. `noise(m)`: what the times of the members are multiplied by.
  template <class Noise> double execute(Noise&& noise) {
    double longest = 0;
    double speed = 0;
    std::vector<double> times;
    for (std::uint32_t m = 0; m < balance_.members(); ++m) {
      times.push_back((sums_[balance_.bound(m + 1)] - sums_[balance_.bound(m)]) / speeds_[m] * noise(m));
      longest = std::max(longest, times.back());
      speed += speeds_[m];
    }
    balance_.learn([&](std::uint32_t m) { return 1e6 * times[m]; });
    check();
    return longest / (sums_.back() / speed);
  }
  double execute() {
    return execute([](std::uint32_t) { return 1.0; });
  }
  void check() const {
    ASSERT_EQ(balance_.bound(0), 0U);
    ASSERT_EQ(balance_.bound(balance_.members()), balance_.iterations());
    for (std::uint32_t m = 0; m < balance_.members(); ++m)
      ASSERT_LT(balance_.bound(m), balance_.bound(m + 1)) << "member " << m << " of " << balance_.members();
  }

private:
  std::vector<double> memory_;
  Balance balance_;
  std::vector<double> sums_;
  std::vector<double> speeds_;
};

constexpr std::uint64_t k_balanced_iterations = 10'000;
double place_of(std::size_t i) { return (static_cast<double>(i) + 0.5) / k_balanced_iterations; }

TEST(Balance, EvenAfterFiveExecutions) {
  const std::vector<double (*)(std::size_t)> shapes{
      [](std::size_t i) { return place_of(i); },
      [](std::size_t i) { return place_of(i) * place_of(i); },
      [](std::size_t i) { return std::exp(10 * place_of(i)); },
      [](std::size_t i) { return std::exp(-10 * place_of(i)); },
      [](std::size_t i) { return place_of(i) < 0.25 ? 100.0 : 1.0; },
      [](std::size_t i) { return place_of(i) >= 0.75 ? 100.0 : 1.0; },
      [](std::size_t i) { return std::max(0.02, std::sin(3.14159 * place_of(i))); },
  };
  for (const std::uint32_t members : {2U, 3U, 4U, 16U})
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
      BalancedRuns loop(k_balanced_iterations, members);
      loop.cost(shapes[shape]);
      for (int k = 0; k < 5; ++k) loop.execute();
      for (int k = 5; k < 60; ++k) ASSERT_LT(loop.execute(), 1.03) << "shape " << shape << ", " << members;
    }
}

TEST(Balance, UniformStaysExactlyStatic) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(1, 0.01);
  for (const std::uint32_t members : {2U, 7U, 64U}) {
    BalancedRuns loop(k_balanced_iterations, members);
    loop.cost([](std::size_t) { return 1.0; });
    for (int k = 0; k < 200; ++k) loop.execute([&](std::uint32_t) { return noise(random); });
    EXPECT_TRUE(loop.balance().is_equal());
    for (std::uint32_t m = 0; m <= members; ++m)
      EXPECT_EQ(loop.balance().bound(m), equal_bound(k_balanced_iterations, members, m));
  }
}

TEST(Balance, ACoreAtHalfSpeedGetsHalf) {
  BalancedRuns loop(k_balanced_iterations, 2);
  loop.cost([](std::size_t) { return 1.0; });
  loop.speeds()[0] = 0.5;
  for (int k = 0; k < 5; ++k) loop.execute();
  for (int k = 5; k < 60; ++k) EXPECT_LT(loop.execute(), 1.05);
  EXPECT_NEAR(static_cast<double>(loop.balance().bound(1)), k_balanced_iterations / 3.0,
              k_balanced_iterations * 0.02);
}

TEST(Balance, FollowsWhatDriftsAndWhatTurns) {
  BalancedRuns loop(k_balanced_iterations, 2);
  double drift = 0;
  for (int k = 0; k < 100; ++k) {
    loop.cost([&](std::size_t i) { return place_of(i) * (1 - k / 100.0) + (1 - place_of(i)) * (k / 100.0); });
    drift += loop.execute();
  }
  EXPECT_LT(drift / 100, 1.06);
  loop.cost([](std::size_t i) { return place_of(i); });
  for (int k = 0; k < 8; ++k) loop.execute();
  EXPECT_LT(loop.execute(), 1.06);
}

TEST(Balance, RandomCostsLoseNextToNothing) {
  std::mt19937_64 random(11);
  for (const double spread : {0.05, 0.3, 1.0}) {
    std::normal_distribution<double> block(1, spread);
    BalancedRuns loop(k_balanced_iterations, 2);
    double cut = 0;
    double equal = 0;
    for (int k = 0; k < 400; ++k) {
      std::vector<double> blocks(50);
      for (double& each : blocks) each = std::max(0.05, block(random));
      BalancedRuns fresh(k_balanced_iterations, 2);
      for (BalancedRuns* one : {&loop, &fresh})
        one->cost([&](std::size_t i) { return blocks[i * blocks.size() / k_balanced_iterations]; });
      cut += loop.execute();
      equal += fresh.execute();
    }
    EXPECT_LT(cut / equal, 1.02) << spread;
  }
}

TEST(Balance, OneInterruptionMovesNothing) {
  BalancedRuns loop(k_balanced_iterations, 2);
  loop.cost([](std::size_t i) { return place_of(i); });
  for (int k = 0; k < 20; ++k) loop.execute();
  const std::uint64_t before = loop.balance().bound(1);
  loop.execute([](std::uint32_t m) { return m == 0 ? 10.0 : 1.0; });
  EXPECT_EQ(loop.balance().bound(1), before);
  EXPECT_LT(loop.execute(), 1.02);
}

/// Many light executions whose cost is in the first four of 400 iterations, and then one in which all cost
/// `heavy`: what cuts lose there, they must have saved before.
TEST(Balance, RareLongExecutionsOutweighManyShortOnes) {
  constexpr std::uint64_t k_iterations = 400;
  constexpr std::uint32_t k_team = 4;
  double worst = 0;
  for (const auto& [light, heavy] : {std::pair(1'000, 100'000.0), std::pair(30, 300.0), std::pair(64, 100.0),
                                     std::pair(64, 1'000.0), std::pair(200, 1'000.0), std::pair(3, 300.0)}) {
    BalancedRuns runs(k_iterations, k_team);
    double spent = 0, equal = 0;
    for (int round = 0; round < 20; ++round)
      for (int execution = 0; execution <= light; ++execution) {
        const bool is_heavy = execution == light;
        runs.cost([&, heavy = heavy](std::size_t i) { return is_heavy ? heavy : i < 4 ? 100 : 0.01; });
        const double ideal = is_heavy ? heavy * k_iterations / k_team : (400 + 3.96) / k_team;
        spent += runs.execute() * ideal;
        equal += is_heavy ? ideal : 400 + 0.96;
      }
    worst = std::max(worst, spent / equal);
  }
  EXPECT_LE(worst, 1.25) << "times what equal parts take";
}

/// Light executions whose cost is in the first iterations, and then executions in which all iterations cost
/// as much or more. With noisy times some surprises look like interruptions, and some like usual errors.
TEST(Balance, ASurpriseLastsForTwoExecutionsAndRarelyForThree) {
  constexpr std::uint64_t k_iterations = 128;
  constexpr std::uint32_t k_team = 8;
  std::uint32_t longest = 0;
  int longer_than_two = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<> noise(0, seed % 4 * 0.5);
    const double heavy = 1 << seed % 5 * 2;
    BalancedRuns runs(k_iterations, k_team);
    runs.cost([](std::size_t i) { return i < k_team ? 1 : 0.001; });
    for (int k = 0; k < 100; ++k) runs.execute([&](std::uint32_t) { return 1 + noise(random); });
    runs.cost([&](std::size_t) { return heavy; });
    std::uint32_t surprised = 0;
    for (std::uint32_t k = 1; k <= 8; ++k)
      if (runs.execute([&](std::uint32_t) { return 1 + noise(random); }) > 5) surprised = k;
    longest = std::max(longest, surprised);
    longer_than_two += surprised > 2 ? 1 : 0;
  }
  EXPECT_LE(longest, 3U);
  EXPECT_LE(longer_than_two, 4);
}

TEST(Balance, AnyTimesLeaveParts) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto members = static_cast<std::uint32_t>(2 + random() % 20);
    const std::uint64_t n = members + 1 + random() % (seed % 3 == 0 ? 5 : 100'000);
    std::vector<double> memory(Balance::bytes(members) / sizeof(double) + 1);
    Balance balance;
    balance.begin(memory.data(), n, members);
    for (int k = 0; k < 100; ++k) {
      balance.learn([&](std::uint32_t) {
        const auto kind = random() % 8;
        return kind == 0 ? std::uint64_t{0} : kind == 1 ? random() >> 1 : random() % 1'000'000;
      });
      for (std::uint32_t m = 0; m < members; ++m) ASSERT_LT(balance.bound(m), balance.bound(m + 1)) << seed;
      ASSERT_EQ(balance.bound(members), n) << seed;
    }
  }
}

TEST(Balance, KnowsWhatItCannotCut) {
  EXPECT_FALSE(Balance::can_cut(100, 1));
  EXPECT_FALSE(Balance::can_cut(4, 4));
  EXPECT_TRUE(Balance::can_cut(5, 4));
  EXPECT_FALSE(Balance::can_cut(std::numeric_limits<std::uint64_t>::max(), 4));
  EXPECT_FALSE(Balance::can_cut(10'000, Balance::k_most_members + 1));
}

} // namespace
} // namespace wstree::core
