// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of the process: control groups, read from files as the kernel writes them, the mask, and the CPUs
// that remain for a team.
#include "fake_root.h"

#include "cgroup.h"
#include "process_limits.h"
#include "ranks.h"
#include "usable_cpus.h"

namespace wstree::place {
namespace {

const std::string k_unified_mount = "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
const std::string k_first_mounts =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:1 master:2 - cgroup cgroup rw,cpu,cpuacct\n";

TEST(CpuMax, IsARatio) {
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 1500U);
  EXPECT_EQ(parse_cpu_max("50000 100000"), 500U);
  EXPECT_EQ(parse_cpu_max("200000"), 2000U) << "the period has a default";
}

/// "2 /sys/fs/cgroup|/job": version, top and the rest of the folder of the only group; empty: there is none.
std::string group(const std::string& groups, const std::string& mounts,
                  Controller controller = Controller::cpu) {
  const FakeRoot root;
  root.write("proc/self/cgroup", groups);
  root.write("proc/self/mountinfo", mounts);
  const auto found = find_groups(controller, root.path());
  EXPECT_LE(found.count, 1U);
  EXPECT_TRUE(found.problem.empty());
  if (found.count == 0) return "";
  const std::string folder(found.groups[0].folder.view()), above = root.path();
  EXPECT_EQ(folder.substr(0, above.size()), above);
  const std::size_t top = found.groups[0].top;
  return std::to_string(found.groups[0].version) + ' ' + folder.substr(above.size(), top - above.size()) +
         '|' + folder.substr(top);
}

TEST(Groups, OfEitherVersion) {
  EXPECT_EQ(group("0::/user.slice/job\n", k_unified_mount), "2 /sys/fs/cgroup|/user.slice/job");
  EXPECT_EQ(group("0::/\n", k_unified_mount), "2 /sys/fs/cgroup|");
  const std::string first = "4:cpuset:/other\n3:cpu,cpuacct:/job\n0::/\n";
  EXPECT_EQ(group(first, k_first_mounts), "1 /sys/fs/cgroup/cpu,cpuacct|/job");
  EXPECT_EQ(group(first, k_first_mounts, Controller::cpuset), "1 /sys/fs/cgroup/cpuset|/other");
  EXPECT_EQ(group("0::/my job\n", "31 23 0:28 / /my\\040groups ro - cgroup2 cgroup2 rw\n"),
            "2 /my groups|/my job");
  const FakeRoot both;
  both.write("proc/self/cgroup", "3:cpu,cpuacct:/job\n0::/user\n");
  both.write("proc/self/mountinfo", k_unified_mount + k_first_mounts + k_unified_mount);
  const auto found = find_groups(Controller::cpu, both.path());
  ASSERT_EQ(found.count, 2U);
  EXPECT_EQ(found.groups[0].version, 2);
  EXPECT_EQ(found.groups[1].version, 1);
}

// Where a container sees a part of the hierarchy only.
TEST(Groups, SeenFromWithin) {
  const std::string part = "31 23 0:28 /docker/1234 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(group("0::/docker/1234/job\n", part), "2 /sys/fs/cgroup|/job");
  EXPECT_EQ(group("0::/docker/1234\n", part), "2 /sys/fs/cgroup|");
  EXPECT_EQ(group("0::/docker/12345\n", part), "2 /sys/fs/cgroup|");
  EXPECT_EQ(group("0::/../elsewhere\n", k_unified_mount), "2 /sys/fs/cgroup|");
}

TEST(Groups, MayBeNone) {
  EXPECT_EQ(group("", k_unified_mount), "");
  EXPECT_EQ(group("0::/job\n", ""), "");
  EXPECT_EQ(group("nonsense\n:\n::\n", "31\n- -\n\n"), "");
  EXPECT_EQ(group("4:cpuset:/job\n", k_first_mounts), "") << "cpuset is no limit of time";
}

class FindQuota : public testing::Test {
protected:
  void write(const std::string& file, const std::string& text) const { root_.write(file, text); }
  Quota find() const { return find_quota(root_.path()); }

