// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every allocation that the library makes, or that the C library makes for it, fails once: alone, and
// together with all that follow. The loops go to the runtime or are served, with the same results.
#include "faulty.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace wstree::test;

struct Sweep {
  std::vector<std::string> parts;
  std::vector<std::pair<std::string, std::string>> variables;
  std::string classes;
  bool and_all_later;
};

long failed_in(const std::string& log) {
  const auto lines = lines_of(contents_of(log));
  return std::count_if(lines.begin(), lines.end(),
                       [](const std::string& line) { return line.find(" failed ") != std::string::npos; });
}

/// Runs `build` with the first, the second, ... allocation failing, until no run has so many. Returns how
/// many there are.
long sweep(const std::string& build, const Sweep& how) {
  // How many there are varies a little with which member comes first to a loop.
  constexpr int k_enough_without = 3;
  const Outcome native = native_run(build, how.parts);
  long last = 0;
  for (long k = 1; k - last <= k_enough_without; ++k) {
    const TemporaryFolder folder;
    Program program = faulty(build, how.parts, "allocation_faults");
    for (const auto& [name, value] : how.variables) program.set(name, value);
    program.set("FAULT_CLASSES", how.classes)
        .set("FAULT_FROM", std::to_string(k))
        .set("FAULT_COUNT", how.and_all_later ? "0" : "1")
        .set("FAULT_LOG", folder / "log");
    const Outcome outcome = program.run();
    if (failed_in(folder / "log") != 0) last = k;
    expect_undisturbed(outcome, native, contents_of(folder / "log"));
    if (testing::Test::HasFailure()) break;
  }
  return last;
}

class Allocations : public testing::TestWithParam<std::tuple<std::string, bool>> {
protected:
  const std::string build_ = std::get<0>(GetParam());
  const bool and_all_later_ = std::get<1>(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Faults, Allocations, testing::Combine(testing::ValuesIn(k_builds), testing::Bool()),
                         [](const auto& each) {
                           return std::get<0>(each.param) + (std::get<1>(each.param) ? "_all_later" : "_one");
                         });

TEST_P(Allocations, OfEveryKindOfRegion) {
  const long sites = sweep(build_, {{}, {{"WSTREE_BIND", "none"}}, "oc", and_all_later_});
  EXPECT_GE(sites, 25);
}

TEST_P(Allocations, OfPlacementAndStatistics) {
  const long sites = sweep(build_, {{"fork", "first", "growth"},
                                    {{"WSTREE_BIND", "spread"}, {"WSTREE_STATS", "json=/dev/null"}},
                                    "oc",
                                    and_all_later_});
  EXPECT_GE(sites, 30);
}

TEST_P(Allocations, OfRegionsOfOneThread) {
  const long sites = sweep(build_, {{"serialised", "deep"},
                                    {{"WSTREE_BIND", "none"}, {"WSTREE_RECORD", "/dev/null"}},
                                    "oc",
                                    and_all_later_});
  EXPECT_GE(sites, 5);
}

TEST_P(Allocations, OfManyNodes) {
  const long sites = sweep(
      build_, {{"uneven"},
               {{"WSTREE_BIND", "none"}, {"WSTREE_BATCH", "fixed:1"}, {"WSTREE_STRATEGY", "predefined"}},
               "o",
               and_all_later_});
  EXPECT_GE(sites, 5);
}

class Leaks : public testing::TestWithParam<std::string> {
protected:
  /// Blocks that the library has at the end of a program in which many threads have come and gone.
  static long live(const std::string& build, int rounds, const std::string& first, const std::string& calls) {
    Program program = faulty(build, {"threads", "--rounds", std::to_string(rounds)}, "allocation_faults");
    program.preload(program_path("allocation_faults.so") + ":" + program_path("system_faults.so"));
    const Outcome outcome = program.set("WSTREE_BIND", "none")
                                .set("FAULT_CLASSES", "oc")
                                .set("FAULT_FROM", first)
                                .set("FAULT_CALLS", calls)
                                .run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    const std::string count = fact(outcome.out, "live");
    EXPECT_FALSE(count.empty()) << outcome.text();
    return count.empty() ? -1 : std::stol(count);
  }
};

INSTANTIATE_TEST_SUITE_P(Faults, Leaks, testing::ValuesIn(k_builds),
                         [](const auto& each) { return each.param; });

TEST_P(Leaks, DoNotGrowWithTheNumberOfThreads) {
  // Bindings and what the runtime's own workers have are there for good.
  constexpr long k_few = 24;
  for (const char* first : {"0", "12"})
    for (const char* calls : {"none=1", "pthread_key_create=11", "pthread_setspecific=12"}) {
      const long some = live(GetParam(), 30, first, calls);
      const long more = live(GetParam(), 90, first, calls);
      EXPECT_NEAR(static_cast<double>(some), static_cast<double>(more), k_few) << first << ' ' << calls;
    }
}

/// hwloc does not survive that it gets no memory, so it is not started where large blocks are not to be had.
TEST(Hwloc, IsNotStartedWhereThereIsNoMemory) {
  for (const std::string& build : k_builds) {
    const Outcome outcome = faulty(build, {"first"}, "allocation_faults")
                                .set("WSTREE_BIND", "spread")
                                .set("WSTREE_VERBOSE", "1")
                                .set("FAULT_CLASSES", "h")
                                .set("FAULT_FROM", "1")
                                .set("FAULT_LARGE", "1")
                                .run();
    EXPECT_EQ(outcome.out, native_run(build, {"first"}).out) << outcome.text();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_THAT(outcome.err, testing::HasSubstr("threads are not pinned (spread: out of memory)"));
  }
}

TEST(Load, AsksForNoMemory) {
  for (const char* schedule : {"wstree", "dynamic"}) {
    const TemporaryFolder folder;
    const Outcome outcome = faulty("with_stderr", {}, "allocation_faults")
                                .set("OMP_SCHEDULE", schedule)
                                .set("FAULT_CLASSES", "och")
                                .set("FAULT_LOG", folder / "log")
                                .run();
    EXPECT_EQ(outcome.status, 120) << outcome.text(); // no arguments
    EXPECT_EQ(contents_of(folder / "log"), "");
  }
}

} // namespace
