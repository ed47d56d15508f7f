// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a virtual machine is like: distances, unequal cores, interruptions, fresh memory, clocks; and loops
// that are known in stretches only.
#include "simulated.h"

#include "caches.h"
#include "noise.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace wstree::test::machine_test {
namespace {

using simulate::Caches;
using simulate::ideal;
using simulate::Interruptions;
using simulate::Level;
using simulate::Noise;
using simulate::Prices;
using simulate::VirtualMachine;
using testing::ElementsAre;

/// Two packages of four NUMA nodes of sixteen cores.
MachineSpec two_packages() {
  MachineSpec spec = machine();
  spec.levels = {{"numa", 16, 40 * k_ns}, {"package", 64, 90 * k_ns}};
  spec.across = 200 * k_ns;
  return spec;
}

TEST(Levels, DistanceAndPriceOfATransferFollowFromThem) {
  const MachineSpec spec = two_packages();
  const auto machine = spec.machine(128);
  EXPECT_THAT(machine.domain_sizes, ElementsAre(16U, 64U));
  Caches caches(machine, spec.prices_on(machine));
  alignas(64) const int line = 0;
  Time now = 0;
  const auto moves_to = [&](std::uint32_t member) {
    now += 1'000'000;
    const Time end = caches.modify(&line, member, now);
    return (end - now - spec.prices.rmw) / k_ns;
  };
  EXPECT_EQ(moves_to(0), 0U);
  EXPECT_EQ(moves_to(15), 40U);
  EXPECT_EQ(moves_to(16), 90U);
  EXPECT_EQ(moves_to(63), 90U);
  EXPECT_EQ(moves_to(64), 200U);
}

TEST(Levels, ATeamThatFitsIntoADomainKnowsNoFartherOne) {
  const MachineSpec spec = two_packages();
  EXPECT_THAT(spec.machine(16).domain_sizes, ElementsAre());
  EXPECT_EQ(spec.prices_on(spec.machine(16)).transfer[0], 40 * k_ns);
  EXPECT_THAT(spec.machine(60).domain_sizes, ElementsAre(16U));
  EXPECT_EQ(spec.prices_on(spec.machine(60)).transfer[0], 40 * k_ns);
  EXPECT_EQ(spec.prices_on(spec.machine(60)).transfer[1], 90 * k_ns);
}

TEST(Levels, DomainsOfOneOrOfNothingAreNone) {
  MachineSpec spec = machine();
  spec.levels = {{"core", 1, 5 * k_ns}, {"l3", 4, 30 * k_ns}};
  const auto made = spec.machine(8);
  EXPECT_THAT(made.domain_sizes, ElementsAre(4U));
  EXPECT_EQ(spec.prices_on(made).transfer[0], 30 * k_ns);
  EXPECT_EQ(spec.prices_on(made).transfer[1], spec.across);
}

TEST(Speeds, SlowCoresMakeTheIdealLongerAndStaticWorse) {
  const Workload loop = workload("UNIFORM", 8'000, 8 * k_ms);
  Job job = with(loop, {Model::static_, 0}, 4);
  job.machine.speeds = {1'000, 500};
  EXPECT_EQ(ideal(loop, 4, job.machine), 8 * k_ms / 3);
  const auto time = [&] { return static_cast<double>(simulate::simulate(job).front().time) / k_ms; };
  EXPECT_NEAR(time(), 4.0, 0.01) << "2 ms at half speed";
  job.schedule.kind = Model::tree;
  EXPECT_NEAR(time(), 8.0 / 3, 0.03);
  EXPECT_EQ(ideal(workload("EXP", 2, k_ms), 2, job.machine), workload("EXP", 2, k_ms).longest())
      << "on a fast core";
}

TEST(Noise, ComesAsOftenAndLastsAsLongAsItSays) {
  Interruptions noise({1'000 * k_ns, 50 * k_ns}, 2, 7);
  for (const std::uint32_t member : {0U, 1U}) {
    noise.start(member, 0);
    Time now = 0;
    Time added = 0;
    for (int i = 0; i < 100'000; ++i) {
      const Time more = noise.during(member, now, 1'000 * k_ns);
      added += more;
      now += 1'000 * k_ns + more;
    }
    // One in 1,000 ns of work, 50 ns each.
    EXPECT_NEAR(static_cast<double>(added) / 100'000 / k_ns, 50.0, 1.5);
  }
}

TEST(Noise, IsMetByEverySchedule) {
  const Workload loop = workload("UNIFORM", 4'000, 4 * k_ms);
  for (const Model model : k_models) {
    Job job = with(loop, {model, 0}, 4);
    const Time quiet = simulate::simulate(job).front().time;
    job.machine.noise = {100'000 * k_ns, 20'000 * k_ns};
    const auto noisy = simulate::simulate(job).front();
    EXPECT_GT(noisy.time, quiet * 11 / 10) << static_cast<int>(model);
    EXPECT_EQ(noisy.time, simulate::simulate(job).front().time) << static_cast<int>(model);
    EXPECT_EQ(noisy.counts.iterations, 4'000U);
  }
}

TEST(Noise, BatchesThatCanBeStolenSufferLess) {
  const Workload loop = workload("UNIFORM", 64'000, 64 * k_ms);
  const auto time = [&](Model model) {
    Job job = with(loop, {model, 0}, 16);
    job.machine.noise = {2'000'000 * k_ns, 1'000'000 * k_ns};
    return static_cast<double>(simulate::simulate(job).front().time) / static_cast<double>(loop.ideal(16));
  };
  EXPECT_GT(time(Model::static_), 1.2 * time(Model::tree));
}

TEST(Memory, TheFirstAccessToAFreshPageTakesAFault) {
  const VirtualMachine one{1, {}};
  Prices prices;
  prices.fault = 700 * k_ns;
  Caches caches(one, prices);
  alignas(64) static const char memory[3 * 4096] = {};
  EXPECT_EQ(caches.read(&memory[0], 0, 0), prices.hit) << "the page was not said to be fresh";
  Caches fresh(one, prices);
  fresh.allocated(memory, sizeof memory);
  EXPECT_EQ(fresh.read(&memory[0], 0, 0), prices.fault + prices.hit);
  EXPECT_EQ(fresh.read(&memory[64], 0, 0), prices.hit) << "the same page";
  EXPECT_EQ(fresh.modify(&memory[4096], 0, 0), prices.fault + prices.rmw);
  EXPECT_EQ(fresh.write(&memory[2 * 4096 + 128], 0, 0), prices.fault + prices.hit);
}

TEST(Memory, ALoopThatNeedsMoreNodesTakesFaults) {
  const Workload loop = workload("UNIFORM", 300'000, k_ms);
  Job job = with(loop, {Model::tree, 0}, 8);
  job.settings.roots = 1;
  job.settings.strategy = core::Strategy::predefined; // grows the largest trees
  job.settings.batch = core::BatchMode::fixed;
  job.settings.limit = 256;
  const auto time = [&](Time fault) {
    job.machine.prices.fault = fault;
    return simulate::simulate(job).front().time;
  };
  EXPECT_LT(time(0), k_ms);
  EXPECT_GT(time(10 * k_ms), 10 * k_ms);
}

TEST(Clock, ReadingItCostsATick) {
  const Workload loop = workload("UNIFORM", 1'000, k_ms);
  Job job = fixed_steps(loop, Model::tree, 1, 10);
  const auto time = [&](bool clocked) {
    job.settings.clocked = clocked;
    return simulate::simulate(job).front().time;
  };
  // After each of 100 batches and the last iteration, on entry, and when the search for the latter has ended.
  EXPECT_EQ(time(true) - time(false), 103 * job.machine.tick);
}

TEST(Prices, EnteringAndTheRegionAddWhatTheySay) {
  const Workload loop = workload("UNIFORM", 100, k_ms);
  Job job = with(loop, {Model::static_, 0}, 4);
  const Time before = simulate::simulate(job).front().time;
  job.machine.enter = 300 * k_ns;
  job.machine.region = 2'000 * k_ns;
  EXPECT_EQ(simulate::simulate(job).front().time, before + 2'300 * k_ns);
}

TEST(Stretches, CostWhatTheirIterationsCostTogether) {
  const Workload loop("recorded", {{10, 1'000}, {1, 700}, {3, 10}});
  EXPECT_EQ(loop.iterations(), 14U);
  EXPECT_EQ(loop.cost(0, 14), 1'710U);
  EXPECT_EQ(loop.cost(0, 5), 500U);
  EXPECT_EQ(loop.cost(5, 10), 500U);
  EXPECT_EQ(loop.cost(10, 11), 700U);
  EXPECT_EQ(loop.cost(9, 12), 100U + 700U + 3U);
  EXPECT_EQ(loop.cost(11, 12) + loop.cost(12, 13) + loop.cost(13, 14), 10U) << "nothing is lost in rounding";
  EXPECT_EQ(loop.longest(), 700U);
  EXPECT_EQ(loop.ideal(4), 700U);
  EXPECT_EQ(loop.ideal(2), 855U);
}

TEST(Stretches, MayBeLongerThanAnyMemory) {
  const std::uint64_t half = std::uint64_t{1} << 40;
  const Workload loop("recorded", {{half, 5 * k_ms}, {half, 15 * k_ms}});
  Job job = with(loop, {Model::tree, 0}, 4);
  const auto round = simulate::simulate(job).front();
  EXPECT_EQ(round.counts.iterations, 2 * half);
  EXPECT_LT(static_cast<double>(round.time), 1.02 * 5 * k_ms);
}

} // namespace
} // namespace wstree::test::machine_test
