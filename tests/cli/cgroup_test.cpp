// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits of CPU time, read from files as the kernel writes them.
#include "command.h"

#include "doctor/cgroup.h"

#include <fstream>
#include <gtest/gtest.h>

namespace wstree::test {
namespace {

namespace fs = std::filesystem;
using cli::control_groups;

constexpr const char* k_unified_mount =
    "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n";
constexpr const char* k_first_mounts =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:1 master:2 - cgroup cgroup rw,cpu,cpuacct\n";

TEST(CpuMax, IsARatio) {
  EXPECT_EQ(cli::parse_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(cli::parse_cpu_max("50000 100000"), 0.5);
  EXPECT_EQ(cli::parse_cpu_max("200000"), 2.0) << "the period has a default";
}

TEST(CpuMax, MayBeNone) {
  for (const auto* text : {"max 100000\n", "max", "", "x y", "100000 0", "100000 x", "-1 100000"})
    EXPECT_EQ(cli::parse_cpu_max(text), std::nullopt) << text;
}

TEST(Cfs, IsARatioOfTwoFiles) {
  EXPECT_EQ(cli::parse_cfs("400000\n", "100000\n"), 4.0);
  EXPECT_EQ(cli::parse_cfs("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(cli::parse_cfs("", ""), std::nullopt);
}

TEST(ControlGroups, OfVersion2) {
  const auto groups = control_groups("0::/user.slice/job\n", k_unified_mount);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].version, 2);
  EXPECT_EQ(groups[0].folder, "/sys/fs/cgroup/user.slice/job");
  EXPECT_EQ(groups[0].top, "/sys/fs/cgroup");
  EXPECT_EQ(control_groups("0::/\n", k_unified_mount)[0].folder, "/sys/fs/cgroup");
}

TEST(ControlGroups, OfVersion1) {
  const auto groups = control_groups("4:cpuset:/other\n3:cpu,cpuacct:/job\n0::/\n", k_first_mounts);
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_EQ(groups[0].version, 1);
  EXPECT_EQ(groups[0].folder, "/sys/fs/cgroup/cpu,cpuacct/job");
}

// Where a container sees a part of the hierarchy only.
TEST(ControlGroups, SeenFromWithin) {
  const std::string part = "31 23 0:28 /docker/1234 /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(control_groups("0::/docker/1234/job\n", part)[0].folder, "/sys/fs/cgroup/job");
  EXPECT_EQ(control_groups("0::/docker/1234\n", part)[0].folder, "/sys/fs/cgroup");
  EXPECT_EQ(control_groups("0::/docker/12345\n", part)[0].folder, "/sys/fs/cgroup");
  EXPECT_EQ(control_groups("0::/../elsewhere\n", k_unified_mount)[0].folder, "/sys/fs/cgroup");
}

TEST(ControlGroups, MayBeNone) {
  EXPECT_TRUE(control_groups("", k_unified_mount).empty());
  EXPECT_TRUE(control_groups("0::/job\n", "").empty());
  EXPECT_TRUE(control_groups("nonsense\n:\n::\n", "31\n- -\n").empty());
  EXPECT_TRUE(control_groups("4:cpuset:/job\n", k_first_mounts).empty()) << "cpuset is no limit of time";
}

/// A system's root with nothing but these files.
class FindQuota : public testing::Test {
protected:
  void write(const std::string& path, const std::string& text) const {
    const auto file = root() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  [[nodiscard]] fs::path root() const { return folder_.path(); }
  [[nodiscard]] cli::Quota find() const { return cli::find_quota(root()); }

  TemporaryFolder folder_;
};

TEST_F(FindQuota, TakesTheSmallestOnTheWayUp) {
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("proc/self/mountinfo", k_unified_mount);
  write("sys/fs/cgroup/a/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
  EXPECT_EQ(find().cpus, 1.5);
  EXPECT_EQ(find().file, (root() / "sys/fs/cgroup/a/cpu.max").string());
  write("sys/fs/cgroup/cpu.max", "100000 100000\n");
  EXPECT_EQ(find().cpus, 1.0) << "the top counts, too";
  write("sys/fs/cgroup/a/b/c/cpu.max", "50000 100000\n");
  EXPECT_EQ(find().cpus, 0.5);
  EXPECT_EQ(find().problem, "");
}

TEST_F(FindQuota, KnowsVersion1) {
  write("proc/self/cgroup", "3:cpu,cpuacct:/job\n0::/\n");
  write("proc/self/mountinfo", k_first_mounts);
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(find().cpus, 2.5);
}

TEST_F(FindQuota, MayBeUnlimited) {
  write("proc/self/cgroup", "0::/job\n");
  write("proc/self/mountinfo", k_unified_mount);
  write("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  EXPECT_EQ(find().cpus, std::nullopt);
  EXPECT_EQ(find().problem, "");
}

TEST_F(FindQuota, SaysWhatCannotBeRead) {
  EXPECT_EQ(find().problem, (root() / "proc/self/cgroup").string());
  write("proc/self/cgroup", "0::/job\n");
  EXPECT_EQ(find().problem, (root() / "proc/self/mountinfo").string());
  write("proc/self/mountinfo", k_unified_mount);
  EXPECT_EQ(find().problem, (root() / "sys/fs/cgroup/job").string());
}

} // namespace
} // namespace wstree::test
