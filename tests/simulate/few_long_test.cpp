// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of few long iterations, beside list scheduling: one iteration at a time for a member that is free.
#include "remembered.h"

#include "greedy.h"

#include "wstree/core/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace wstree::test {
namespace {

using Weights = std::vector<double>;
/// What the iterations cost in execution `round`; `before`: what they cost in the one before it.
using Next = std::function<Weights(core::Rng& random, Weights before, std::uint32_t round)>;

constexpr std::uint32_t k_executions = 50;

double part(core::Rng& random) { return random.below(1'000) / 1'000.0; }

/// Of time / time of list scheduling.
struct Beside {
  double mean = 1; ///< geometric
  double worst = 0;
};

/// Loops of 12 to 64 iterations of 60 us, with what is known of their place and without.
Beside beside_lists(std::uint32_t members, const Next& next) {
  Beside all;
  double logs = 0;
  std::uint32_t count = 0;
  for (const std::uint32_t iterations : {12U, 16U, 24U, 36U, 48U, 64U}) {
    core::Rng random(iterations);
    std::vector<Workload> loops;
    Weights weights(iterations, 1);
    for (std::uint32_t r = 0; r < k_executions; ++r) {
      weights = next(random, weights, r);
      loops.emplace_back("", iterations, iterations * 60 * k_us, [&](std::uint64_t i) { return weights[i]; });
    }
    Job job = remembered([&](std::uint32_t r) -> const Workload& { return loops[r]; }, members, k_executions,
                         false);
    const Executions without = executions(job);
    job.schedule = {Model::fixed, 1};
    const Executions lists = executions(job);
    job.schedule = {Model::tree, 0};
    job.settings.history = true;
    const Executions with = executions(job);
    for (const auto& tree : {without, with})
      for (std::uint32_t r = 0; r < k_executions; ++r, ++count) {
        const double value = tree.ratios[r] / lists.ratios[r];
        logs += std::log(value);
        all.worst = std::max(all.worst, value);
      }
  }
  all.mean = std::exp(logs / count);
  return all;
}

Weights equal(core::Rng&, Weights before, std::uint32_t) { return before; }
Weights nearly_equal(core::Rng& random, Weights before, std::uint32_t) {
  for (double& weight : before) weight = 1 + part(random) / 20;
  return before;
}
template <int most> Weights anything(core::Rng& random, Weights before, std::uint32_t) {
  for (double& weight : before) weight = 1 + (most - 1) * part(random);
  return before;
}
Weights changing(core::Rng& random, Weights before, std::uint32_t round) {
  if (round == 0) return anything<5>(random, before, round);
  for (double& weight : before) weight = std::clamp(weight * (0.9 + part(random) / 5), 0.5, 6.0);
  return before;
}

TEST(FewLongIterations, OfEqualCostsTakeWhatListsTake) {
  for (const std::uint32_t members : {2U, 3U, 4U, 8U}) {
    EXPECT_LT(beside_lists(members, equal).worst, 1.025) << members;
    EXPECT_LT(beside_lists(members, nearly_equal).mean, 1.01) << members;
  }
}

/// A member that starts iteration n-1, which seems long by chance, leaves the others the rest for nothing.
TEST(FewLongIterations, OfRandomCostsTakeAboutWhatListsTake) {
  for (const std::uint32_t members : {2U, 3U, 4U, 8U}) {
    const Beside random = beside_lists(members, anything<5>);
    EXPECT_LT(random.mean, 1.015) << members;
    EXPECT_LT(random.worst, members == 2 ? 1.25 : 1.42) << members;
    EXPECT_LT(beside_lists(members, anything<2>).mean, 1.0125) << members;
    EXPECT_LT(beside_lists(members, changing).mean, members == 2 ? 1.04 : 1.005) << members;
  }
}

/// Time on two members / time of the best list, which knows all costs.
double beside_best(const std::vector<double>& milliseconds) {
  double sum = 0;
  for (const double each : milliseconds) sum += each;
  const Workload loop("", milliseconds.size(), static_cast<Time>(sum * static_cast<double>(k_ms)),
                      [&](std::uint64_t i) { return milliseconds[i]; });
  const auto best = static_cast<double>(simulate::longest_first(loop, 2, {}));
  return ratio(with(loop, {Model::tree, 0}, 2)) * static_cast<double>(loop.ideal(2)) / best;
}

/// A thief with cheap iterations does not start iteration n-1 as long as the owner of others has ended none.
TEST(FewLongIterations, BehindAFirstLongOneWaitForNoMember) {
  EXPECT_LT(beside_best({100, 100, 3, 3}), 1.05);
  EXPECT_LT(beside_best({80, 80, 10, 10, 10, 10, 10, 10}), 1.2);
  EXPECT_LT(beside_best({60, 60, 60, 60, 5, 5, 5, 5, 5, 5}), 1.1);
}

TEST(FewLongIterations, OfAllShapesAreSharedByTwo) {
  double logs = 0, worst = 0;
  int count = 0;
  for (const std::string_view shape : simulate::shape_names())
    for (std::uint64_t n = 3; n <= 20; ++n, ++count) {
      const Workload loop = workload(shape, n, n * k_ms);
      const auto best = static_cast<double>(simulate::longest_first(loop, 2, {}));
      const double value = ratio(with(loop, {Model::tree, 0}, 2)) * static_cast<double>(loop.ideal(2)) / best;
      logs += std::log(value);
      worst = std::max(worst, value);
    }
  EXPECT_LT(std::exp(logs / count), 1.06);
  EXPECT_LT(worst, 1.45);
}

} // namespace
} // namespace wstree::test
