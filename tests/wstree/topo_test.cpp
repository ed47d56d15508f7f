// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree topo`: machines that hwloc makes up, and this one.
#include "topo_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace wstree::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* k_small = "package:2 numa:1 l3:1 core:2 pu:1";

TEST(Topo, ShowsASmallMachine) {
  const auto result = made_up(k_small, {"--victims", "3"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            R"(synthetic machine: 2 packages, 2 NUMA nodes, 2 L3 caches, 4 cores, 4 PUs
threads are pinned (auto: 4 members on 4 cores)

member  CPUs  core  L2  L3  NUMA node  package  order of victims
0       0     0     -   0   0          0        L3: 1; machine: 2-3
1       1     1     -   0   0          0        L3: 0; machine: 2-3
2       2     2     -   1   1          1        L3: 3; machine: 0-1
3       3     3     -   1   1          1        L3: 2; machine: 0-1

What two members share (3 L3, m machine):
   0  1  2  3
0  .  3  m  m
1  3  .  m  m
2  m  m  .  3
3  m  m  3  .

Member 3 looks for work in this order:
  L3       1 member   2
  machine  2 members  0-1

Member 0 opens the parallel regions: it is moved to its place and keeps its own mask.
)");
}

TEST(Topo, GivesEachMemberAWholeCoreWhileThereIsOneForAll) {
  const auto result = made_up("package:2 core:2 pu:2", {"-n", "3", "--bind", "spread"});
  EXPECT_THAT(result.out, HasSubstr("threads are pinned (spread: 3 members on 4 cores)\n"));
  const auto document = made_up_json("package:2 core:2 pu:2", {"-n", "3", "--bind", "spread"});
  EXPECT_EQ(document["spacing"], "spread");
  std::set<std::string> cores{"0-1", "2-3", "4-5", "6-7"};
  for (const auto& member : document["members"]) EXPECT_EQ(cores.erase(member["cpus"]), 1U) << member;
}

TEST(Topo, LeavesOutCpus) {
  const auto document = made_up_json("package:2 core:2 pu:2", {"--cpus", "1,4-7"});
  EXPECT_EQ(document["machine"]["cpus"], "1,4-7");
  EXPECT_EQ(document["machine"]["cores"], 3);
  EXPECT_EQ(document["members"].size(), 5U);
  EXPECT_EQ(document["members"][0]["cpus"], "1");
}

TEST(Topo, UsesThePlacesOfTheUser) {
  const auto document =
      made_up_json("package:2 core:4 pu:1", {"--bind", "close", "--places", "{6,7},{0},{1}", "-n", "2"});
  EXPECT_THAT(document["places"], ElementsAre("6-7", "0", "1"));
  EXPECT_EQ(document["members"][0]["cpus"], "6-7");
  EXPECT_EQ(document["members"][1]["cpus"], "0");
  EXPECT_THAT(
      made_up("package:2 core:4 pu:1", {"--bind", "close", "--places", "{6,7},{0},{1}", "-n", "2"}).out,
      HasSubstr("\n1 of 3 places not used\n"));
  // What members of a wide place share is as wide.
  EXPECT_EQ(made_up_json("package:2 numa:2 core:2 pu:1", {"--bind", "close", "--places", "sockets", "-n",
                                                          "4"})["members"][0]["victims"][0]["shared"],
            "package");
}

TEST(Topo, ShowsThisMachineWithinTheMask) {
  const auto mask = place::current_mask();
  const auto document = json::parse(topo({"--json", "--bind", "close"}).out);
  EXPECT_EQ(document["machine"]["source"], "this machine");
  EXPECT_EQ(document["machine"]["cpus"], place::to_list(mask).view());
  EXPECT_EQ(document["limits"]["allowed_cpus"], mask.count());
  EXPECT_EQ(document["members"].size(), mask.count());

  const auto one = std::to_string(mask.next(0));
  const auto less = run({.arguments = {"-c", "exec taskset -c " + one + " " WSTREE_CLI " topo --json"},
                         .executable = "/bin/sh"});
  EXPECT_EQ(json::parse(less.out)["machine"]["cpus"], one) << less.err;
  EXPECT_EQ(json::parse(less.out)["members"].size(), 1U);
}

TEST(Topo, AsksTheEnvironmentAboutThisMachineOnly) {
  const Variables variables{{"OMP_NUM_THREADS", "3,2"}, {"WSTREE_BIND", "spread"}};
  const auto here = json::parse(topo({"--json"}, variables).out);
  EXPECT_EQ(here["members"].size(), 3U);
  EXPECT_EQ(here["bind"], "spread");
  EXPECT_EQ(json::parse(topo({"--json", "-n", "2", "--bind", "none"}, variables).out)["bind"], "none");
  const auto elsewhere = json::parse(topo({"--json", "--synthetic", k_small}, variables).out);
  EXPECT_EQ(elsewhere["members"].size(), 4U);
  EXPECT_EQ(elsewhere["bind"], "auto");

  const auto bound = topo({"-n", "2"}, {{"OMP_PROC_BIND", "true"}});
  EXPECT_THAT(bound.out, HasSubstr("threads are not pinned (auto: OMP_PROC_BIND is set)\n"));
  const auto bad = topo({"-n", "2"}, {{"WSTREE_BIND", "far"}});
  EXPECT_EQ(bad.status(), 0);
  EXPECT_THAT(bad.err, StartsWith("wstree: WSTREE_BIND='far' is not understood"));
  const auto places =
      topo({"-n", "2"}, {{"WSTREE_BIND", "close"}, {"OMP_PROC_BIND", "false"}, {"OMP_PLACES", "far"}});
  EXPECT_EQ(places.status(), 0);
  EXPECT_THAT(places.err, StartsWith("wstree: OMP_PLACES='far' is not used: "));
}

TEST(Topo, RefusesWhatItDoesNotUnderstand) {
  struct Case {
    std::vector<std::string> options;
    const char* line;
  };
  const Case cases[] = {
      {{"-n", "0"}, "-n: Value 0 not in range 1 to 4096; see wstree topo --help"},
      {{"--bind", "far"}, "--bind 'far' is not understood (accepted: auto, close, spread, none)"},
      {{"-n", "2", "--victims", "2"},
       "--victims '2' is not understood (accepted: a member from 0 to 1, or all)"},
      {{"--synthetic", "nonsense"}, "the topology of 'nonsense' is not known: "},
      {{"--xml", "a", "--synthetic", "b"}, "--synthetic excludes --xml"},
      {{"--cpus", "3-1"}, "--cpus '3-1' is not understood (accepted: a list like 0-3,8)"},
      {{"-n", "2", "--bind", "close", "--places", "far"}, "--places 'far': "},
      {{"--json", "--svg", "-"}, "--json and --svg - both want the standard output"},
      {{"--svg", "/nowhere/topo.svg"}, "/nowhere/topo.svg cannot be written: No such file or directory"},
  };
  for (const auto& bad : cases) {
    const auto result = topo(bad.options);
    EXPECT_EQ(result.status(), 125) << bad.line;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, StartsWith(std::string("wstree: ") + bad.line));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

TEST(Topo, SaysThatHwlocIsMissing) {
  const TemporaryFolder folder;
  folder.write("libhwloc.so.15", "", k_data); // found first, and nothing that could be loaded
  const auto result = topo({}, {{"LD_LIBRARY_PATH", folder.path().string()}});
  EXPECT_EQ(result.status(), 125);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, AllOf(HasSubstr("hwloc is not installed"), HasSubstr("libhwloc15")));
}

} // namespace
} // namespace wstree::test
