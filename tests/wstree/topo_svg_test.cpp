// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The drawings of `wstree topo`, read back by Python's XML parser.
#include "topo_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace wstree::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

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
json read_back(const std::vector<std::string>& drawings) {
  const TemporaryFolder folder;
  std::vector<std::string> arguments{"python3", folder.write("reader.py", k_reader, k_data)};
  for (const auto& svg : drawings)
    arguments.push_back(folder.write(std::to_string(arguments.size()) + ".svg", svg, k_data));
  const auto result = run({.arguments = arguments, .executable = "/usr/bin/env"});
  EXPECT_EQ(result.status(), 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

std::string draw(const std::string& machine, std::vector<std::string> options = {}) {
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
    areas.emplace_back(member["area"]);
    hints.insert(member["hint"]);
  }
  EXPECT_EQ(hints.size(), members) << "a member is drawn twice";
  for (std::size_t i = 0; i < areas.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      ASSERT_FALSE(areas[i].overlaps(areas[k])) << drawing["members"][i] << drawing["members"][k];
}

TEST(TopoSvg, DrawsEveryMemberOnce) {
  struct Case {
    const char* machine;
    std::vector<std::string> options;
    std::size_t members;
  };
  const Case cases[] = {
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
  std::vector<std::string> drawings;
  for (const auto& one : cases) drawings.push_back(draw(one.machine, one.options));
  const auto found = read_back(drawings);
  ASSERT_EQ(found.size(), std::size(cases));
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(cases[i].machine + testing::PrintToString(cases[i].options));
    check_drawing(found[i], cases[i].members);
  }
}

TEST(TopoSvg, DrawsMembersWhereTheyRun) {
  const auto drawing = read_back({draw("package:2 core:2 pu:2", {"-n", "8", "--bind", "spread"})})[0];
  for (const auto& member : drawing["members"]) {
    const auto hint = member["hint"].get<std::string>();
    const auto& label = drawing["labels"][hint.substr(hint.find("CPU"))];
    const Area chip(member["area"]);
    int smallest = 1 << 30; // box around the label of the CPU
    bool is_in_it = false;
    for (const auto& numbers : drawing["boxes"]) {
      const Area box(numbers);
      if (!box.holds(label[0], label[1]) || box.width * box.height >= smallest) continue;
      smallest = box.width * box.height;
      is_in_it = box.holds(chip.x, chip.y) && box.holds(chip.x + chip.width, chip.y + chip.height);
    }
    EXPECT_TRUE(is_in_it) << member;
  }
}

TEST(TopoSvg, ShadesVictimsByDistance) {
  const auto drawing = read_back({draw("package:2 numa:2 core:2 pu:1", {"--victims", "5"})})[0];
  std::vector<std::string> fills(8);
  for (const auto& member : drawing["members"]) {
    const auto hint = member["hint"].get<std::string>(); // "member 5: ..."
    fills.at(std::stoul(hint.substr(7))) = member["fill"];
  }
  EXPECT_EQ(fills[6], fills[7]); // the other NUMA node of the package
  for (const std::size_t far : {1U, 2U, 3U}) EXPECT_EQ(fills[far], fills[0]);
  EXPECT_EQ((std::set{fills[5], fills[4], fills[6], fills[0]}).size(), 4U);
  EXPECT_THAT(drawing["texts"].get<std::vector<std::string>>(),
              testing::IsSupersetOf({"first: the 1 member with which it shares the NUMA node",
                                     "then: the 2 members with which it shares the package",
                                     "then: the 4 members with which it shares the machine"}));
}

TEST(TopoSvg, EscapesNamesOfFiles) {
  const TemporaryFolder folder;
  const auto machine = folder.write("a <&>\xff.xml", k_core_of_two, k_data);
  const auto drawing = read_back({topo({"--xml", machine, "--svg", "-"}).out})[0];
  EXPECT_THAT(drawing["title"].get<std::string>(), testing::EndsWith("/a <&>?.xml"));
  EXPECT_EQ(drawing["members"].size(), 2U);
  EXPECT_THAT(topo({"--xml", machine}).out, testing::HasSubstr("/a <&>?.xml"));
  const auto document = json::parse(topo({"--xml", machine, "--json"}).out);
  EXPECT_THAT(document["machine"]["source"].get<std::string>(), testing::EndsWith("/a <&>\xEF\xBF\xBD.xml"));
}

} // namespace
} // namespace wstree::test