  FakeRoot root_;
};

TEST_F(FindQuota, TakesTheSmallestOnTheWayUp) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("proc/self/mountinfo", k_unified_mount);
  write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
  EXPECT_EQ(find().time, 1500U);
  EXPECT_EQ(find().file.view(), root_.below("sys/fs/cgroup/a/cpu.max"));
  write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(find().time, 1000U) << "the top counts, too";
  write("sys/fs/cgroup/a/b/c/cpu.max", "50000 100000\n");
  EXPECT_EQ(find().time, 500U);
  EXPECT_EQ(find().problem.view(), "");
}

TEST_F(FindQuota, LooksNoHigherThanTheTop) {
  write("proc/self/cgroup", "0::/a\n");
  write("proc/self/mountinfo", k_unified_mount);
  write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  write("sys/fs/cpu.max", "100000 100000\n");
  EXPECT_EQ(find().time, 0U);
}

TEST_F(FindQuota, KnowsVersion1) {
  write("proc/self/cgroup", "3:cpu,cpuacct:/job\n0::/\n");
  write("proc/self/mountinfo", k_first_mounts);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(find().time, 2500U);
  EXPECT_EQ(find().file.view(), root_.below("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us"));
}

TEST_F(FindQuota, SaysWhatCannotBeRead) {
  EXPECT_EQ(find().problem.view(), root_.below("proc/self/cgroup"));
  write("proc/self/cgroup", "0::/job\n");
  EXPECT_EQ(find().problem.view(), root_.below("proc/self/mountinfo"));
  write("proc/self/mountinfo", k_unified_mount);
  EXPECT_EQ(find().problem.view(), root_.below("sys/fs/cgroup/job"));
}

/// What a container's many layers put into mountinfo.
TEST_F(FindQuota, SkipsLongLines) {
  write("proc/self/cgroup", "0::/job\n");
  const std::string overlay =
      "30 23 0:27 / / rw - overlay overlay rw,lowerdir=" + std::string(6000, 'l') + "\n";
  write("proc/self/mountinfo", overlay + k_unified_mount + overlay);
  write("sys/fs/cgroup/job/cpu.max", "300000 100000\n");
  EXPECT_EQ(find().time, 3000U);
}

TEST(FindCpuset, AsksTheNearestGroupThatKnows) {
  const FakeRoot root;
  EXPECT_EQ(find_cpuset(root.path()), std::nullopt);
  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("proc/self/mountinfo", k_unified_mount);
  EXPECT_EQ(find_cpuset(root.path()), std::nullopt);
  root.write("sys/fs/cgroup/cpuset.cpus.effective", "0-7\n");
  EXPECT_EQ(find_cpuset(root.path()), parse_cpu_list("0-7"));
  root.write("sys/fs/cgroup/a/cpuset.cpus.effective", "2-3\n");
  EXPECT_EQ(find_cpuset(root.path()), parse_cpu_list("2-3"));
  root.write("sys/fs/cgroup/a/b/cpuset.cpus.effective", "nonsense\n");
  EXPECT_EQ(find_cpuset(root.path()), parse_cpu_list("2-3"));
}

/// Masks belong to threads, so each test that changes one has a thread of its own.
template <class Body> void in_a_thread(Body body) { std::thread(body).join(); }

TEST(Mask, IsThatOfTheThread) {
  const CpuSet before = current_mask();
  ASSERT_FALSE(before.empty());
  in_a_thread([&] {
    EXPECT_EQ(current_mask(), before);
    CpuSet one;
    one.add(before.next(0));
    ASSERT_TRUE(set_current_mask(one));
    EXPECT_EQ(current_mask(), one);
    EXPECT_TRUE(set_current_mask(before));
    EXPECT_EQ(current_mask(), before);
  });
  EXPECT_EQ(current_mask(), before);
}

Limits limits(std::vector<std::string> entries, const char* root) {
  const FakeEnvironment environment(std::move(entries));
  return find_limits(environment.envp(), root);
}

