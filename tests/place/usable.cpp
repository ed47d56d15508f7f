// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "usable_cpus.h"

#include "fake_root.h"
#include "process_limits.h"
#include "ranks.h"

#include <gtest/gtest.h>

namespace wstree::place {
namespace {

std::uint32_t count(CpuClaims claims) { return usable_cpus(claims).count; }

TEST(UsableCpus, AreThoseOfTheMaskIfNothingElseLimits) {
  EXPECT_EQ(count({.mask = 8}), 8U);
  EXPECT_EQ(count({.mask = 8, .quota = 100'000}), 8U);
  EXPECT_EQ(count({.mask = 0, .quota = 2'000}), 0U) << "an unknown mask is no reason to do anything";
}

TEST(UsableCpus, AreTheQuotaRoundedUp) {
  EXPECT_EQ(count({.mask = 64, .quota = 1'500}), 2U);
  EXPECT_EQ(count({.mask = 64, .quota = 2'000}), 2U);
  EXPECT_EQ(count({.mask = 64, .quota = 2'001}), 2U) << "rounded by a tool";
  EXPECT_EQ(count({.mask = 64, .quota = 2'100}), 3U);
  EXPECT_EQ(count({.mask = 64, .quota = 10}), 1U);
  EXPECT_EQ(usable_cpus({.mask = 64, .quota = 1'500}).limit, CpuLimit::quota);
  EXPECT_EQ(count({.mask = 1, .quota = 1'500}), 1U);
  EXPECT_EQ(count({.mask = 8, .quota = std::uint64_t{1} << 62}), 8U);
}

TEST(UsableCpus, AreSharedByRanks) {
  EXPECT_EQ(count({.mask = 8, .ranks = 4, .launcher = 8}), 2U) << "not bound";
  EXPECT_EQ(count({.mask = 2, .ranks = 4, .launcher = 8}), 2U) << "each has its own";
  EXPECT_EQ(count({.mask = 32, .ranks = 8, .launcher = 64}), 8U) << "four on each socket";
  EXPECT_EQ(count({.mask = 8, .ranks = 3, .launcher = 8}), 2U) << "no two threads on one CPU";
  EXPECT_EQ(count({.mask = 2, .ranks = 4, .launcher = 2}), 1U);
  EXPECT_EQ(count({.mask = 8, .ranks = 4}), 2U) << "a launcher that is out of sight";
  EXPECT_EQ(count({.mask = 8, .quota = 6'000, .ranks = 4, .launcher = 32}), 2U) << "1.5 CPUs for each";
  EXPECT_EQ(usable_cpus({.mask = 8, .ranks = 4, .launcher = 8}).limit, CpuLimit::ranks);
}

TEST(CanUseUpQuota, IfThereAreMoreThreadsThanItGrantsCpus) {
  EXPECT_TRUE(can_use_up_quota({.mask = 64, .quota = 1'500}, 2));
  EXPECT_FALSE(can_use_up_quota({.mask = 64, .quota = 2'000}, 2));
  EXPECT_FALSE(can_use_up_quota({.mask = 64, .quota = 1'999}, 2)) << "rounded by a tool";
  EXPECT_FALSE(can_use_up_quota({.mask = 64}, 2)) << "no quota";
  EXPECT_FALSE(can_use_up_quota({.mask = 64, .quota = 500}, 1)) << "one thread waits for no other";
  EXPECT_TRUE(can_use_up_quota({.mask = 8, .quota = 6'000, .ranks = 4}, 2)) << "1.5 CPUs for each";
  EXPECT_FALSE(can_use_up_quota({.mask = 8, .quota = 8'000, .ranks = 4}, 2));
}

/// A rank with the number 100, started by the launcher 10 through the script 50.
class Launched : public testing::Test {
protected:
  Launched() {
    root_.write_process("self", 100, 50, "0-1");
    root_.write_process("50", 50, 10, "0-1");
    root_.write_process("10", 10, 1, "0-7");
    root_.write_process("1", 1, 0, "0-63");
    root_.write("proc/50/environ", nul_ended({"A=MPI_LOCALNRANKS=1", "MPI_LOCALNRANKS=4"}));
    root_.write("proc/10/environ", nul_ended({"MPI_LOCALNRANKSX=4", "MPI_LOCALNRANK=4", "PATH=/bin"}));
  }
  static std::string nul_ended(const std::vector<std::string>& entries) {
    std::string text;
    for (const auto& entry : entries) text += entry + '\0';
    return text;
  }
  FakeRoot root_;
};

TEST_F(Launched, ByTheFirstAncestorWithoutTheVariable) {
  EXPECT_EQ(find_launcher_mask("MPI_LOCALNRANKS", root_.path()), parse_cpu_list("0-7"));
}

TEST_F(Launched, PerhapsWithALargeEnvironment) {
  root_.write("proc/50/environ", nul_ended({"BIG=" + std::string(100'000, 'M'), "MPI_LOCALNRANKS=4"}));
  EXPECT_EQ(find_launcher_mask("MPI_LOCALNRANKS", root_.path()), parse_cpu_list("0-7"));
}

TEST_F(Launched, ByAParentThatCannotBeSeen) {
  root_.write_process("50", 50, 0, "0-1");
  EXPECT_EQ(find_launcher_mask("MPI_LOCALNRANKS", root_.path()), std::nullopt);
}

// The mask is that of this process, so only what follows from the files is compared.
TEST_F(Launched, IsCountedWithTheQuota) {
  root_.write("proc/self/cgroup", "0::/box\n");
  root_.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root_.write("sys/fs/cgroup/box/cpu.max", "150000 100000\n");
  root_.write("sys/fs/cgroup/box/cpuset.cpus.effective", "0-3\n");
  const FakeEnvironment environment({"MPI_LOCALNRANKS=4"});
  const auto found = find_usable_cpus(environment.envp(), root_.path());
  EXPECT_EQ(found.claims.mask, current_mask().count());
  EXPECT_EQ(found.claims.quota, 1'500U);
  EXPECT_EQ(found.claims.ranks, 4U);
  EXPECT_EQ(found.claims.launcher, 4U) << "the launcher's CPUs that the group has";
  EXPECT_EQ(found.usable.count, 1U);
}

} // namespace
} // namespace wstree::place
