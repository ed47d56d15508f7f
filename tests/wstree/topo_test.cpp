// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree topo`: machines that hwloc makes up, and this one. Its drawings are read back by Python.
#include "command.h"
#include "machines.h"

#include "cpu_set.h"
#include "process_limits.h"

namespace wstree::test {
namespace {

Result topo(const Arguments& options, const Variables& variables = {}) {
  Start start{.arguments = {"topo"}};
  start.arguments.insert(start.arguments.end(), options.begin(), options.end());
  start.environment.insert(variables.begin(), variables.end());
  return run(start);
}

/// Of a machine that hwloc makes up.
Result made_up(const std::string& machine, Arguments options = {}) {
  options.insert(options.end(), {"--synthetic", machine});
  return topo(options);
}

json made_up_json(const std::string& machine, Arguments options = {}) {
  options.emplace_back("--json");
  const auto result = made_up(machine, std::move(options));
  EXPECT_EQ(result.status(), 0) << result.err;
  EXPECT_EQ(result.err, "");
  return json::parse(result.out, nullptr, false);
}

constexpr const char* k_small = "package:2 numa:1 l3:1 core:2 pu:1";

TEST(Topo, ShowsASmallMachine) {
  expect_silent(made_up(k_small, {"--victims", "3"}),
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

TEST(Topo, GivesEachMemberAWholeCoreAndLeavesOutCpus) {
  const Arguments options{"-n", "3", "--bind", "spread"};
  EXPECT_THAT(made_up("package:2 core:2 pu:2", options).out,
              HasSubstr("threads are pinned (spread: 3 members on 4 cores)\n"));
  const auto document = made_up_json("package:2 core:2 pu:2", options);
  EXPECT_EQ(document["spacing"], "spread");
  std::set<std::string> cores{"0-1", "2-3", "4-5", "6-7"};
  for (const auto& member : document["members"]) EXPECT_EQ(cores.erase(member["cpus"]), 1U) << member;
  const auto fewer = made_up_json("package:2 core:2 pu:2", {"--cpus", "1,4-7"});
  EXPECT_EQ(fewer["machine"]["cpus"], "1,4-7");
  EXPECT_EQ(fewer["machine"]["cores"], 3);
  EXPECT_EQ(fewer["members"].size(), 5U);
  EXPECT_EQ(fewer["members"][0]["cpus"], "1");
}

TEST(Topo, UsesThePlacesOfTheUser) {
  const Arguments options{"--bind", "close", "--places", "{6,7},{0},{1}", "-n", "2"};
  const auto document = made_up_json("package:2 core:4 pu:1", options);
  EXPECT_THAT(document["places"], testing::ElementsAre("6-7", "0", "1"));
  EXPECT_EQ(document["members"][0]["cpus"], "6-7");
  EXPECT_EQ(document["members"][1]["cpus"], "0");
  EXPECT_THAT(made_up("package:2 core:4 pu:1", options).out, HasSubstr("\n1 of 3 places not used\n"));
  const auto wide =
      made_up_json("package:2 numa:2 core:2 pu:1", {"--bind", "close", "--places", "sockets", "-n", "4"});
  EXPECT_EQ(wide["members"][0]["victims"][0]["shared"], "package") << "as wide as their places";
}

TEST(Topo, ShowsThisMachineWithinTheMask) {
  const auto mask = place::current_mask();
  const auto document = json::parse(topo({"--json", "--bind", "close"}).out);
  EXPECT_EQ(document["machine"]["source"], "this machine");
  EXPECT_EQ(document["machine"]["cpus"], place::to_list(mask).view());
  EXPECT_EQ(document["limits"]["allowed_cpus"], mask.count());
  EXPECT_EQ(document["members"].size(), mask.count());
  const auto one = std::to_string(mask.next(0));
  const auto less = json::parse(
      run({.arguments = {"-c", one, WSTREE_CLI, "topo", "--json"}, .executable = "/usr/bin/taskset"}).out);
  EXPECT_EQ(less["machine"]["cpus"], one);
  EXPECT_EQ(less["members"].size(), 1U);
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

  const auto said = [](const Variables& more) {
    const auto result = topo({"-n", "2"}, more);
    EXPECT_EQ(result.status(), 0);
    return result.err + result.out;
  };
  EXPECT_THAT(said({{"OMP_PROC_BIND", "true"}}), HasSubstr("not pinned (auto: OMP_PROC_BIND is set)\n"));
  EXPECT_THAT(said({{"WSTREE_BIND", "far"}}), StartsWith("wstree: WSTREE_BIND='far' is not understood"));
  EXPECT_THAT(said({{"WSTREE_BIND", "close"}, {"OMP_PROC_BIND", "false"}, {"OMP_PLACES", "far"}}),
              StartsWith("wstree: OMP_PLACES='far' is not used: "));
}

TEST(Topo, RefusesWhatItDoesNotUnderstand) {
  const std::pair<Arguments, const char*> cases[] = {
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
  for (const auto& [options, line] : cases) expect_refused(topo(options), line);
}

TEST(Topo, SaysThatHwlocIsMissing) {
  const TemporaryFolder folder;
  folder.write("libhwloc.so.15", "", k_data); // found first, and nothing that could be loaded
  const auto result = topo({}, {{"LD_LIBRARY_PATH", folder.path().string()}});
  expect_refused(result, "");
  EXPECT_THAT(result.err, testing::AllOf(HasSubstr("hwloc is not installed"), HasSubstr("libhwloc15")));
}

/// What there is in each of the drawings that it is given, as JSON.
constexpr const char* k_reader = R"(
import json, sys
import xml.etree.ElementTree as tree
svg = "{http://www.w3.org/2000/svg}"
numbers = lambda e: [int(e.get(name)) for name in ("x", "y", "width", "height")]
found = []
for path in sys.argv[1:]:
  root = tree.parse(path).getroot()
  members = [e for e in root.iter(svg + "rect") if e.get("class") == "member"]
  found.append({
    "root": root.tag.replace(svg, ""), "version": root.get("version"),
    "width": int(root.get("width")), "height": int(root.get("height")),
    "tags": sorted({e.tag.replace(svg, "") for e in root.iter()}),
    "title": root.findtext(svg + "title"), "description": root.findtext(svg + "desc"),
    "texts": [e.text for e in root.iter(svg + "text")],
    "labels": {e.text: [int(e.get("x")), int(e.get("y"))] for e in root.iter(svg + "text")},
    "boxes": [numbers(e) for e in root.iter(svg + "rect") if e.get("x")],
    "members": [{"hint": e.findtext(svg + "title"), "area": numbers(e), "fill": e.get("fill")} for e in members],
  })
print(json.dumps(found))
)";

/// One start of Python for all of them, because that takes longer than all the rest.
json read_back(const Arguments& drawings) {
  const TemporaryFolder folder;
  Arguments arguments{"python3", folder.write("reader.py", k_reader, k_data)};
  for (const auto& svg : drawings)
    arguments.push_back(folder.write(std::to_string(arguments.size()) + ".svg", svg, k_data));
  const auto result = run({.arguments = arguments, .executable = "/usr/bin/env"});
  EXPECT_EQ(result.status(), 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

std::string draw(const std::string& machine, Arguments options = {}) {
  options.insert(options.end(), {"--svg", "-"});
  const auto result = made_up(machine, options);
  EXPECT_EQ(result.status(), 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("<?xml"));
  return result.out;
}

struct Area {
  int x, y, width, height;
  explicit Area(const json& a) : x(a[0]), y(a[1]), width(a[2]), height(a[3]) {}
  bool holds(int px, int py) const { return x <= px && px <= x + width && y <= py && py <= y + height; }
  bool overlaps(const Area& other) const {
    return x < other.x + other.width && other.x < x + width && y < other.y + other.height &&
           other.y < y + height;
  }
};

void check_drawing(const json& drawing, std::size_t members) {
  EXPECT_EQ(drawing["root"], "svg");
  EXPECT_EQ(drawing["version"], "1.1");
  EXPECT_EQ(drawing["tags"], json::parse(R"(["desc", "rect", "svg", "text", "title"])"));
  EXPECT_THAT(drawing["title"].get<std::string>(), StartsWith("wstree topo: "));
  EXPECT_THAT(drawing["description"].get<std::string>(), HasSubstr("threads are "));
  for (const auto& box : drawing["boxes"]) {
    const Area area(box);
    EXPECT_TRUE(area.x >= 0 && area.y >= 0 && area.width > 0 && area.height > 0 &&
                area.x + area.width <= drawing["width"] && area.y + area.height <= drawing["height"])
        << box;
  }
  ASSERT_EQ(drawing["members"].size(), members);
  std::vector<Area> areas;
  std::set<std::string> hints;
  for (const auto& member : drawing["members"]) {
    const Area area(member["area"]);
    for (const auto& other : areas) ASSERT_FALSE(area.overlaps(other)) << member;
    areas.push_back(area);
    hints.insert(member["hint"]);
  }
  EXPECT_EQ(hints.size(), members) << "a member is drawn twice";
}

TEST(TopoSvg, DrawsEveryMemberOnce) {
  const std::tuple<const char*, Arguments, std::size_t> cases[] = {
      {"package:1 l3:1 l2:2 core:1 pu:1", {}, 2},
      {"core:1 pu:1", {}, 1},
      {"package:2 numa:2 l3:2 core:4 pu:2", {}, 64},
      {"package:2 numa:2 l3:2 core:4 pu:2", {"-n", "16", "--bind", "close"}, 16},    // a core each
      {"package:2 numa:2 l3:2 core:4 pu:2", {"-n", "20"}, 20},                       // not pinned
      {"package:2 numa:2 l3:2 core:4 pu:2", {"-n", "200", "--bind", "spread"}, 200}, // several on a CPU
      {"package:2 core:4 pu:1", {"-n", "5", "--bind", "close", "--places", "sockets"}, 5},
      {"package:2 core:4 pu:1", {"-n", "5", "--bind", "close", "--places", "{0,7},{1}:7"}, 5},
      {"numa:4 package:1 l2:3 core:1 pu:1", {"--victims", "all"}, 12},
      {"package:2 numa:2 core:60 pu:2", {"--victims", "all"}, 480},
  };
  Arguments drawings;
  for (const auto& [machine, options, members] : cases) drawings.push_back(draw(machine, options));
  const auto found = read_back(drawings);
  ASSERT_EQ(found.size(), std::size(cases));
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(testing::PrintToString(cases[i]));
    check_drawing(found[i], std::get<2>(cases[i]));
  }
}

TEST(TopoSvg, DrawsMembersWhereTheyRun) {
  const auto drawing = read_back({draw("package:2 core:2 pu:2", {"-n", "8", "--bind", "spread"})})[0];
  for (const auto& member : drawing["members"]) {
    const auto hint = member["hint"].get<std::string>();
    const auto& label = drawing["labels"][hint.substr(hint.find("CPU"))];
    const Area chip(member["area"]);
    std::map<int, bool> holds_chip; // by sizes of the boxes around the label of the CPU
    for (const auto& numbers : drawing["boxes"]) {
      const Area box(numbers);
      if (box.holds(label[0], label[1]))
        holds_chip[box.width * box.height] =
            box.holds(chip.x, chip.y) && box.holds(chip.x + chip.width, chip.y + chip.height);
    }
    EXPECT_TRUE(!holds_chip.empty() && holds_chip.begin()->second) << member;
  }
}

TEST(TopoSvg, ShadesVictimsByDistance) {
  const auto drawing = read_back({draw("package:2 numa:2 core:2 pu:1", {"--victims", "5"})})[0];
  Arguments fills(8);
  for (const auto& member : drawing["members"]) {
    const auto hint = member["hint"].get<std::string>(); // "member 5: ..."
    fills.at(std::stoul(hint.substr(7))) = member["fill"];
  }
  EXPECT_EQ(fills[6], fills[7]); // the other NUMA node of the package
  for (const std::size_t far : {1U, 2U, 3U}) EXPECT_EQ(fills[far], fills[0]);
  EXPECT_EQ((std::set{fills[5], fills[4], fills[6], fills[0]}).size(), 4U);
  EXPECT_THAT(drawing["texts"].get<Arguments>(),
              testing::IsSupersetOf({"first: the 1 member with which it shares the NUMA node",
                                     "then: the 2 members with which it shares the package",
                                     "then: the 4 members with which it shares the machine"}));
}

TEST(TopoSvg, EscapesNamesOfFiles) {
  const TemporaryFolder folder;
  const auto machine = folder.write("a <&>\xff.xml", k_slow_and_fast);
  const auto drawing = read_back({topo({"--xml", machine, "--svg", "-"}).out})[0];
  EXPECT_THAT(drawing["title"].get<std::string>(), testing::EndsWith("/a <&>?.xml"));
  EXPECT_EQ(drawing["members"].size(), 2U);
  EXPECT_THAT(topo({"--xml", machine}).out, HasSubstr("/a <&>?.xml"));
  const auto document = json::parse(topo({"--xml", machine, "--json"}).out);
  EXPECT_THAT(document["machine"]["source"].get<std::string>(), testing::EndsWith("/a <&>\xEF\xBF\xBD.xml"));
}

} // namespace
} // namespace wstree::test
