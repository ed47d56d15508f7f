// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of control groups, read from files as the kernel writes them.
#include "cgroup.h"

#include "fake_root.h"

#include <gtest/gtest.h>

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

class Groups : public testing::Test {
protected:
  /// Folder of the only group, without the root; empty if there is none.
  std::string group(const std::string& groups, const std::string& mounts,
                    Controller controller = Controller::cpu) {
    root_.write("proc/self/cgroup", groups);
    root_.write("proc/self/mountinfo", mounts);
    const auto found = find_groups(controller, root_.path());
    EXPECT_LE(found.count, 1U);
    EXPECT_TRUE(found.problem.empty());
    if (found.count == 0) return "";
    version_ = found.groups[0].version;
    const std::string folder(found.groups[0].folder.view());
    const std::string root = root_.path();
    EXPECT_EQ(folder.substr(0, root.size()), root);
    top_ = folder.substr(root.size(), found.groups[0].top - root.size());
    return folder.substr(root.size());
  }

  FakeRoot root_;
  int version_ = 0;
  std::string top_;
};

TEST_F(Groups, OfVersion2) {
  EXPECT_EQ(group("0::/user.slice/job\n", k_unified_mount), "/sys/fs/cgroup/user.slice/job");
  EXPECT_EQ(version_, 2);
  EXPECT_EQ(top_, "/sys/fs/cgroup");
  EXPECT_EQ(group("0::/\n", k_unified_mount), "/sys/fs/cgroup");
}

TEST_F(Groups, OfVersion1) {
  const std::string groups = "4:cpuset:/other\n3:cpu,cpuacct:/job\n0::/\n";
  EXPECT_EQ(group(groups, k_first_mounts), "/sys/fs/cgroup/cpu,cpuacct/job");
  EXPECT_EQ(version_, 1);
  EXPECT_EQ(group(groups, k_first_mounts, Controller::cpuset), "/sys/fs/cgroup/cpuset/other");
}

TEST_F(Groups, OfBothVersionsSideBySide) {
  root_.write("proc/self/cgroup", "3:cpu,cpuacct:/job\n0::/user\n");
  root_.write("proc/self/mountinfo", k_unified_mount + k_first_mounts + k_unified_mount);
  const auto found = find_groups(Controller::cpu, root_.path());
  ASSERT_EQ(found.count, 2U);
  EXPECT_EQ(found.groups[0].version, 2);
  EXPECT_EQ(found.groups[1].version, 1);
}

// Where a container sees a part of the hierarchy only.
TEST_F(Groups, SeenFromWithin) {
  const std::string part = "31 23 0:28 /docker/1234 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(group("0::/docker/1234/job\n", part), "/sys/fs/cgroup/job");
  EXPECT_EQ(group("0::/docker/1234\n", part), "/sys/fs/cgroup");
  EXPECT_EQ(group("0::/docker/12345\n", part), "/sys/fs/cgroup");
  EXPECT_EQ(group("0::/../elsewhere\n", k_unified_mount), "/sys/fs/cgroup");
}

TEST_F(Groups, WithBlanksInTheirPaths) {
  EXPECT_EQ(group("0::/my job\n", "31 23 0:28 / /my\\040groups ro - cgroup2 cgroup2 rw\n"),
            "/my groups/my job");
}

TEST_F(Groups, MayBeNone) {
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

} // namespace
} // namespace wstree::place
