// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_COUNTERS: the counters of a program whose page faults are known.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <nlohmann/json.hpp>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace wstree::test;
using nlohmann::json;
using ::testing::HasSubstr;

constexpr int k_faults = 100 * 32; // of one execution
constexpr int k_more = 200;        // of the threads' stacks and the library

class Counters : public testing::Test {
protected:
  void SetUp() override {
    perf_event_attr faults{};
    faults.size = sizeof faults;
    faults.type = PERF_TYPE_SOFTWARE;
    faults.config = PERF_COUNT_SW_PAGE_FAULTS;
    faults.exclude_kernel = faults.exclude_hv = 1;
    const long file = syscall(SYS_perf_event_open, &faults, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0) GTEST_SKIP() << "page faults may not be counted here";
    close(static_cast<int>(file));
  }
};

Program counted(const std::string& what) {
  Program program = with_tree("counted", {what});
  program.set("WSTREE_STATS", "json").set("WSTREE_COUNTERS", "1");
  return program;
}

/// What follows the line about counters that are missing, if there is one.
json figures_of(const Outcome& outcome) {
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  const auto begin = outcome.err.find('{');
  EXPECT_LE(lines_of(outcome.err.substr(0, begin)).size(), 1U) << outcome.err;
  return begin == std::string::npos ? json() : json::parse(outcome.err.substr(begin));
}

TEST_F(Counters, FaultsOfALoopAreItsThreads) {
  const json loop = figures_of(counted("plain").run()).at("loops").at(0);
  EXPECT_EQ(loop.at("calls"), 3);
  EXPECT_EQ(loop.at("counters").at("parts"), 3 * 4);
  EXPECT_GE(loop.at("counters").at("page_faults"), 3 * k_faults);
  EXPECT_LE(loop.at("counters").at("page_faults"), 3 * k_faults + k_more);
  ASSERT_EQ(loop.at("member_counters").size(), 4U);
  int faults = 0;
  for (int member = 0; member < 4; ++member) {
    const json& counters = loop.at("member_counters").at(static_cast<std::size_t>(member));
    EXPECT_EQ(counters.at("member"), member);
    EXPECT_EQ(counters.at("parts"), 3);
    faults += counters.at("page_faults").get<int>();
  }
  EXPECT_EQ(loop.at("counters").at("page_faults"), faults);
}

TEST_F(Counters, OtherFilesUnderTheirNumbersAreLeftAlone) {
  // The program says itself whether its files are as they were.
  const json loop = figures_of(counted("closing").run()).at("loops").at(0);
  EXPECT_EQ(loop.at("calls"), 3);
  EXPECT_LE(loop.at("counters").at("page_faults"), 2 * k_faults + k_more);
  EXPECT_GE(loop.at("counters").at("page_faults"), k_faults);
  EXPECT_LT(loop.at("counters").at("parts"), 3 * 4);
}

TEST_F(Counters, AreClosedWhenTheirThreadEnds) {
  const Outcome outcome = counted("ending").set("OMP_NUM_THREADS", "1").run();
  EXPECT_EQ(fact(outcome.out, "left"), "0") << outcome.text();
  EXPECT_EQ(figures_of(outcome).at("loops").at(0).at("counters").at("parts"), 6);
}

TEST_F(Counters, LeaveTheProgramItsDescriptors) {
  const Outcome outcome = counted("few").run();
  EXPECT_EQ(fact(outcome.out, "left"), "15") << outcome.text();
  EXPECT_THAT(outcome.err, HasSubstr("too many files are open"));
}

TEST(CountersForbidden, OneLineSaysSoAndTheProgramGoesOn) {
  const Outcome outcome = counted("filtered").run();
  if (outcome.status == 77) GTEST_SKIP() << "no filter can be put up";
  const json loop = figures_of(outcome).at("loops").at(0);
  EXPECT_THAT(outcome.err, testing::StartsWith("wstree: WSTREE_COUNTERS counts no cycles, instructions, "
                                               "cache misses, page faults"));
  EXPECT_THAT(outcome.err, HasSubstr("kernel.perf_event_paranoid is "));
  EXPECT_EQ(loop.at("calls"), 3);
  EXPECT_FALSE(loop.contains("counters"));
}

} // namespace
