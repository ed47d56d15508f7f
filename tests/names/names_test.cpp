// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loops are called: programs are compiled here in the ways of users, run with the library,
// and asked for.
#include "command.h"
#include "function_name.h"
#include "names.h"

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace wstree::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::StartsWith;

const fs::path k_programs = NAMES_PROGRAMS;

/// The number of the line that says "LINE word", as text.
std::string line(const std::string& file, const std::string& word) {
  std::ifstream source(k_programs / file);
  std::string text;
  for (int number = 1; std::getline(source, text); ++number) {
    const auto found = text.find("LINE " + word);
    if (found == std::string::npos) continue;
    const auto end = found + 5 + word.size();
    if (end == text.size() || text[end] == ' ') return std::to_string(number);
  }
  ADD_FAILURE() << file << " has no line for " << word;
  return {};
}

bool has(const std::string& tool) {
  return std::system(("command -v " + tool + " >/dev/null 2>&1").c_str()) == 0;
}

TEST(NameText, DoesNotRepeatItsLine) {
  const names::Name name{
      .file = "/src/a.c", .line = 13, .function = "main", .inlined_in = "a.c:13", .symbol = {}};
  EXPECT_EQ(names::text_of(name), "a.c:13 main()");
}

class Names : public testing::Test {
protected:
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_.path() / name).string(); }
  static void shell(const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0) << command; }

  /// Compiles a program of programs/ in the folder of the test.
  void compile(const std::string& compiler, const std::string& options, const std::string& source,
               const std::string& result = "program") {
    shell("cd " + k_programs.string() + " && " + compiler + " -fopenmp " + options + " " + source + " -o " +
          file(result));
  }

  /// Runs a command with the library and returns what `wstree stats` says of the loops.
  [[nodiscard]] json loops_of(std::vector<std::string> command,
                              const std::map<std::string, std::string>& more = {}) const {
    const auto figures = file("figures.json");
    fs::remove(figures);
    command.insert(command.begin(), {"run", "--stats=json=" + figures});
    const auto result = run_with_real_library(command, {});
    EXPECT_EQ(result.status(), 0) << result.err;
    const auto shown = run_with_real_library({"stats", "--json", figures}, more);
    EXPECT_EQ(shown.status(), 0) << shown.err;
    const auto reports = json::parse(shown.out, nullptr, false);
    return reports.is_array() && reports.size() == 1 ? reports[0]["loops"] : json::array();
  }
  [[nodiscard]] std::vector<std::string> names_of(const std::vector<std::string>& command,
                                                  const std::map<std::string, std::string>& more = {}) const {
    std::vector<std::string> names;
    for (const auto& loop : loops_of(command, more)) names.push_back(loop["name"]);
    return names;
  }

  TemporaryFolder folder_;
};

#define NEEDS(tool)                                                                                          \
  if (!has(tool)) GTEST_SKIP() << "there is no " << (tool)

TEST_F(Names, OfGccWithDebugInformation) {
  NEEDS("gcc");
  compile("gcc", "-g -O2 -DBOTH", "loops.c");
  // gcc gives the calls of an inlined loop no line; the first line of the loop is what there is.
  const auto call = " kernel() inlined in loops.c:" + line("loops.c", "inlined");
  EXPECT_THAT(
      names_of({file("program")}),
      testing::UnorderedElementsAre("loops.c:" + line("loops.c", "assemble") + " assemble()",
                                    testing::AnyOf("loops.c:" + line("loops.c", "kernel_head") + call,
                                                   "loops.c:" + line("loops.c", "kernel_body") + call)));
  const auto loop = loops_of({file("program")})[0];
  EXPECT_EQ(loop["file"], (k_programs / "loops.c").string());
  EXPECT_THAT(loop["build_id"].get<std::string>(), testing::MatchesRegex("[0-9a-f]*"));
}

TEST_F(Names, OfClangWithDebugInformation) {
  NEEDS("clang");
  compile("clang", "-g -O2 -DBOTH", "loops.c");
  EXPECT_THAT(
      names_of({file("program")}),
      testing::UnorderedElementsAre("loops.c:" + line("loops.c", "assemble") + " assemble()",
                                    "loops.c:" + line("loops.c", "kernel") +
                                        " kernel() inlined in loops.c:" + line("loops.c", "inlined")));
}

TEST_F(Names, OfGfortran) {
  NEEDS("gfortran");
  compile("gfortran", "-g -O2 -J" + folder_.path().string(), "loops.f90");
  // gfortran gives the call the line of what it computed last: of the directive or of the body.
  EXPECT_THAT(names_of({file("program")}),
              testing::ElementsAre(
                  testing::AnyOf("loops.f90:" + line("loops.f90", "assemble") + " physics::assemble()",
                                 "loops.f90:" + line("loops.f90", "body") + " physics::assemble()")));
}