TEST(FindLimits, HasNoneWhereNothingCanBeRead) {
  const FakeRoot root;
  errno = 7;
  const auto found = limits({}, root.path());
  EXPECT_EQ(errno, 7);
  EXPECT_EQ(found.mask, current_mask());
  EXPECT_GE(found.online, 1U);
  EXPECT_EQ(found.quota, 0U);
  EXPECT_EQ(found.local_ranks, 1U);
  EXPECT_EQ(found.rank_source, "");
  EXPECT_FALSE(found.ranks_share_mask);
  EXPECT_EQ(found.user_placed, "");
  EXPECT_EQ(find_limits(nullptr, root.path()).user_placed, "");
}

TEST(FindLimits, ReadsTheSystemAndKnowsTheOtherRanks) {
  const FakeRoot root;
  root.write("proc/self/cgroup", "0::/job\n");
  root.write("proc/self/mountinfo", k_unified_mount);
  root.write("sys/fs/cgroup/job/cpu.max", "350000 100000\n");
  root.write("sys/devices/system/cpu/online", "0-11,16-19\n");
  const auto own = to_list(current_mask());
  root.write_process("self", 100, 10, std::string(own.view()));
  root.write_process("100", 100, 10, std::string(own.view()));
  root.write_process("101", 101, 10, "8000-8191");
  root.write_process("10", 10, 1, "0-8191");
  root.write_children(10, 10, "100 101");
  const std::vector<std::string> two{"MPI_LOCALNRANKS=2"};
  EXPECT_FALSE(limits(two, root.path()).ranks_share_mask);
  EXPECT_EQ(limits(two, root.path()).online, 16U);
  EXPECT_EQ(limits(two, root.path()).quota, 3'500U);
  EXPECT_EQ(limits(two, root.path()).local_ranks, 2U);
  EXPECT_EQ(limits(two, root.path()).rank_source, "MPI_LOCALNRANKS");
  root.write_process("101", 101, 10, "0-8191");
  EXPECT_TRUE(limits(two, root.path()).ranks_share_mask);
  EXPECT_FALSE(limits({"MPI_LOCALNRANKS=1"}, root.path()).ranks_share_mask);
}

TEST(FindLimits, KnowsWhatTheUserHasPlaced) {
  for (const std::string name : {"OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY", "GOMP_CPU_AFFINITY"}) {
    EXPECT_EQ(limits({name + "=x"}, "/nonexistent").user_placed, name);
    EXPECT_EQ(limits({name + "=false"}, "/nonexistent").user_placed, name) << "that is a decision as well";
    EXPECT_EQ(limits({name + "= \t"}, "/nonexistent").user_placed, "");
    EXPECT_EQ(limits({name + "X=1"}, "/nonexistent").user_placed, "");
  }
  for (const std::string off : {"OMP_PROC_BIND= False", "KMP_AFFINITY=none", "KMP_AFFINITY=disabled"})
    EXPECT_FALSE(limits({off}, "/nonexistent").runtime_binds) << off;
  EXPECT_FALSE(limits({"OMP_PROC_BIND=false", "OMP_PLACES=cores"}, "/nonexistent").runtime_binds);
  EXPECT_TRUE(limits({"OMP_PROC_BIND=close", "OMP_PLACES=cores"}, "/nonexistent").runtime_binds);
  EXPECT_TRUE(limits({"OMP_PLACES=cores"}, "/nonexistent").runtime_binds) << "which means OMP_PROC_BIND=true";
  EXPECT_TRUE(limits({"GOMP_CPU_AFFINITY=0"}, "/nonexistent").runtime_binds);
  EXPECT_FALSE(limits({}, "/nonexistent").runtime_binds);
  EXPECT_EQ(limits({"GOMP_CPU_AFFINITY=0", "OMP_PLACES=cores"}, "/nonexistent").user_placed, "OMP_PLACES");
}

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
  root_.write("proc/50/environ", nul_ended({"BIG=" + std::string(100'000, 'M'), "MPI_LOCALNRANKS=4"}));
  EXPECT_EQ(find_launcher_mask("MPI_LOCALNRANKS", root_.path()), parse_cpu_list("0-7"));
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
