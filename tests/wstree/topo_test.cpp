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
using testing::Not;
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

TEST(Topo, ShowsGroupsOfALargeTeam) {
  const auto whole = made_up("package:2 numa:2 core:32 pu:1");
  EXPECT_THAT(whole.out, AllOf(HasSubstr("\nmembers  CPUs "),
                               HasSubstr("\n32-63    32-63   32-63   -   -   1          0        "
                                         "within the group: NUMA node; package: 0-31; machine: 64-127\n"),
                               HasSubstr("\n  NUMA node: 31; package: 32; machine: 64\n")));
  EXPECT_LT(whole.out.size(), 1500U);
  const auto all = made_up("package:2 numa:2 core:32 pu:1", {"--victims", "all"});
  EXPECT_THAT(all.out, HasSubstr("\n127     127   127   -   -   3          1        "
                                 "NUMA node: 96-126; package: 64-95; machine: 0-63\n"));
}

TEST(Topo, SaysWhyNoThreadIsPinned) {
  const auto fewer = made_up("core:4 pu:1", {"-n", "3"});
  EXPECT_THAT(fewer.out, AllOf(HasSubstr("threads are not pinned (auto: 3 members on 4 cores"),
                               HasSubstr("(CPUs 0-3)"), Not(HasSubstr("member  CPUs"))));
  EXPECT_THAT(made_up("core:4 pu:1", {"-n", "5"}).out,
              HasSubstr("threads are not pinned (auto: 5 members on 4 cores)"));
  EXPECT_THAT(made_up("core:4 pu:1", {"--bind", "none"}).out, HasSubstr("threads are not pinned (none: "));
  EXPECT_THAT(made_up("core:1 pu:1").out, HasSubstr("threads are not pinned (auto: a team of one)"));
  EXPECT_THAT(made_up("core:4 pu:1", {"--places", "cores"}).out,
              AllOf(HasSubstr("threads are not pinned (auto: OMP_PLACES is set)"),
                    HasSubstr("The OpenMP runtime arranges the 4 members")));
  const auto document = made_up_json("core:4 pu:1", {"-n", "3"});
  EXPECT_EQ(document["pinned"], false);
  EXPECT_EQ(document["places"], json::array());
  EXPECT_EQ(document["members"][1]["cpus"], nullptr);
  EXPECT_EQ(document["members"][1]["victims"], json::parse(R"([{"shared": null, "members": "0,2"}])"));
}

TEST(Topo, NamesTheInnermostThingThatIsShared) {
  // One memory for all, so that its node is around the packages.
  EXPECT_THAT(made_up("package:2 l3:2 core:2 pu:1").out,
              HasSubstr("        L3: 3; package: 0-1; NUMA node: 4-7\n"));
}

/// Members have as many victims as there are others, each of them once,
/// in one group for each thing they share.
void check_victims(const json& document) {
  const std::vector<std::string> levels{"core", "L2", "L3", "NUMA node", "package", "machine"};
  const auto count = document["members"].size();
  for (const auto& member : document["members"]) {
    std::set<std::string> shares;
    std::set<unsigned> seen{member["member"].get<unsigned>()};
    for (const auto& group : member["victims"]) {
      const auto shared = group["shared"].get<std::string>();
      EXPECT_THAT(levels, testing::Contains(shared));
      EXPECT_TRUE(shares.insert(shared).second) << member;
      for (const auto victim : numbers(group["members"])) EXPECT_TRUE(seen.insert(victim).second) << member;
    }
    EXPECT_EQ(seen.size(), count);
    EXPECT_EQ(*seen.rbegin(), count - 1);
  }
}