TEST_F(Names, OfALambdaThatIsInlined) {
  NEEDS("g++");
  compile("g++", "-g -O2", "lambda.cpp");
  const auto inlined =
      ".*share_out<heat::Grid::step\\(\\)::\\{lambda\\(\\)#1\\}>\\(\\) inlined in lambda.cpp:" +
      line("lambda.cpp", "step");
  EXPECT_THAT(
      names_of({file("program")}),
      testing::UnorderedElementsAre(testing::ContainsRegex(inlined),
                                    "lambda.cpp:" + line("lambda.cpp", "lambda") + " lambda in main()"));
}

TEST_F(Names, OfRegionsAreTheLinesOfTheirDirectives) {
  NEEDS("g++");
  for (const std::string options : {"-O1", "-O3", "-O2 -no-pie -fno-plt"}) {
    compile("g++", "-g " + options, "regions.cpp");
    const auto shown = run_with_real_library({"run", "--stats", file("program")}, {});
    // Served, or not served for a reason of the proof.
    EXPECT_THAT(shown.err, testing::HasSubstr(" regions.cpp:" + line("regions.cpp", "plain") + " main()"))
        << options;
    EXPECT_THAT(shown.err, testing::ContainsRegex("not served: regions.cpp:" + line("regions.cpp", "apart") +
                                                  " main\\(\\).*: waits at a barrier: regions.cpp:" +
                                                  line("regions.cpp", "barrier") + " main\\(\\)\n"))
        << options;
  }
}

/// Returns the places of the calls that open regions in a program: what they return to.
std::vector<std::uint64_t> region_calls(const std::string& program) {
  const auto listing = program + ".calls";
  const auto command = "objdump -d --no-show-raw-insn " + program +
                       " | awk 'opens { print $1; opens = 0 } /call .*<GOMP_parallel@/ { opens = 1 }' >" +
                       listing;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::vector<std::uint64_t> places;
  std::ifstream input(listing);
  for (std::string place; input >> place;) places.push_back(std::stoull(place, nullptr, 16));
  return places;
}

TEST_F(Names, OfRegionsInSerialLoopsAreTheirOwnLines) {
  NEEDS("g++");
  NEEDS("objdump");
  std::set<std::string> expected;
  for (const auto* region :
       {"start", "hook", "jump", "once", "one", "two", "three", "four", "five", "six", "seven", "template"})
    expected.insert("steps.cpp:" + line("steps.cpp", region));
  for (const std::string options : {"-O0", "-O1", "-O2", "-O3", "-O2 -no-pie"}) {
    compile("g++", "-g " + options, "steps.cpp");
    names::Resolver resolver;
    std::multiset<std::string> lines;
    const auto calls = region_calls(file("program"));
    for (const auto call : calls) {
      const auto name = text_of(resolver.name(file("program"), "", call));
      lines.insert(name.substr(0, name.find(' ')));
    }
    EXPECT_EQ(std::set(lines.begin(), lines.end()), expected) << options;
    // A function that was inlined may be there a second time; converge() is not.
    for (const auto* region : {"start", "hook", "jump"})
      EXPECT_EQ(lines.count("steps.cpp:" + line("steps.cpp", region)), 1U) << options << ' ' << region;
  }
}

#ifdef __x86_64__
TEST_F(Names, OfRegionsWhoseFunctionsAreKeptInRegistersAndFrames) {
  NEEDS("gcc");
  NEEDS("objdump");
  compile("gcc", "-g", "kept.s");
  names::Resolver resolver;
  std::vector<std::string> lines;
  for (const auto call : region_calls(file("program")))
    lines.push_back(std::to_string(resolver.name(file("program"), "", call).line));
  std::vector<std::string> expected;
  // Where the function is not known, the line is that of the call, and none of a region in front.
  for (const auto* region :
       {"at_once", "in_a_slot", "far", "behind", "unknown", "no_constant", "no_argument"})
    expected.push_back(line("kept.s", region));
  EXPECT_EQ(lines, expected);
}
#endif

TEST_F(Names, OfRefusedRegionsComeWithTheirTimes) {
  NEEDS("g++");
  compile("g++", "-g -O2", "regions.cpp");
  const auto result = run_with_real_library({"run", "--stats=json", file("program")}, {});
  const auto report = json::parse(result.err, nullptr, false);
  ASSERT_TRUE(report.is_object()) << result.err;
  ASSERT_FALSE(report["unserved_regions"].empty()) << report;
  const auto& region = report["unserved_regions"].back();
  EXPECT_EQ(region["calls"], 1) << region;
  EXPECT_GT(region["seconds"], 0) << region;
  EXPECT_LT(region["seconds"], report["wall_seconds"]) << region;
}

