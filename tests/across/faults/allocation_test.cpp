// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every allocation that the library makes, or that the C library makes for it, fails once: alone, and
// together with all that follow. The loops go to the runtime or are served, with the same results.
#include "faulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace {

using namespace wstree::test;

/// Runs of `everything` in which allocations fail.
struct Sweep {
  std::vector<std::string> parts;
  Words variables;
  std::string classes;
  long least; ///< so many allocations there are, or more
};
const Sweep k_sweeps[] = {
    {{}, {"WSTREE_BIND=none"}, "oc", 25},
    {{"fork", "first", "growth"}, {"WSTREE_BIND=spread", "WSTREE_STATS=json=/dev/null"}, "oc", 30},
    {{"serialised", "deep"}, {"WSTREE_BIND=none", "WSTREE_RECORD=/dev/null"}, "oc", 5},
    {{"uneven"}, {"WSTREE_BIND=none", "WSTREE_BATCH=fixed:1", "WSTREE_STRATEGY=predefined"}, "o", 5}};

long failed_in(const std::string& log) {
  const auto lines = lines_of(contents_of(log));
  return std::count_if(lines.begin(), lines.end(),
                       [](const std::string& line) { return line.find(" failed ") != std::string::npos; });
}

/// Runs `build` with the first, the second, ... allocation failing, until no run has so many. Returns how
/// many there are.
long sweep(const std::string& build, bool and_all_later, const Sweep& how) {
  // How many there are varies a little with which member comes first to a loop.
  constexpr int k_enough_without = 3;
  const Outcome native = native_run(build, how.parts);
  long last = 0;
  for (long k = 1; k - last <= k_enough_without; ++k) {
    const TemporaryFolder folder;
    Words variables{"FAULT_CLASSES=" + how.classes, "FAULT_FROM=" + std::to_string(k),
                    and_all_later ? "FAULT_COUNT=0" : "FAULT_COUNT=1", "FAULT_LOG=" + (folder / "log")};
    variables.insert(variables.end(), how.variables.begin(), how.variables.end());
    const Outcome outcome = faulty(build, how.parts, "allocation_faults", variables).run();
    if (failed_in(folder / "log") != 0) last = k;
    expect_undisturbed(outcome, native, contents_of(folder / "log"));
    if (testing::Test::HasFailure()) break;
  }
  return last;
}

class Allocations : public testing::TestWithParam<std::tuple<std::string, bool>> {};

INSTANTIATE_TEST_SUITE_P(Faults, Allocations, testing::Combine(testing::ValuesIn(k_builds), testing::Bool()),
                         [](const auto& each) {
                           return std::get<0>(each.param) + (std::get<1>(each.param) ? "_all_later" : "_one");
                         });

TEST_P(Allocations, AreNotNoticed) {
  for (const Sweep& each : k_sweeps) {
    SCOPED_TRACE(each.parts.empty() ? "all parts" : each.parts[0]);
    EXPECT_GE(sweep(std::get<0>(GetParam()), std::get<1>(GetParam()), each), each.least);
  }
}

/// Blocks that the library has at the end of a program in which many threads have come and gone.
long live(const std::string& build, int rounds, const std::string& first, const std::string& calls) {
  const Words variables{"WSTREE_BIND=none", "FAULT_CLASSES=oc", "FAULT_FROM=" + first,
                        "FAULT_CALLS=" + calls};
  const Outcome outcome =
      faulty(build, {"threads", "--rounds", std::to_string(rounds)}, "allocation_faults", variables)
          .preload(program_path("allocation_faults.so") + ":" + program_path("system_faults.so"))
          .run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  const std::string count = fact(outcome.out, "live");
  EXPECT_FALSE(count.empty()) << outcome.text();
  return count.empty() ? -1 : std::stol(count);
}

class Leaks : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Faults, Leaks, testing::ValuesIn(k_builds),
                         [](const auto& each) { return each.param; });

TEST_P(Leaks, DoNotGrowWithTheNumberOfThreads) {
  // Bindings and what the runtime's own workers have are there for good.
  constexpr long k_few = 24;
  for (const char* first : {"0", "12"})
    for (const char* calls : {"none=1", "pthread_key_create=11", "pthread_setspecific=12"})
      EXPECT_LE(std::abs(live(GetParam(), 30, first, calls) - live(GetParam(), 90, first, calls)), k_few)
          << first << ' ' << calls;
}

/// hwloc does not survive that it gets no memory, so it is not started where large blocks are not to be had.
TEST(Hwloc, IsNotStartedWhereThereIsNoMemory) {
  for (const std::string& build : k_builds) {
    const Words variables{"WSTREE_BIND=spread", "WSTREE_VERBOSE=1", "FAULT_CLASSES=h", "FAULT_FROM=1",
                          "FAULT_LARGE=1"};
    const Outcome outcome = faulty(build, {"first"}, "allocation_faults", variables).run();
    EXPECT_EQ(outcome.out, native_run(build, {"first"}).out) << outcome.text();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.err, testing::HasSubstr("threads are not pinned (spread: out of memory)"));
  }
}

TEST(Load, AsksForNoMemory) {
  for (const char* schedule : {"wstree", "dynamic"}) {
    const TemporaryFolder folder;
    const Outcome outcome = faulty("with_stderr", {}, "allocation_faults",
                                   {std::string("OMP_SCHEDULE=") + schedule, "FAULT_CLASSES=och",
                                    "FAULT_LOG=" + (folder / "log")})
                                .run();
    EXPECT_EQ(outcome.status, 120) << outcome.text(); // no arguments
    EXPECT_EQ(contents_of(folder / "log"), "");
  }
}

} // namespace