TEST(Topo, DescribesMachinesOfManyShapes) {
  struct Shape {
    const char* machine;
    unsigned packages, nodes, l3, l2, cores, cpus;
  };
  const Shape shapes[] = {
      {"core:2 pu:1", 0, 1, 0, 0, 2, 2},
      {"package:1 core:3 pu:4", 1, 1, 0, 0, 3, 12},
      {"package:2 numa:2 l3:2 l2:2 core:2 pu:2", 2, 4, 8, 16, 32, 64},
      {"package:3 l3:1 core:5 pu:1", 3, 1, 3, 0, 15, 15},
      {"numa:4 package:1 l2:3 core:1 pu:1", 4, 4, 0, 12, 12, 12},
  };
  for (const auto& shape : shapes) {
    SCOPED_TRACE(shape.machine);
    for (const auto* bind : {"close", "spread"}) {
      for (const unsigned members : {2U, shape.cores, shape.cpus, shape.cpus + 3}) {
        const auto document = made_up_json(shape.machine, {"--bind", bind, "-n", std::to_string(members)});
        const auto& machine = document["machine"];
        EXPECT_EQ(machine["packages"], shape.packages);
        EXPECT_EQ(machine["numa_nodes"], shape.nodes);
        EXPECT_EQ(machine["l3_caches"], shape.l3);
        EXPECT_EQ(machine["l2_caches"], shape.l2);
        EXPECT_EQ(machine["cores"], shape.cores);
        EXPECT_EQ(machine["pus"], shape.cpus);
        EXPECT_EQ(numbers(machine["cpus"]).size(), shape.cpus);
        EXPECT_EQ(document["bind"], bind);
        EXPECT_EQ(document["limits"], nullptr);
        ASSERT_EQ(document["members"].size(), members);
        check_victims(document);
        std::set<unsigned> used;
        std::size_t cpus = 0;
        for (const auto& member : document["members"]) {
          EXPECT_EQ(member["cpus"], document["places"][member["place"].get<std::size_t>()]);
          for (const auto cpu : numbers(member["cpus"])) used.insert(cpu), ++cpus;
        }
        if (members <= shape.cpus) {
          EXPECT_EQ(cpus, used.size()) << "two members share a CPU";
        } else {
          EXPECT_EQ(used.size(), shape.cpus) << "a CPU is idle";
        }
      }
    }
  }
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

TEST(Topo, ReadsAMachineFromAFile) {
  const TemporaryFolder folder;
  const auto file = folder.write("two.xml", k_core_of_two, k_data);
  const auto result = topo({"--xml", file});
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, StartsWith("the machine in " + file + ": 1 package, 1 NUMA node, 1 core, 2 PUs\n" +
                                     "threads are pinned (auto: 2 members on 2 CPUs)\n"));
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
      {{"-n", "4097"}, "-n: Value 4097 not in range 1 to 4096; see wstree topo --help"},
      {{"--bind", "far"}, "--bind 'far' is not understood (accepted: auto, close, spread, none)"},
      {{"--bind"}, "'--bind' needs a value; see wstree topo --help"},
      {{"-n", "2", "--victims", "2"},
       "--victims '2' is not understood (accepted: a member from 0 to 1, or all)"},
      {{"-n", "2", "--victims", "-1"},
       "--victims '-1' is not understood (accepted: a member from 0 to 1, or all)"},
      {{"--synthetic", "nonsense"}, "the topology of 'nonsense' is not known: "},
      {{"--xml", "/nowhere"}, "the topology of the machine in /nowhere is not known: "},
      {{"--xml", "a", "--synthetic", "b"}, "--synthetic excludes --xml"},
      {{"--cpus", "3-1"}, "--cpus '3-1' is not understood (accepted: a list like 0-3,8)"},
      {{"--synthetic", "core:2 pu:1", "--cpus", "7"}, "the topology of 'core:2 pu:1' is not known: "},
      {{"-n", "2", "--bind", "close", "--places", "far"}, "--places 'far': "},
      {{"--json", "--svg", "-"}, "--json and --svg - both want the standard output"},
      {{"--svg", "/nowhere/topo.svg"}, "/nowhere/topo.svg cannot be written: No such file or directory"},
      {{"./heat"}, "'./heat' is not expected here; see wstree topo --help"},
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
