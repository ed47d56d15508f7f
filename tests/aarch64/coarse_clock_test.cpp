// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the schedule of a loop makes of a clock that ticks seldom, in virtual time: the counter of Arm
// processors has 19 to 100 MHz in most machines, so that a batch of the first microsecond takes 25 ticks or
// less, and many iterations take none.
#include "virtual_machine.h"
#include "virtual_team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace wstree {
namespace {

using test::CachedPlatform;
using test::VirtualPlatform;

constexpr double k_ms = 2.5e6; // of virtual time, in ticks of 0.4 ns

/// 500, 50, 25 and 19.2 MHz, as machines have them, and 10 MHz.
constexpr std::uint64_t k_coarsenesses[] = {5, 50, 100, 130, 250};

/// The durations of the settings on such a clock, converted as the library does.
core::Settings settings_for(std::uint64_t coarseness) {
  core::Settings settings;
  for (std::uint64_t* duration : {&settings.shortest_target, &settings.longest_target, &settings.tail_batch,
                                  &settings.steal_cost, &settings.near_enough})
    *duration = (*duration + coarseness / 2) / coarseness;
  return settings;
}

/// The clock that members read, for the time of a test's run.
class Clock {
public:
  explicit Clock(std::uint64_t coarseness) {
    VirtualPlatform::coarseness = CachedPlatform::coarseness = coarseness;
  }
  ~Clock() { VirtualPlatform::coarseness = CachedPlatform::coarseness = 1; }
};

struct Shape {
  const char* name;
  double (*weight)(double x);
};

constexpr Shape k_shapes[] = {
    {"UNIFORM", [](double) { return 1.0; }},
    {"TRIANGLE", [](double x) { return x; }},
    {"PARABOLA", [](double x) { return x * x; }},
    {"EXP", [](double x) { return std::exp(10 * x); }},
    {"STEP_start", [](double x) { return x < 0.25 ? 100.0 : 1.0; }},
    {"STEP_middle", [](double x) { return x > 0.375 && x < 0.625 ? 100.0 : 1.0; }},
    {"STEP_end", [](double x) { return x > 0.75 ? 100.0 : 1.0; }},
};

/// Costs of the first i iterations, in ticks of 0.4 ns.
std::vector<std::uint64_t> sums_of(const Shape& shape, std::uint64_t n, double total) {
  std::vector<double> weights(n);
  for (std::uint64_t i = 0; i < n; ++i)
    weights[i] = shape.weight((static_cast<double>(i) + 0.5) / static_cast<double>(n));
  const double scale = total / std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint64_t> sums(n + 1);
  double sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sums[i + 1] = static_cast<std::uint64_t>(sum += weights[i] * scale);
  return sums;
}

test::VirtualRun run(std::uint64_t coarseness, const std::vector<std::uint64_t>& sums,
                     std::uint32_t members) {
  const Clock clock(coarseness);
  test::VirtualTeam team(members);
  return team.run(
      sums.size() - 1, settings_for(coarseness),
      [&](auto begin, auto end) { return sums[end] - sums[begin]; },
      [](std::uint32_t m) { return m * 1000ULL; });
}

double ideal(const std::vector<std::uint64_t>& sums, std::uint32_t members) {
  std::uint64_t longest = 0;
  for (std::size_t i = 1; i < sums.size(); ++i) longest = std::max(longest, sums[i] - sums[i - 1]);
  return std::max(static_cast<double>(sums.back()) / members, static_cast<double>(longest));
}

TEST(CoarseClock, LongLoopsStayNearIdeal) {
  for (const std::uint64_t coarseness : k_coarsenesses)
    for (const Shape& shape : k_shapes)
      for (const std::uint64_t n : {1'000ULL, 100'000ULL}) {
        const auto sums = sums_of(shape, n, 10 * k_ms);
        EXPECT_LT(static_cast<double>(run(coarseness, sums, 2).makespan), 1.02 * ideal(sums, 2))
            << shape.name << '/' << n << ", ticks of " << 0.4 * static_cast<double>(coarseness) << " ns";
      }
}

TEST(CoarseClock, LoopsOfOneMillisecondTakeAboutAsLongAsWithAFineOne) {
  for (const std::uint64_t coarseness : k_coarsenesses)
    for (const Shape& shape : k_shapes) {
      const auto sums = sums_of(shape, 100'000, k_ms);
      const double fine = static_cast<double>(run(1, sums, 4).makespan);
      EXPECT_LT(static_cast<double>(run(coarseness, sums, 4).makespan), 1.03 * fine)
          << shape.name << ", ticks of " << 0.4 * static_cast<double>(coarseness) << " ns";
    }
}

TEST(CoarseClock, BatchesAreNotSmaller) {
  // Each costs a dispatch: a clock that shows no time between two of them must not keep
  // them at one iteration.
  for (const std::uint64_t coarseness : k_coarsenesses)
    for (const Shape& shape : k_shapes) {
      const auto sums = sums_of(shape, 200'000, 0.2 * k_ms); // iterations of 1 ns
      const double fine = static_cast<double>(run(1, sums, 2).total.batches);
      EXPECT_LT(static_cast<double>(run(coarseness, sums, 2).total.batches), 1.4 * fine)
          << shape.name << ", ticks of " << 0.4 * static_cast<double>(coarseness) << " ns";
    }
}

test::MachineRun run_on_domains(std::uint64_t coarseness, const std::vector<std::uint64_t>& sums) {
  const Clock clock(coarseness);
  const test::VirtualMachine machine{32, {8}};
  test::MachineTeam team(machine, {});
  return team.run(
      sums.size() - 1, settings_for(coarseness), true,
      [&](auto begin, auto end) { return sums[end] - sums[begin]; },
      [](std::uint32_t m) { return m * 250ULL; });
}

TEST(CoarseClock, ThievesThatWeighDistancesDoNotWaitLonger) {
  // They wait for the owners of small far nodes, for a few times what a steal costs.
  for (const std::uint64_t coarseness : {100U, 250U}) {
    double fine = 0;
    double coarse = 0;
    for (const std::size_t shape : {1U, 4U, 6U}) {
      const auto sums = sums_of(k_shapes[shape], 160'000, 0.5 * k_ms * 32);
      fine += static_cast<double>(run_on_domains(1, sums).find_ticks);
      coarse += static_cast<double>(run_on_domains(coarseness, sums).find_ticks);
    }
    EXPECT_LT(coarse, 1.25 * fine) << "ticks of " << 0.4 * static_cast<double>(coarseness) << " ns";
  }
}

} // namespace
} // namespace wstree
