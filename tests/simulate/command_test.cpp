// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree simulate`, as a user sees it.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace wstree::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Result simulation(std::vector<std::string> options) {
  options.insert(options.begin(), "simulate");
  return wstree(std::move(options));
}

json results(std::vector<std::string> options) {
  options.emplace_back("--json");
  const auto result = simulation(std::move(options));
  EXPECT_EQ(result.status(), 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(Simulate, SharesLoopsBetweenRanks) {
  const auto result =
      simulation({"--ranks", "1,8", "--threads", "4", "--iterations", "100", "--workload", "TRIANGLE"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("1 ranks\n  wstree::mpi "), HasSubstr("8 ranks\n"), HasSubstr("\n  TSS ")));
}

TEST(Simulate, ShowsTheRatioOfEachScheduleToTheIdeal) {
  const auto result = simulation({"--schedule", "wsguided,wsstatic", "--workload", "STEP_S,INVTRIANGLE",
                                  "--threads", "4", "--iterations", "256", "--machine", "skew=0"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            R"(256 iterations, 10 ms of work, median of 3 rounds; batches timed, strategy findmax
machine: generic,near=45,domain=8,far=110,hit=1,rmw=8,pinned=1,overlap=2,keep=4,fault=500,tick=12,dispatch=18,skew=0
time / ideal; ideal is max(work / threads, longest iteration)

4 threads       wsguided  wsstatic
STEP_S              3.88      3.88
INVTRIANGLE         1.75      1.75
geometric mean      2.61      2.61
worst               3.88      3.88
)");
}

TEST(Simulate, GivesTheSameAnswerByteForByte) {
  const std::vector<std::string> options{"--workload", "EXP,RANDIF", "--threads", "2,16", "--details"};
  const auto first = simulation(options);
  EXPECT_EQ(first.status(), 0);
  EXPECT_EQ(first.out, simulation(options).out);
  auto other = options;
  other.insert(other.end(), {"--seed", "2"});
  EXPECT_NE(first.out, simulation(other).out);
}

TEST(Simulate, TheMachineCanBeChanged) {
  const auto time = [](const char* machine) {
    return results({"--schedule", "wsfixed", "--workload", "UNIFORM", "--threads", "16", "--work", "0.1",
                    "--machine", machine})["results"][0]["time_ns"]
        .get<double>();
  };
  EXPECT_GT(time("near=100,far=200,domain=4"), 1.5 * time("near=45,far=110,domain=4"));
  EXPECT_GT(time("skew=5000000"), 500'000);
  const auto document = results({"--threads", "1", "--machine", "dispatch=7"});
  EXPECT_EQ(document["machine"]["dispatch"], 7);
  EXPECT_EQ(document["machine"]["near"], 45);
}

TEST(Simulate, NamesWhatItDoesNotUnderstand) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> faults{
      {{"--schedule", "wstree,wsgided"},
       "--schedule 'wsgided' is not understood (accepted: all, peers, or a list of wstree, "},
      {{"--schedule", "wsfixed,0"}, "--schedule 'wsfixed,0' is not understood"},
      {{"--schedule", "dynamic,0"}, "--schedule 'dynamic,0' is not understood"},
      {{"--workload", "STEP"}, "--workload 'STEP' is not understood (accepted: all, or a list of UNIFORM, "},
      {{"--threads", "4,x"},
       "--threads or --workers 'x' is not understood (accepted: a list of numbers from 1 to 1024)"},
      {{"--workers", "4,0"}, "--threads or --workers '0' is not understood"},
      {{"--batch", "tiny"}, "--batch 'tiny' is not understood (accepted: timed[:ns], "},
      {{"--strategy", "best"}, "--strategy 'best' is not understood (accepted: predefined, "},
      {{"--roots", "5"}, "--roots 5 is more than 4 threads"},
      {{"--json", "--svg", "-"}, "--json and --svg - both want the standard output"},
  };
  for (const auto& [options, message] : faults) {
    const auto result = simulation(options);
    EXPECT_EQ(result.status(), 125) << message;
    EXPECT_EQ(result.out, "") << message;
    EXPECT_THAT(result.err, StartsWith("wstree: " + message));
  }
  EXPECT_THAT(simulation({"--threads", "1", "--svg", "/nowhere/x.svg"}).err,
              StartsWith("wstree: /nowhere/x.svg cannot be written: No such file"));
}

} // namespace
} // namespace wstree::test
