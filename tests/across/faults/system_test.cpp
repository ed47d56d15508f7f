// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the system that fail: files of /proc, /sys and the control groups that cannot be opened or read,
// masks that cannot be asked for or set, no thread-specific data, no hwloc or a strange one.
#include "faulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;

const std::vector<std::string> k_parts{"fork", "first", "growth", "nested", "threads"};

/// With all that looks at the system: pinning, other ranks, figures, the names of host and program.
Program curious(const std::string& build) {
  return faulty(build, k_parts, "system_faults")
      .set("WSTREE_BIND", "spread")
      .set("OMPI_COMM_WORLD_LOCAL_SIZE", "4")
      .set("WSTREE_STATS", "json=/dev/null");
}

std::string number(int error) { return std::to_string(error); }

class System : public testing::TestWithParam<std::string> {
protected:
  static void SetUpTestSuite() {
    for (const std::string& build : k_builds) natives().push_back(native_run(build, k_parts));
  }
  static std::vector<Outcome>& natives() {
    static std::vector<Outcome> outcomes;
    return outcomes;
  }
};

TEST_P(System, IsNotNoticedByTheProgram) {
  for (std::size_t i = 0; i < k_builds.size(); ++i)
    expect_undisturbed(curious(k_builds[i]).set("FAULT_CALLS", GetParam()).run(), natives()[i], GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Faults, System,
    testing::Values("open=" + number(ENOENT), "open=" + number(EACCES), "open=" + number(EMFILE),
                    "open:/proc=" + number(EACCES), "open:cgroup=" + number(EIO), "open:/sys=" + number(EIO),
                    "read=" + number(EIO), "read=short", "read=interrupted", "opendir=" + number(EACCES),
                    "sched_getaffinity=" + number(ENOSYS),
                    "sched_getaffinity=" + number(EINVAL), // more CPUs than the mask has bits
                    "sched_setaffinity=" + number(EPERM), "sched_setaffinity=" + number(ENOSYS),
                    "sched_getcpu=" + number(ENOSYS), "pthread_getaffinity_np=" + number(ESRCH),
                    "pthread_key_create=" + number(EAGAIN), "pthread_setspecific=" + number(ENOMEM),
                    "pthread_atfork=" + number(ENOMEM), "uname=" + number(EFAULT),
                    "gethostname=" + number(EFAULT), "writev=" + number(EIO), "dlopen:hwloc=1",
                    "dlsym:hwloc_topology_load=1", "dlsym:hwloc_cpukinds_get_nr=1", "dlsym:omp_get_level=1",
                    "dlsym:omp_get_schedule=1", "dlsym:omp_get_num_threads=1", "dlsym:omp_get_thread_num=1",
                    "dlsym:omp_get_max_active_levels=1"));

struct Topology {
  const char* fault;
  const char* variable;
  std::string value;
  const char* why;
};

TEST(Hwloc, WhatIsMissingIsSaid) {
  const TemporaryFolder folder;
  std::ofstream(folder / "garbage.xml") << "<topology><object type=\"Machine\"";
  const Topology cases[] = {{"dlopen:hwloc=1", "UNUSED", "", "hwloc is not installed"},
                            {"dlsym:hwloc_topology_load=1", "UNUSED", "", "hwloc_topology_load() is missing"},
                            {"sched_getaffinity=38", "UNUSED", "", "no CPU may be used"}};
  for (const Topology& each : cases) {
    const Outcome outcome =
        curious("everything").set("WSTREE_VERBOSE", "1").set("FAULT_CALLS", each.fault).run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.err, HasSubstr(std::string("threads are not pinned (spread: ") + each.why + ")\n"));
  }
}

TEST(Hwloc, StrangeDescriptionsOfTheMachine) {
  const TemporaryFolder folder;
  std::ofstream(folder / "garbage.xml") << "<topology><object type=\"Machine\"";
  for (std::size_t i = 0; i < k_builds.size(); ++i) {
    const Outcome native = native_run(k_builds[i], k_parts);
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::string>>{{"HWLOC_XMLFILE", folder / "garbage.xml"},
                                                          {"HWLOC_XMLFILE", folder / "missing.xml"},
                                                          {"HWLOC_XMLFILE", "/"},
                                                          {"HWLOC_SYNTHETIC", "no:such thing"},
                                                          {"HWLOC_SYNTHETIC", "package:4 core:64 pu:4"},
                                                          {"HWLOC_FSROOT", folder / ""},
                                                          {"HWLOC_COMPONENTS", "-all"}})
      expect_undisturbed(curious(k_builds[i]).set(name, value).run(), native, name + "=" + value);
  }
}

} // namespace