TEST_F(Names, OfAStrippedProgramWithItsDebugFile) {
  NEEDS("gcc");
  NEEDS("objcopy");
  compile("gcc", "-g -O2", "loops.c");
  const auto program = file("program");
  shell("cd " + folder_.path().string() +
        " && objcopy --only-keep-debug program program.debug && strip program && "
        "objcopy --add-gnu-debuglink=program.debug program");
  const auto expected = "loops.c:" + line("loops.c", "assemble") + " assemble()";
  EXPECT_THAT(names_of({program}), testing::ElementsAre(expected));
  // Of what has gone from beside the program, servers know; and files are servers too.
  const auto id = loops_of({program})[0]["build_id"].get<std::string>();
  ASSERT_FALSE(id.empty());
  fs::create_directories(folder_.path() / "served" / "buildid" / id);
  fs::rename(file("program.debug"), folder_.path() / "served" / "buildid" / id / "debuginfo");
  EXPECT_THAT(names_of({program}), testing::ElementsAre(StartsWith("program+0x")));
  EXPECT_THAT(names_of({program}, {{"DEBUGINFOD_URLS", "file://" + file("served")},
                                   {"DEBUGINFOD_CACHE_PATH", file("cache")}}),
              testing::ElementsAre(expected));
}

TEST_F(Names, OfAFolderOfBuildIds) {
  NEEDS("gcc");
  NEEDS("objcopy");
  compile("gcc", "-g -O2", "loops.c");
  const auto loop = loops_of({file("program")})[0];
  const auto id = loop["build_id"].get<std::string>();
  ASSERT_GT(id.size(), 4U);
  const auto ids = folder_.path() / "debug" / ".build-id" / id.substr(0, 2);
  fs::create_directories(ids);
  shell("objcopy --only-keep-debug " + file("program") + " " + (ids / (id.substr(2) + ".debug")).string() +
        " && strip " + file("program"));
  names::Resolver resolver(":" + file("debug"));
  const auto name = resolver.name(file("program"), id, loop["offset"]);
  EXPECT_EQ(text_of(name), "loops.c:" + line("loops.c", "assemble") + " assemble()");
  // Another build at the same path says nothing about this one.
  EXPECT_TRUE(resolver.name(file("program"), std::string(id.size(), '0'), loop["offset"]).empty());
}

TEST_F(Names, OfAPluginAndOfWhatPythonLoads) {
  NEEDS("gcc");
  compile("gcc", "-g -O2 -shared -fPIC -DPLUGIN", "loops.c", "plugin.so");
  shell("gcc -O1 " + (k_programs / "host.c").string() + " -o " + file("host"));
  const auto expected = testing::ElementsAre("loops.c:" + line("loops.c", "assemble") + " assemble()");
  EXPECT_THAT(names_of({file("host"), file("plugin.so")}), expected);
  NEEDS("python3");
  EXPECT_THAT(
      names_of({"python3", "-c", "import ctypes; ctypes.CDLL('" + file("plugin.so") + "').assemble(1000)"}),
      expected);
}

TEST_F(Names, AreInTheFiguresThatRunShows) {
  NEEDS("gcc");
  compile("gcc", "-g -O2", "loops.c");
  const auto result = run_with_real_library({"run", "--stats", file("program")}, {});
  EXPECT_EQ(result.status(), 0);
  EXPECT_THAT(result.err, testing::HasSubstr("loops.c:" + line("loops.c", "assemble") + " assemble()  "));
  EXPECT_THAT(result.err, testing::HasSubstr("too short     to tell"));
}

TEST(FunctionName, LeavesOutWhatPeopleDoNotNeed) {
  using names::function_name;
  EXPECT_EQ(function_name("assemble"), "assemble");
  EXPECT_EQ(function_name("assemble._omp_fn.12"), "assemble");
  EXPECT_EQ(function_name("main.omp_outlined_debug__"), "main");
  EXPECT_EQ(function_name(".omp_outlined..2"), "");
  EXPECT_EQ(function_name("__physics_MOD_assemble._omp_fn.0"), "physics::assemble");
  EXPECT_EQ(function_name("_ZN4heat4Grid4stepEi._omp_fn.0"), "heat::Grid::step");
  EXPECT_EQ(function_name("_Z12parallel_forIZN4heat4Grid4stepEiEUliE_EviT_._omp_fn.0"),
            "parallel_for<heat::Grid::step()::{lambda()#1}>");
  EXPECT_EQ(function_name("_ZZN4heat4Grid4stepEiENKUliE_clEi"), "lambda in heat::Grid::step");
  EXPECT_EQ(function_name("_ZN12_GLOBAL__N_11fEi"), "(anonymous namespace)::f");
  EXPECT_EQ(function_name("_ZNK1AcviEv"), "A::operator int");
  EXPECT_EQ(function_name("_ZlsRSoRK1A"), "operator<<");
  EXPECT_EQ(function_name("_ZNK1AclEi"), "A::operator()");
  EXPECT_EQ(names::symbol_name("_ZN4heat4Grid4stepEi._omp_fn.3"), "heat::Grid::step._omp_fn.3");
  // Functions of C have the letters of C++'s types.
  for (const std::string name : {"f", "d", "i", "b", "x", "Pi"}) {
    EXPECT_EQ(function_name(name), name);
    EXPECT_EQ(function_name(name + "._omp_fn.0"), name);
    EXPECT_EQ(names::symbol_name(name), name);
  }
}

} // namespace
} // namespace wstree::test
