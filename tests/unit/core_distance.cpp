// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers that know how far they are from each other, on virtual machines: how many steals cross the borders
// of domains, what that does to the loop's end,
// and that every iteration is handed out once whatever they believe.
#include "once.h"
#include "seed.h"
#include "virtual_machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace wstree {
namespace {

using core::BatchMode;
using core::Domain;
using core::Neighbourhood;
using core::Range;
using core::Settings;
using core::Strategy;
using test::MachineRun;
using test::MachineTeam;
using test::Prices;
using test::VirtualMachine;

std::uint64_t scatter(std::uint64_t i) { return core::Rng(i + 1).next(); }
double uniform(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }
double normal(std::uint64_t i) {
  return std::sqrt(-2 * std::log(uniform(scatter(2 * i)))) *
         std::cos(2 * std::numbers::pi * uniform(scatter(2 * i + 1)));
}

struct Shape {
  const char* name;
  double (*weight)(std::uint64_t i, double x);
};
/// The uneven ones of the benchmark (tools/bench/workloads).
constexpr Shape k_uneven[] = {
    {"TRIANGLE", [](std::uint64_t, double x) { return x; }},
    {"INVTRIANGLE", [](std::uint64_t, double x) { return 1 - x; }},
    {"PARABOLA", [](std::uint64_t, double x) { return x * x; }},
    {"HILL", [](std::uint64_t, double x) { return std::max(0.02, std::sin(std::numbers::pi * x)); }},
    {"VALLEY", [](std::uint64_t, double x) { return 1.02 - std::sin(std::numbers::pi * x); }},
    {"EXP", [](std::uint64_t, double x) { return std::exp(10 * x); }},
    {"GAUSSIAN", [](std::uint64_t i, double) { return std::max(0.05, 1 + 0.3 * normal(i)); }},
    {"RANDIF", [](std::uint64_t i, double) { return scatter(i) % 100 == 0 ? 1000.0 : 1.0; }},
    {"STEP_start", [](std::uint64_t, double x) { return x < 0.25 ? 100.0 : 1.0; }},
    {"STEP_middle", [](std::uint64_t, double x) { return std::fabs(x - 0.5) < 0.125 ? 100.0 : 1.0; }},
    {"STEP_end", [](std::uint64_t, double x) { return x >= 0.75 ? 100.0 : 1.0; }},
};

constexpr double k_ms = 2.5e6; // ticks

/// Costs as prefix sums in ticks.
std::vector<std::uint64_t> costs(const Shape& shape, std::uint64_t n, double total) {
  std::vector<double> weights(n);
  for (std::uint64_t i = 0; i < n; ++i)
    weights[i] = shape.weight(i, (static_cast<double>(i) + 0.5) / static_cast<double>(n));
  const double scale = total / std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<std::uint64_t> sums(n + 1);
  double sum = 0;
  for (std::uint64_t i = 0; i < n; ++i) sums[i + 1] = static_cast<std::uint64_t>(sum += weights[i] * scale);
  return sums;
}

MachineRun run(const VirtualMachine& machine, const Shape& shape, double ms, bool aware,
               std::uint64_t per_member, const Settings& settings = {}) {
  const std::uint64_t n = per_member * machine.members;
  const auto sums = costs(shape, n, ms * k_ms * machine.members);
  MachineTeam team(machine, {});
  const MachineRun result = team.run(
      n, settings, aware, [&](auto begin, auto end) { return sums[end] - sums[begin]; },
      [&](std::uint32_t m) { return m * 8000ULL / machine.members; });
  EXPECT_EQ(result.total.iterations, n) << shape.name;
  std::uint64_t steals = 0;
  for (const std::uint64_t count : result.steals) steals += count;
  EXPECT_EQ(steals, result.total.steals) << "every steal has a distance";
  return result;
}

struct Comparison {
  std::uint64_t blind = 0; ///< steals from beyond the smallest domain
  std::uint64_t aware = 0;
  std::uint64_t blind_farthest = 0; ///< from beyond the largest
  std::uint64_t aware_farthest = 0;
  double makespans = 0; ///< geometric mean of aware to blind
  double worst = 0;
};

Comparison compare(const VirtualMachine& machine, double ms, std::uint64_t per_member,
                   std::span<const Shape> shapes = k_uneven) {
  Comparison sum;
  double logs = 0;
  for (const Shape& shape : shapes) {
    const MachineRun blind = run(machine, shape, ms, false, per_member);
    const MachineRun aware = run(machine, shape, ms, true, per_member);
    sum.blind += blind.far(1);
    sum.aware += aware.far(1);
    sum.blind_farthest += blind.far(machine.farthest());
    sum.aware_farthest += aware.far(machine.farthest());
    const double ratio = static_cast<double>(aware.makespan) / static_cast<double>(blind.makespan);
    logs += std::log(ratio);
    sum.worst = std::max(sum.worst, ratio);
  }
  sum.makespans = std::exp(logs / static_cast<double>(shapes.size()));
  return sum;
}

const VirtualMachine k_2x4{8, {4}};
const VirtualMachine k_2x8{16, {8}};
const VirtualMachine k_4x8{32, {8}};
const VirtualMachine k_8x16{128, {16}};
const VirtualMachine k_2x4x16{128, {16, 64}};

TEST(Distance, LittleMoreThanHalfOfTheFarStealsOnMachinesOfTwoLevels) {
  for (const auto& machine : {k_2x4, k_2x8, k_4x8}) {
    std::uint64_t blind = 0;
    std::uint64_t aware = 0;
    for (const double ms : {1.0, 10.0}) {
      const Comparison all = compare(machine, ms, 10'000);
      EXPECT_GE(static_cast<double>(all.blind), 1.7 * static_cast<double>(all.aware))
          << machine.members << " members, " << ms << " ms";
      EXPECT_LE(all.makespans, 1.01) << machine.members << " members, " << ms << " ms";
      EXPECT_LE(all.worst, 1.03) << machine.members << " members, " << ms << " ms";
      blind += all.blind;
      aware += all.aware;
    }
    EXPECT_GE(static_cast<double>(blind), 1.75 * static_cast<double>(aware)) << machine.members << " members";
  }
}

TEST(Distance, AThirdOfTheFarthestStealsOnLargeMachinesInLongLoops) {
  const Shape shapes[] = {k_uneven[0], k_uneven[5], k_uneven[9]};
  for (const auto& machine : {k_8x16, k_2x4x16}) {
    const Comparison all = compare(machine, 10, 500, shapes);
    EXPECT_GE(static_cast<double>(all.blind), 2.5 * static_cast<double>(all.aware))
        << machine.domain_sizes.size() << " sizes of domains";
    EXPECT_GE(all.blind_farthest, 3 * all.aware_farthest)
        << machine.domain_sizes.size() << " sizes of domains";
    EXPECT_LE(all.makespans, 1.01) << machine.domain_sizes.size() << " sizes of domains";
  }
}

TEST(Distance, FewerFarStealsInLoopsOfATenthOfAMillisecond) {
  // Where a far steal costs a hundredth of the loop there are few of them to be saved.
  for (const auto& machine : {k_2x4, k_2x8, k_4x8}) {
    const Comparison all = compare(machine, 0.1, 1'000);
    EXPECT_GE(static_cast<double>(all.blind), 1.5 * static_cast<double>(all.aware)) << machine.members;
    EXPECT_LE(all.makespans, 1.06) << machine.members;
  }
}

TEST(Distance, AnIdleDomainFetchesWhatItLacksInFewSteals) {
  // The first quarter of the loop is nearly all work: one domain of two has 8 times what the other has to do
  // in the end. A steal brings at most three quarters of a member's share, which is 4:
  // three steals are needed.
  const Shape& start = k_uneven[8];
  ASSERT_STREQ(start.name, "STEP_start");
  EXPECT_LE(run(k_2x8, start, 10, true, 1'000).far(1), 12U);
  // The work is symmetric: each domain has its half of it.
  const Shape& hill = k_uneven[3];
  ASSERT_STREQ(hill.name, "HILL");
  EXPECT_LE(run(k_2x8, hill, 10, true, 1'000).far(1), 2U);
}

TEST(Distance, WithoutDomainsAWorkerDoesWhatOneDoesThatKnowsNothing) {
  const VirtualMachine flat{24, {}};
  for (const Strategy strategy : {Strategy::predefined, Strategy::assign, Strategy::assign_top,
                                  Strategy::random_walk, Strategy::random_all, Strategy::find_max}) {
    Settings settings;
    settings.strategy = strategy;
    const MachineRun blind = run(flat, k_uneven[0], 1, false, 100, settings);
    const MachineRun aware = run(flat, k_uneven[0], 1, true, 100, settings);
    EXPECT_EQ(blind.makespan, aware.makespan);
    EXPECT_EQ(blind.total.batches, aware.total.batches);
    EXPECT_EQ(blind.total.nodes, aware.total.nodes);
    EXPECT_EQ(blind.misses, aware.misses) << "lines were fetched that no member needs";
  }
}

TEST(Distance, TheOtherStrategiesBeginNearTheirWorker) {
  for (const Strategy strategy : {Strategy::predefined, Strategy::assign, Strategy::assign_top,
                                  Strategy::random_walk, Strategy::random_all}) {
    Settings settings;
    settings.strategy = strategy;
    std::uint64_t blind = 0;
    std::uint64_t aware = 0;
    for (const Shape& shape : k_uneven) {
      blind += run(k_2x4, shape, 1, false, 1'000, settings).far(1);
      aware += run(k_2x4, shape, 1, true, 1'000, settings).far(1);
    }
    EXPECT_LT(static_cast<double>(aware), 0.8 * static_cast<double>(blind)) << static_cast<int>(strategy);
  }
}

/// Runs one loop and checks: every iteration once, one "last", nothing for its member afterwards.
void expect_exactly_once(MachineTeam& team, std::uint32_t members, std::uint64_t n, const Settings& settings,
                         std::uint64_t per_iteration) {
  test::Once once(n, members);
  const MachineRun result = team.run(
      n, settings, true, [=](auto begin, auto end) { return (end - begin) * per_iteration + begin % 7; },
      [](std::uint32_t m) { return m * 431ULL % 2000; },
      [&](std::uint32_t m, const Range& range) { once.see(m, range); });
  once.expect_done(result.total.iterations);
}

TEST(Distance, EveryIterationOnceInEveryStrategyAndBatchMode) {
  std::mt19937_64 random(test::seed());
  for (const Strategy strategy : {Strategy::predefined, Strategy::assign, Strategy::assign_top,
                                  Strategy::random_walk, Strategy::random_all, Strategy::find_max})
    for (const BatchMode mode :
         {BatchMode::timed, BatchMode::exponential, BatchMode::fixed, BatchMode::random})
      for (const auto& machine :
           {VirtualMachine{2, {1}}, VirtualMachine{7, {2, 4}}, VirtualMachine{40, {2, 8}}}) {
        Settings settings;
        settings.strategy = strategy;
        settings.batch = mode;
        settings.limit = mode == BatchMode::fixed ? 3 : 64;
        std::vector<std::uint32_t> member_at(machine.members);
        std::iota(member_at.begin(), member_at.end(), 0U);
        std::shuffle(member_at.begin(), member_at.end(), random);
        MachineTeam team(machine, {}, member_at);
        for (const std::uint64_t n : {1ULL, 3ULL, 8ULL, 40ULL, 1000ULL, 5'000ULL})
          for (const std::uint64_t cost : {2ULL, 4000ULL}) {
            SCOPED_TRACE(testing::Message()
                         << "strategy " << static_cast<int>(strategy) << " mode " << static_cast<int>(mode)
                         << " members " << machine.members << " n " << n << " cost " << cost);
            expect_exactly_once(team, machine.members, n, settings, cost);
          }
      }
}

} // namespace
} // namespace wstree
