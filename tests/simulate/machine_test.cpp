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

} // namespace
} // namespace wstree::test::machine_test
