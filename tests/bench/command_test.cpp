// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree bench` with shell scripts in place of the programs that measure; the test bench_smoke starts the
// real ones.
#include "command.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>

namespace wstree::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Arguments = std::vector<std::string>;

/// Says what it was started with, and writes FIGURES, a file beside it, where --json says.
constexpr const char* k_program = R"(#!/bin/sh
here=${0%/*}
name=${0##*/}
echo "program $name $*"
echo "for the command alone: $WSTREE_LIBOMP_DIR$WSTREE_CACHE."
echo "variables LD_LIBRARY_PATH=$LD_LIBRARY_PATH LD_PRELOAD=$LD_PRELOAD"
if [ -f "$here/$name.fails" ]; then exit 7; fi
while [ $# -gt 0 ]; do
  if [ "$1" = --json ]; then cat "$here/$name.figures" > "$2"; fi
  shift
done
)";

constexpr const char* k_loops = R"({"threads": 2, "rounds": 3, "dropped": 3, "rows": [
  {"row": "EXP/16", "column": "static", "value": 1.98, "spread": 0.001, "runtime": "libomp"},
  {"row": "EXP/16", "column": "wstree", "value": 1.06, "spread": 0.25, "runtime": "libomp"},
  {"row": "EXP/16", "column": "static without the library", "value": 1.97, "runtime": "libomp"}],
 "facts": [{"row": "EXP/16", "column": "seq ms", "value": 10, "runtime": "libomp"}],
 "verdicts": [{"what": "worst over ideal", "limit": 1.1, "worst": 1.06, "held": 1, "of": 1, "runtime": "libomp"},
              {"what": "best peer", "limit": 1.02, "worst": 1.5, "held": 0, "of": 1, "runtime": "libomp"}]})";

constexpr const char* k_calls = R"({"threads": 2, "rounds": 1, "rows": [
  {"row": "loop/wstree/P=1", "column": "bare", "value": 31.5, "unit": "ns"}],
 "verdicts": [{"what": "loop", "limit": 30, "worst": 20.5, "held": 1, "of": 1}]})";

class Bench : public testing::Test {
protected:
  Bench() {
    write("bench.conf", "runtimes=libomp\nbuild_type=Release\nclang=clang of the test\n");
    for (const auto* name : {"loops", "overhead", "step", "costs"}) program(name);
    write("loops.figures", k_loops);
    write("overhead.figures", k_calls);
    fs::create_directory(builds() / "19-release");
    folder_.write("libomp/19-release/libomp.so.5", "a release", k_data);
    start_.environment["WSTREE_LIBOMP_DIR"] = builds().string();
  }

  [[nodiscard]] fs::path builds() const {
    fs::create_directory(folder_.path() / "libomp");
    return folder_.path() / "libomp";
  }
  [[nodiscard]] fs::path programs() const {
    fs::create_directory(folder_.path() / "programs");
    return folder_.path() / "programs";
  }
  [[nodiscard]] fs::path out() const { return folder_.path() / "out"; }
  void write(const std::string& name, std::string_view text, fs::perms permissions = k_data) const {
    (void)programs();
    (void)folder_.write("programs/" + name, text, permissions);
  }
  void program(const std::string& name) const { write(name, k_program, k_executable); }

  Result bench(const Arguments& options) {
    start_.arguments = {"bench", "--out", out().string()};
    if (std::ranges::find(options, "--bench") == options.end())
      start_.arguments.insert(start_.arguments.end(), {"--bench", programs().string()});
    start_.arguments.insert(start_.arguments.end(), options.begin(), options.end());
    return run(start_);
  }
  [[nodiscard]] json results() const { return json::parse(contents(out() / "results.json")); }

  /// The only value of that row and column.
  static json value_of(const json& document, const std::string& row, const std::string& column) {
    json found;
    for (const auto& value : document.at("rows"))
      if (value.at("row") == row && value.at("column") == column) {
        EXPECT_TRUE(found.is_null()) << row << " " << column << " is there twice";
        found = value;
      }
    return found;
  }

  TemporaryFolder folder_;
  Start start_;
};

