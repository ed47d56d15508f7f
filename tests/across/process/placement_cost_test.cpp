// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What placement costs a program that runs on: no system calls from region to region, and no calls of hwloc.
// And what becomes of it where hwloc is missing or fails.
#include "placed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <unistd.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Counts = std::map<std::string, int>;

struct CallCounts {
  Counts opener, others; ///< by name
};

/// Counts the lines "TID NAME(..." of strace -f between the two marks that the opener makes, or all of them.
/// What the runtimes wait with is not in there.
CallCounts calls_in(const std::string& path, bool marked) {
  CallCounts calls;
  std::string opener;
  int marks = 0;
  for (const std::string& line : lines_of(contents_of(path))) {
    const std::string tid = line.substr(0, line.find(' '));
    const std::size_t begin = line.find_first_not_of(' ', tid.size());
    const std::size_t end = line.find('(', tid.size());
    if (begin == std::string::npos || end == std::string::npos || std::islower(line[begin]) == 0) continue;
    const std::string name = line.substr(begin, end - begin);
    if (opener.empty()) opener = tid;
    if (name == "getppid") {
      ++marks;
    } else if (!marked || marks == 1) {
      ++(tid == opener ? calls.opener : calls.others)[name];
    }
  }
  EXPECT_EQ(marks, marked ? 2 : 0);
  return calls;
}

const char* const k_strace = "/usr/bin/strace";

std::vector<std::string> strace_arguments(const std::string& file) {
  return {"--seccomp-bpf", "-f", "-qq", "-e", "trace=!futex,sched_yield", "-e", "signal=none", "-o", file};
}

bool can_trace() {
  if (access(k_strace, X_OK) != 0) return false;
  const TemporaryFolder folder;
  std::vector<std::string> arguments = strace_arguments(folder / "calls");
  arguments.push_back("/bin/true");
  return Program(k_strace, arguments).run().succeeded() && !calls_in(folder / "calls", false).opener.empty();
}

/// Members spin while they wait, so that nothing but the library has a reason for system calls.
Program& spins(Program& program) {
  return program.set("OMP_WAIT_POLICY", "active")
      .set("GOMP_SPINCOUNT", "infinity")
      .set("KMP_BLOCKTIME", "infinite");
}

class SystemCalls : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
  void SetUp() override {
    if (!can_trace()) GTEST_SKIP() << "there is no strace here, or it must not trace";
    if (cores_ < 2) GTEST_SKIP() << "one core: two members would spin in each other's way";
  }

  /// What is called from behind `steps` until behind `marked`.
  static CallCounts trace(std::vector<std::string> steps, const std::string& marked) {
    const TemporaryFolder folder;
    std::vector<std::string> command = {k_strace};
    for (const std::string& each : strace_arguments(folder / "calls")) command.push_back(each);
    steps.insert(steps.end(), {"mark", marked, "mark"});
    const auto& [compiler, bind] = GetParam();
    const bool by_runtime = bind == std::string("runtime");
    Program program = placement_below(command, compiler, by_runtime ? "auto" : bind, steps);
    if (by_runtime) program.set("OMP_PROC_BIND", "close");
    const Outcome outcome = spins(program).run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    return calls_in(folder / "calls", true);
  }

  /// Steps after which placement has been decided.
  static std::vector<std::string> settled(int members) {
    const std::string bind = std::get<1>(GetParam());
    if (bind == "close" || bind == "spread") return {team(members, 3)};
    return {team(members, 3), "busy=300", team(members, 2)};
  }

  [[nodiscard]] std::string quiet(int regions) const {
    return "quiet=" + std::to_string(members_) + "x" + std::to_string(regions);
  }

  const int cores_ = static_cast<int>(cores_of(own_cpus()).size());
  const int members_ = std::min(cores_, 8);
};

