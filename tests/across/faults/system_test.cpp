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
Outcome run_curious(const std::string& build, const std::string& variable) {
  return faulty(
             build, k_parts, "system_faults",
             {"WSTREE_BIND=spread", "OMPI_COMM_WORLD_LOCAL_SIZE=4", "WSTREE_STATS=json=/dev/null", variable})
      .run();
}

/// Each call with an error that the system may give.
TEST(System, IsNotNoticedByTheProgram) {
  const std::pair<int, Words> errors[] = {
      {EIO, {"open:cgroup", "open:/sys", "read", "writev"}},
      {EACCES, {"open", "open:/proc", "opendir"}},
      {ENOENT, {"open"}},
      {EMFILE, {"open"}},
      {ENOSYS, {"sched_getaffinity", "sched_setaffinity", "sched_getcpu"}},
      {EINVAL, {"sched_getaffinity"}}, // more CPUs than the mask has bits
      {EPERM, {"sched_setaffinity"}},
      {ESRCH, {"pthread_getaffinity_np"}},
      {EAGAIN, {"pthread_key_create"}},
      {ENOMEM, {"pthread_setspecific", "pthread_atfork"}},
      {EFAULT, {"uname", "gethostname"}},
      {1,
       {"dlopen:hwloc", "dlsym:hwloc_topology_load", "dlsym:hwloc_cpukinds_get_nr", "dlsym:omp_get_level",
        "dlsym:omp_get_schedule", "dlsym:omp_get_num_threads", "dlsym:omp_get_thread_num",
        "dlsym:omp_get_max_active_levels"}}};
  Words faults{"read=short", "read=interrupted"};
  for (const auto& [error, calls] : errors)
    for (const std::string& call : calls) faults.push_back(call + "=" + std::to_string(error));
  for (const std::string& build : k_builds) {
    const Outcome native = native_run(build, k_parts);
    for (const std::string& fault : faults)
      expect_undisturbed(run_curious(build, "FAULT_CALLS=" + fault), native, fault);
  }
}

TEST(Hwloc, WhatIsMissingIsSaid) {
  for (const auto& [fault, why] :
       {std::pair("dlopen:hwloc=1", "hwloc is not installed"),
        std::pair("dlsym:hwloc_topology_load=1", "hwloc_topology_load() is missing"),
        std::pair("sched_getaffinity=38", "no CPU may be used")}) {
    const Outcome outcome =
        faulty("everything", k_parts, "system_faults",
               {"WSTREE_BIND=spread", "WSTREE_VERBOSE=1", std::string("FAULT_CALLS=") + fault})
            .run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.err, HasSubstr(std::string("threads are not pinned (spread: ") + why + ")\n"));
  }
}

TEST(Hwloc, StrangeDescriptionsOfTheMachine) {
  const TemporaryFolder folder;
  std::ofstream(folder / "garbage.xml") << "<topology><object type=\"Machine\"";
  for (const std::string& build : k_builds) {
    const Outcome native = native_run(build, k_parts);
    const Words machines{"HWLOC_XMLFILE=" + (folder / "garbage.xml"),
                         "HWLOC_XMLFILE=" + (folder / "missing.xml"),
                         "HWLOC_XMLFILE=/",
                         "HWLOC_SYNTHETIC=no:such thing",
                         "HWLOC_SYNTHETIC=package:4 core:64 pu:4",
                         "HWLOC_FSROOT=" + (folder / ""),
                         "HWLOC_COMPONENTS=-all"};
    for (const std::string& each : machines) expect_undisturbed(run_curious(build, each), native, each);
  }
}

} // namespace
