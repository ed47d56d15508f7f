// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process_limits.h"

#include "fake_root.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <thread>

namespace wstree::place {
namespace {

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

TEST(FindLimits, ReadsTheSystem) {
  const FakeRoot root;
  root.write("sys/devices/system/cpu/online", "0-11,16-19\n");
  root.write("proc/self/cgroup", "0::/job\n");
  root.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root.write("sys/fs/cgroup/job/cpu.max", "350000 100000\n");
  const auto found = limits({}, root.path());
  EXPECT_EQ(found.online, 16U);
  EXPECT_EQ(found.quota, 3'500U);
}

TEST(FindLimits, KnowsTheOtherRanks) {
  const FakeRoot root;
  root.write("sys/devices/system/cpu/online", "0-4095\n");
  const auto own = to_list(current_mask());
  root.write_process("self", 100, 10, std::string(own.view()));
  root.write_process("100", 100, 10, std::string(own.view()));
  root.write_process("101", 101, 10, "8000-8191");
  root.write_process("10", 10, 1, "0-8191");
  root.write_children(10, 10, "100 101");
  const std::vector<std::string> two{"MPI_LOCALNRANKS=2"};
  EXPECT_FALSE(limits(two, root.path()).ranks_share_mask);
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

} // namespace
} // namespace wstree::place