INSTANTIATE_TEST_SUITE_P(Placement, SystemCalls,
                         testing::Combine(testing::Values("", "_gcc"),
                                          testing::Values("close", "auto", "runtime")),
                         [](const auto& each) {
                           return std::string(std::get<1>(each.param)) +
                                  (*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(SystemCalls, AreNotMadeFromRegionToRegion) {
  // The opener is kept where it belongs; when the system takes it elsewhere, moving it back costs calls.
  std::vector<std::string> steps = settled(members_);
  steps.push_back("stay");
  steps.push_back(quiet(20)); // a loop that comes again gets memory for what is remembered of it
  const CallCounts calls = trace(steps, quiet(2000));
  EXPECT_THAT(calls.opener, IsEmpty());
  EXPECT_THAT(calls.others, IsEmpty());
}

// --- hwloc

/// The program finds a library of `kind` where it would find libhwloc.
Program& with_hwloc(Program& program, const std::string& kind) {
  return program.set("LD_LIBRARY_PATH", program_path("hwloc_" + kind + "/.") + ":" + WSTREE_TEST_LIBOMP_DIR +
                                            "/" + default_libomp());
}

class Hwloc : public testing::TestWithParam<const char*> {
protected:
  /// Calls of one process, which reads the machine once.
  int calls(const std::string& bind, const std::vector<std::string>& steps, Report* report = nullptr) const {
    const TemporaryFolder folder;
    Program program = placement(GetParam(), bind, steps);
    const Report done = report_of(with_hwloc(program, "counting").set("HWLOC_CALLS", folder / "calls"));
    EXPECT_TRUE(done.complete) << done.text();
    if (report != nullptr) *report = done;
    int sum = 0;
    for (const std::string& line : lines_of(contents_of(folder / "calls"))) sum += std::stoi(line);
    return sum;
  }

  const Cpus all_ = own_cpus();
  const int cores_ = static_cast<int>(cores_of(all_).size());
};

INSTANTIATE_TEST_SUITE_P(Placement, Hwloc, testing::Values("", "_gcc"),
                         [](const auto& each) { return *each.param == 0 ? "libomp" : "libgomp"; });

TEST_P(Hwloc, IsAskedOnce) {
  const int members = std::max(cores_, 2);
  const std::string quiet = "quiet=" + std::to_string(members) + "x";
  Report report;
  const int once = calls("close", {team(members, 1)}, &report);
  EXPECT_GT(once, 0);
  if (cores_ > 1) expect_on_own_cores(report, 0, all_);
  EXPECT_EQ(calls("close", {quiet + "500", team(members, 1)}), once);
  EXPECT_EQ(calls("close", {team(members, 1), team(members + 1, 1), quiet + "20", team(2, 1), "roots=2x2"}),
            once);
  EXPECT_EQ(calls("spread", {quiet + "500"}), once);
}

TEST_P(Hwloc, IsNotAskedByAShortProgram) {
  // How long it takes is the machine's business: those that were held up do not count.
  Report report;
  const int made = calls("auto", {team(std::max(cores_, 2), 3)}, &report);
  long latest = 0;
  for (const Placed& each : report.placed) latest = std::max(latest, each.ms);
  if (latest < 190) {
    EXPECT_EQ(made, 0) << report.text();
  }
}

/// Compiler and kind of failure.
class BadHwloc : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

INSTANTIATE_TEST_SUITE_P(Placement, BadHwloc,
                         testing::Combine(testing::Values(""),
                                          testing::Values("without_functions", "failing_init", "failing_load",
                                                          "broken")),
                         [](const auto& each) {
                           return std::string(std::get<1>(each.param)) +
                                  (*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(BadHwloc, MeansThatNoThreadIsPinned) {
  const auto& [compiler, kind] = GetParam();
  for (const char* bind : {"close", "auto"}) {
    Program program = placement(compiler, bind, {team(2, 2), k_until_decided, team(2, 2), team(3, 1)});
    const Report silent = report_of(with_hwloc(program, kind));
    expect_unpinned(silent);
    EXPECT_THAT(silent.outcome.err, IsEmpty());
    const Report verbose = report_of(program.set("WSTREE_VERBOSE", "1"));
    expect_unpinned(verbose);
    EXPECT_THAT(verbose.outcome.err, HasSubstr("wstree: placement: threads are not pinned ("));
  }
}

} // namespace