TEST_F(Bench, RefusesWrongOptionsInOneLine) {
  const std::vector<std::pair<Arguments, std::string>> cases{
      {{"--parts", "loops,lops"}, "--parts: there is no 'lops' (accepted: a list of loops, one-thread, "},
      {{"--parts", ""}, "--parts: there is no '' (accepted: "},
      {{"--runtimes", "libiomp"}, "--runtimes: there is no 'libiomp' (accepted: a list of libomp, libgomp)"},
      {{"--runtimes", "libgomp"}, "--runtimes: '" + programs().string() + "' has no programs for libgomp; "},
      {{"--only", "["}, "--only: '[' is no regular expression"},
      {{"--libomp", "12"},
       "--libomp 12: there is no " + builds().string() + "/12/libomp.so.5; tools/libomp 12 of "},
      {{"--library", "/no/such.so"}, "--library: '/no/such.so' is not a file that can be read; "},
      {{"--rounds", "0"}, "--rounds: "},
      {{"--quick", "--smoke"}, "--quick excludes --smoke"},
      {{"--compare", "one"}, "'--compare' needs a value"},
      {{"--compare", "/no/a", "/no/b"}, "--compare: '/no/a' cannot be read"},
      {{"--draw", "/no/a"}, "--draw: '/no/a' cannot be read"},
      {{"now"}, "'now' is not expected here; see wstree bench --help"}};
  for (const auto& [options, line] : cases) {
    const auto result = bench(options);
    EXPECT_EQ(result.status(), 125) << line;
    EXPECT_EQ(result.out, "") << line;
    EXPECT_THAT(result.err, StartsWith("wstree: " + line));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

TEST_F(Bench, StartsTheProgramsWithTheLibraryAndTheReleaseBuild) {
  const auto result = bench({"--parts", "loops", "--rounds", "9", "--only", "EXP"});
  EXPECT_EQ(result.status(), 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out,
              HasSubstr("libomp        " + builds().string() + "/19-release/libomp.so.5 (release build)\n"));
  EXPECT_THAT(result.out, HasSubstr("clang         clang of the test\n"));
  EXPECT_THAT(result.out, HasSubstr("\nfor the command alone: .\n"));
  EXPECT_THAT(result.out, HasSubstr("program loops --rounds 9 --bare --libomp system --only EXP --json "));
  EXPECT_THAT(result.out, HasSubstr("variables LD_LIBRARY_PATH=" + builds().string() +
                                    "/19-release LD_PRELOAD=" CLI_STAND_IN "\n"));
  EXPECT_EQ(contents(out() / "report.txt"), result.out.substr(0, contents(out() / "report.txt").size()));
  EXPECT_THAT(contents(out() / "report.txt"), HasSubstr("program loops --rounds 9"));
  EXPECT_FALSE(fs::exists(out() / "programs"));
}

TEST_F(Bench, OtherRuntimesAreMeasuredBesideTheFirst) {
  write("bench.conf", "runtimes=libomp,libgomp\n");
  for (const auto* name : {"loops-libgomp", "loops-tbb"}) program(name);
  const auto both = bench({"--parts", "loops"}).out;
  EXPECT_THAT(both, HasSubstr(" --beside " + (programs() / "loops-libgomp").string() + " --beside " +
                              (programs() / "loops-tbb").string() + " "));
  const auto one = bench({"--parts", "loops", "--runtimes", "libgomp"}).out;
  EXPECT_THAT(one, HasSubstr("program loops-libgomp --rounds 3 --bare --beside " +
                             (programs() / "loops-tbb").string() + " "));
  EXPECT_THAT(one, Not(HasSubstr("19-release")));
}

TEST_F(Bench, ResultsHaveEveryValueAndVerdict) {
  const auto result = bench({"--parts", "loops,calls"});
  EXPECT_EQ(result.status(), 0) << result.err;
  const auto document = results();
  EXPECT_EQ(document.at("schema"), 1);
  if (std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") == 0) {
    const auto check = "/usr/bin/python3 " CLI_SCHEMA_VALIDATOR " " CLI_SCHEMAS "/bench.schema.json ";
    EXPECT_EQ(std::system((check + (out() / "results.json").string() + " >&2").c_str()), 0);
    const auto other = (out() / "other.json").string();
    auto changed = document;
    changed["rows"][0].erase("column");
    std::ofstream(other) << changed;
    EXPECT_NE(std::system((check + other + " >&2").c_str()), 0);
  }
  EXPECT_EQ(document.at("size"), "full");
  EXPECT_EQ(document.at("parts").at("loops").at("data").at("loops"), json::parse(k_loops));
  const auto tree = value_of(document, "EXP/16", "wstree");
  EXPECT_EQ(tree.at("part"), "loops");
  EXPECT_EQ(tree.at("runtime"), "libomp");
  EXPECT_EQ(tree.at("value"), 1.06);
  EXPECT_EQ(tree.at("spread"), 0.25);
  EXPECT_EQ(value_of(document, "EXP/16", "static without the library").at("value"), 1.97);
  const auto calls = value_of(document, "loop/wstree/P=1", "bare");
  EXPECT_EQ(calls.at("value"), 31.5);
  EXPECT_EQ(calls.at("part"), "calls");
  EXPECT_EQ(calls.at("runtime"), "libomp");
  EXPECT_EQ(value_of(document, "EXP/16", "seq ms"), nullptr) << "a fact is not compared";
  EXPECT_EQ(document.at("verdicts").size(), 3U);
  EXPECT_EQ(document.at("noise").at("dropped"), 3);
  EXPECT_EQ(document.at("noise").at("worst"), "loops libomp EXP/16 wstree");
  EXPECT_THAT(document.at("failures"), testing::IsEmpty());
  for (const auto* line :
       {"Verdict, loops\n", "  yes  libomp, worst over ideal: limit 1.100, worst 1.060, holds for 1 of 1\n",
        "  NO   libomp, best peer: limit 1.020, worst 1.500, holds for 0 of 1\n",
        "  yes  libomp, loop: limit 30.000, worst 20.500, holds for 1 of 1\n",
        "; 3 samples not used because other work held their threads up; ", "The machine was not quiet: "})
    EXPECT_THAT(result.out, HasSubstr(line));
}

TEST_F(Bench, AProgramThatFailsIsNamedAndTheOthersGoOn) {
  write("overhead.fails", "");
  const auto result = bench({"--parts", "loops,calls"});
  EXPECT_EQ(result.status(), 1);
  EXPECT_EQ(result.err,
            "wstree: calls, libomp: " + (programs() / "overhead").string() + " failed: status 7\n");
  EXPECT_THAT(results().at("failures"),
              ElementsAre("calls, libomp: " + (programs() / "overhead").string() + " failed: status 7"));
  EXPECT_EQ(value_of(results(), "EXP/16", "wstree").at("value"), 1.06);
}

TEST_F(Bench, AnInterruptionEndsAllOfIt) {
  write("loops", "#!/bin/sh\ncase \"$*\" in *UNIFORM/1k*|*--list*) exit 0;; esac\nkill -INT $$\n",
        k_executable);
  const auto result = bench({"--parts", "loops,calls"});
  EXPECT_EQ(result.status(), 1);
  EXPECT_EQ(result.err, "wstree: interrupted: the parts that were not finished are missing\n");
  EXPECT_THAT(result.out, Not(HasSubstr("program overhead")));
}

/// Two documents with one value each, and what is said of them.
class Comparing : public Bench {
protected:
  static json document(double value, json spread = nullptr) {
    json row{
        {"part", "loops"}, {"runtime", "libomp"}, {"row", "EXP/16"}, {"column", "wstree"}, {"value", value}};
    if (!spread.is_null()) row["spread"] = std::move(spread);
    return {{"schema", 1}, {"rows", json::array({row})}};
  }
  Result compare(const json& a, const json& b) {
    const auto before = folder_.write("a.json", a.dump(), k_data),
               after = folder_.write("b.json", b.dump(), k_data);
    return wstree({"bench", "--compare", before, after});
  }
};

TEST_F(Comparing, AValueThatIsWorseBeyondItsSpread) {
  const auto worse = compare(document(1.0, 0.01), document(1.05, 0.01));
  EXPECT_EQ(worse.status(), 1);
  EXPECT_EQ(worse.out, "worse                        A     B    B/A  allowed\n"
                       "loops libomp EXP/16, wstree  1  1.05  1.050    4.0 %\n\n"
                       "1 values are worse in B, 0 better, 0 as they were; 0 only in A, 0 only in B\n");
  const auto within = compare(document(1.0, 0.01), document(1.05, 0.02));
  EXPECT_EQ(within.status(), 0);
  EXPECT_THAT(within.out, StartsWith("0 values are worse in B, 0 better, 1 as they were; "));
  const auto better = compare(document(1.05, 0.01), document(1.0, 0.01));
  EXPECT_EQ(better.status(), 0);
  EXPECT_THAT(better.out, HasSubstr("0 values are worse in B, 1 better, 0 as they were; "));
}

TEST_F(Comparing, ValuesOfOneFileAndOtherMachinesAreNamed) {
  auto other = document(1);
  other["rows"][0]["row"] = "HILL/16";
  other["machine"]["processor"] = "another";
  const auto result = compare(document(1), other);
  EXPECT_EQ(result.status(), 0);
  EXPECT_THAT(result.out, HasSubstr("0 as they were; 1 only in A, 1 only in B\n"));
  EXPECT_THAT(result.out, HasSubstr("Not the same processor:  in A, another in B\n"));
}

} // namespace
} // namespace wstree::test
