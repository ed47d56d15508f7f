// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is measured on this machine makes sense, whatever the machine does meanwhile:
// nothing here judges a time.
#include "calibrate.h"
#include "cpu_pairs.h"

#include "../../runtime/place/machine.h" // "machine.h" is the simulator's

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::test {
namespace {

using simulate::Calibration;
using simulate::cpu_list;
using simulate::CpuList;
using testing::Each;
using testing::ElementsAre;
using testing::Gt;
using testing::IsSubsetOf;

std::vector<std::string> names(const CpuList& list) {
  std::vector<std::string> levels;
  for (const auto& level : list.levels) levels.push_back(level.level);
  return levels;
}

TEST(Calibrate, FiguresArePossible) {
  const Calibration here = simulate::calibrate();
  EXPECT_GT(here.hit_ns, 0);
  EXPECT_GE(here.rmw_ns, here.hit_ns);
  EXPECT_GT(here.tick_ns, 0);
  EXPECT_GE(here.dispatch_ns, 0);
  EXPECT_GT(here.fault_ns, 0);
  EXPECT_EQ(here.levels, names(cpu_list(1)));
  EXPECT_EQ(here.transfer_ns.size(), here.levels.size());
  EXPECT_THAT(here.transfer_ns, Each(Gt(0.0)));
  EXPECT_GE(here.claim_ns, 0);
  EXPECT_GE(here.skew_ns, 0);
  EXPECT_GE(here.leave_ns, 0);
  EXPECT_EQ(here.skew_ns + here.leave_ns > 0, !here.levels.empty());
}

/// Of the machine that hwloc makes of a description.
CpuList pairs_of(const char* description, std::size_t most) {
  std::string_view why;
  const auto machine = place::Machine::load({place::MachineSource::Kind::synthetic, description}, why);
  EXPECT_NE(machine, nullptr) << why;
  return machine != nullptr ? cpu_list(most, *machine) : CpuList{};
}

TEST(CpuPairs, EveryLevelOfAMachineHasSome) {
  const CpuList list = pairs_of("package:2 numa:2 l3:2 core:2 pu:2", 3);
  ASSERT_EQ(list.cpus.size(), 32U);
  EXPECT_THAT(names(list), ElementsAre("core", "L3", "NUMA node", "package", "machine"));
  std::uint32_t size = 2; // CPUs in a domain
  for (const auto& level : list.levels) {
    EXPECT_GE(level.pairs.size(), 1U) << level.level;
    EXPECT_LE(level.pairs.size(), 3U) << level.level;
    for (const auto& [first, second] : level.pairs) {
      EXPECT_THAT((std::vector{first, second}), IsSubsetOf(list.cpus));
      EXPECT_EQ(first / size, second / size) << level.level;
      EXPECT_NE(first / (size / 2), second / (size / 2)) << level.level << ": nearer than that";
    }
    size *= 2;
  }
}

TEST(CpuPairs, OneCpuHasNoLevels) {
  const CpuList list = pairs_of("core:1 pu:1", 4);
  EXPECT_EQ(list.cpus.size(), 1U);
  EXPECT_TRUE(list.levels.empty());
}

} // namespace
} // namespace wstree::test
