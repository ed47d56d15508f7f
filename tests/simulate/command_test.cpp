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
using testing::Not;
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

TEST(Simulate, SaysWhichNetworksAndNumbersOfRanksThereAre) {
  const auto as_json = nlohmann::json::parse(
      simulation({"--ranks", "2", "--threads", "2", "--iterations", "50", "--workload", "TRIANGLE", "--json"})
          .out);
  EXPECT_EQ(as_json.at("results").at(1).at("way"), "static");
  EXPECT_GT(as_json.at("results").at(1).at("worst_ratio"), 1.1);
  EXPECT_EQ(simulation({"--ranks", "2,x"}).out, "") << "no table is begun";
  EXPECT_THAT(simulation({"--work", "nan"}).err,
              HasSubstr("--work: Value nan is no number to calculate with"));
  EXPECT_THAT(simulation({"--ranks", "4", "--network", "token"}).err,
              HasSubstr("there are: gemini, infiniband"));
  EXPECT_THAT(simulation({"--ranks", "4,x"}).err, HasSubstr("from 1 to 4096, not 'x'"));
  EXPECT_THAT(simulation({"--ranks", "4", "--threads", "4,8"}).err, HasSubstr("takes one number"));
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

TEST(Simulate, AllMeansNineSchedulesAndTwelveWorkloads) {
  const auto document = results({"--threads", "2", "--iterations", "64", "--rounds", "1"});
  ASSERT_EQ(document["results"].size(), 9U * 12U);
  EXPECT_EQ(document["results"][0]["schedule"], "wstree");
  EXPECT_EQ(document["results"][8]["schedule"], "wsstatic");
  EXPECT_EQ(document["results"][107]["workload"], "STEP_E");
  for (const auto& result : document["results"]) {
    EXPECT_GE(result["ratio"], 1.0) << result;
    EXPECT_LT(result["ratio"], 2.1) << result;
    EXPECT_GE(result["batches"], 2) << result;
  }
}

TEST(Simulate, AChunkBelongsToTheScheduleBeforeIt) {
  const auto document =
      results({"--schedule", "WSFIXED,16,wstree,wsstatic,8", "--workload", "uniform", "--threads", "4"});
  ASSERT_EQ(document["results"].size(), 3U);
  EXPECT_EQ(document["results"][0]["schedule"], "wsfixed,16");
  EXPECT_EQ(document["results"][0]["batches"], 63);
  EXPECT_EQ(document["results"][1]["schedule"], "wstree");
  EXPECT_EQ(document["results"][2]["batches"], 125);
}

TEST(Simulate, BatchStrategyAndRootsReachTheTree) {
  const std::vector<std::string> paper{"--schedule", "wstree",  "--workload", "UNIFORM", "--threads",
                                       "8",          "--batch", "fixed:5",    "--roots", "1"};
  const auto nodes = [&](const char* strategy) {
    auto options = paper;
    options.insert(options.end(), {"--strategy", strategy});
    return results(options)["results"][0]["nodes"].get<int>();
  };
  EXPECT_GE(nodes("findmax"), 14) << "eight workers on one root";
  EXPECT_GT(nodes("predefined"), nodes("findmax"));
  const auto document = results(paper);
  EXPECT_EQ(document["batch"], "fixed:5");
  EXPECT_EQ(document["roots"], 1);
  EXPECT_GE(document["results"][0]["batches"], 200);
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

TEST(Simulate, DrawsALineForEachSchedule) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "schedules.svg";
  const std::vector<std::string> options{"--workload", "STEP_S,EXP", "--threads", "1,2,4", "--svg"};
  auto with_file = options;
  with_file.push_back(file);
  EXPECT_THAT(simulation(with_file).out, HasSubstr("\ngeometric mean "));
  const auto drawing = contents(file);
  EXPECT_THAT(drawing,
              AllOf(StartsWith("<?xml"), HasSubstr(">wstrapezoid</text>"), HasSubstr(">STEP_S</text>")));
  std::size_t lines = 0;
  for (auto at = drawing.find("<polyline"); at != std::string::npos; at = drawing.find("<polyline", at + 1))
    ++lines;
  EXPECT_EQ(lines, 2U * 9U);
  auto to_output = options;
  to_output.emplace_back("-");
  EXPECT_EQ(simulation(to_output).out, drawing);
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

TEST(Simulate, PeersAreTheSchedulesOfOthers) {
  const auto document =
      results({"--schedule", "peers,Dynamic,16", "--workload", "UNIFORM", "--workers", "4"});
  std::vector<std::string> names;
  for (const auto& result : document["results"]) names.push_back(result["schedule"]);
  EXPECT_THAT(names, testing::ElementsAre("static", "dynamic", "guided", "trapezoidal", "static_steal",
                                          "gomp_guided", "tbb_auto", "cilk_for", "static_balanced",
                                          "aid_static", "aid_hybrid", "aid_dynamic", "dynamic,16"));
  EXPECT_EQ(document["results"][12]["batches"], 63);
}

TEST(Simulate, UnequalCoresAreOneTable) {
  const auto all = simulation({"--unequal", "--workload", "UNIFORM", "--schedule", "wstree,aid_static"});
  EXPECT_EQ(all.status(), 0) << all.err;
  for (const auto* text : {"64 iterations", "100,000 iterations", "\n6P+8E ", "\n8P+16E ", "\n6full+2slow ",
                           "wstree  aid_static  fast only  costs known", "\ngeometric mean ", "\nworst "})
    EXPECT_THAT(all.out, HasSubstr(text));
  const auto one = simulation({"--unequal", "--workload", "EXP", "--machine", "speeds=1000/300"});
  EXPECT_THAT(one.out, AllOf(HasSubstr("\ngeneric "), Not(HasSubstr("6P+8E"))));
  EXPECT_THAT(simulation({"--unequal", "--machine", "generic"}).err,
              HasSubstr("says of no cores how fast they are"));
  EXPECT_THAT(simulation({"--unequal", "--json"}).err, HasSubstr("no JSON"));
}

TEST(Simulate, DetailsTellTheFirstLoopFromTheOthers) {
  const auto result =
      simulation({"--schedule", "wstree", "--workload", "STEP_S", "--threads", "8", "--details"});
  EXPECT_THAT(result.out, HasSubstr("time us  first us  batches"));
  const auto document =
      results({"--schedule", "wstree", "--workload", "STEP_S", "--threads", "8", "--machine", "fault=50000"});
  EXPECT_GE(document["results"][0]["first_ns"], document["results"][0]["time_ns"]);
}

TEST(Simulate, HelpSaysWhatAMachineIs) {
  const auto help = wstree({"help", "simulate"});
  EXPECT_EQ(help.status(), 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("near, far"), HasSubstr("--workload LIST"), Not(HasSubstr("UINT"))));
  EXPECT_THAT(wstree({"--help"}).out, HasSubstr("simulate "));
}

} // namespace
} // namespace wstree::test
