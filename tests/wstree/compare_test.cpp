// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wstree compare with the library of this build and programs of gcc and clang. What its figures mean is
// tested with figures that are made up (paired_ratio.cpp): no test here depends on times. And what all
// commands print as JSON, against the schemas of tools/wstree/schemas.
#include "command.h"
#include "machines.h"

namespace wstree::test {
namespace {

class Compare : public testing::Test {
protected:
  void SetUp() override {
    if (!fs::exists(target("gcc_loops_runtime"))) GTEST_SKIP() << "there is no gcc here";
  }
  static Result compare(Arguments arguments) {
    arguments.insert(arguments.begin(), "compare");
    return run_with_real_library(arguments);
  }
  static json comparison(Arguments arguments) {
    arguments.insert(arguments.begin(), {"--export", "json", "-n", "1", "--seed", "7"});
    const auto result = compare(arguments);
    EXPECT_EQ(result.status(), 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }
  static Arguments variants_of(const json& comparison) {
    Arguments names;
    for (const auto& variant : comparison["variants"]) names.push_back(variant["name"]);
    return names;
  }
  /// What the variant called `name` sets WSTREE_LOOPS to; "none" if there is no such variant.
  static std::string loops_of(const json& comparison, const std::string& name) {
    for (const auto& variant : comparison["variants"])
      if (variant["name"] == name) return variant["settings"].value("WSTREE_LOOPS", "");
    return "none";
  }
};

TEST_F(Compare, RunsEachScheduleOfARuntimeLoop) {
  const auto result = comparison({"--", target("gcc_loops_runtime")});
  ASSERT_TRUE(result.is_object());
  EXPECT_THAT(variants_of(result),
              testing::ElementsAre("as it is", "static", "dynamic,1", "guided", "wstree",
                                   "wstree, WSTREE_BIND=none", "as it is, OMP_WAIT_POLICY=passive",
                                   "wstree, OMP_WAIT_POLICY=passive", "one thread"));
  EXPECT_EQ(result["seed"], 7);
  EXPECT_EQ(result["rounds"], 1);
  EXPECT_THAT(result["warnings"], testing::IsEmpty());
  for (const auto& variant : result["variants"]) {
    EXPECT_EQ(variant["seconds"].size(), 1U);
    EXPECT_EQ(variant["output"], "same");
  }
  EXPECT_EQ(result["gain"]["verdict"], "too few to tell");
  ASSERT_EQ(result["loops"].size(), 1U);
  EXPECT_THAT(result["loops"][0]["name"].get<std::string>(), HasSubstr("loops.c:"));
  EXPECT_THAT(result["paragraph"].get<std::string>(), HasSubstr("too few rounds"));
}

TEST_F(Compare, LeavesLiteralLoopsAsTheyAre) {
  const auto result = comparison({"--loops", target("gcc_loops_dynamic")});
  EXPECT_THAT(variants_of(result), Not(testing::Contains("guided")));
  EXPECT_THAT(variants_of(result), testing::Contains("wsguided"));
  EXPECT_EQ(loops_of(result, "wstree"), "dynamic");
  EXPECT_THAT(result["loops"][0]["variants"].size(), testing::Ge(5U));
}

TEST_F(Compare, HasStaticLoopsThatBalanceThemselves) {
  if (!fs::exists(target("uneven"))) GTEST_SKIP() << "there is no clang with OpenMP here";
  const auto alone = comparison({"--", target("uneven")});
  EXPECT_EQ(loops_of(alone, "wstree"), "static");
  EXPECT_EQ(loops_of(alone, "wstree, static loops balanced"), "none") << "there are no others";
  EXPECT_THAT(variants_of(alone), Not(testing::Contains("dynamic,1")));
  EXPECT_THAT(alone["warnings"], testing::IsEmpty());
  ASSERT_EQ(alone["loops"].size(), 1U);
  EXPECT_THAT(alone["loops"][0]["name"].get<std::string>(), HasSubstr("uneven.c:"));
  const auto both = comparison({"--", target("uneven_and_runtime")});
  EXPECT_THAT(variants_of(both), testing::IsSupersetOf({"dynamic,1", "wstree"}));
  EXPECT_EQ(loops_of(both, "wstree"), "");
  EXPECT_EQ(loops_of(both, "wstree, static loops balanced"), "runtime,static");
  EXPECT_THAT(both["warnings"], testing::IsEmpty());
}

TEST_F(Compare, TriesTheFastCpusAlone) {
  const TemporaryFolder folder;
  const auto machine = folder.write("machine.xml", k_slow_and_fast, k_data);
  const auto names = [&](const char* threads) {
    const auto result =
        run_with_real_library({"compare", "--export", "json", "-n", "1", "--", target("gcc_loops_runtime")},
                              {{"HWLOC_XMLFILE", machine}, {"OMP_NUM_THREADS", threads}});
    EXPECT_EQ(result.status(), 0) << result.err;
    return variants_of(json::parse(result.out, nullptr, false));
  };
  EXPECT_THAT(names(""), testing::IsSupersetOf({"as it is, fast CPUs only", "wstree, fast CPUs only"}));
  EXPECT_THAT(names("2"), Not(testing::Contains("as it is, fast CPUs only")));
}

TEST_F(Compare, SaysThatOutputsDiffer) {
  const auto result = comparison(
      {"--", "/bin/sh", "-c", target("gcc_loops_runtime") + "; echo ${LD_PRELOAD:+served}${OMP_SCHEDULE}"});
  EXPECT_THAT(result["warnings"].dump(), HasSubstr("the output of 'wstree' differs"));
  const auto varies = comparison({"--", "/bin/sh", "-c", target("gcc_loops_runtime") + "; echo $$"});
  EXPECT_THAT(varies["warnings"].dump(), HasSubstr("prints something else in each run"));
}

TEST_F(Compare, HasAStatusForScripts) {
  const auto loops = target("gcc_loops_runtime");
  const std::tuple<Arguments, int, const char*> rows[] = {
      {{loops, "3"}, 125, "exit status 3; --ignore-failure compares it"},
      {{"-i", loops, "3"}, 0, ""},
      {{target("plain")}, 125, "no loop"},
      {{"./nowhere"}, 127, ""},
      {{"--require-gain", "5", loops}, 1, "a gain of 5 % is not certain"},
      {{"--fail-if-slower", "2", loops}, 0, ""}, // one round proves no loss
  };
  for (auto [arguments, status, words] : rows) {
    arguments.insert(arguments.begin(), {"-n", "1"});
    const auto result = compare(arguments);
    EXPECT_EQ(result.status(), status) << result.err;
    EXPECT_THAT(result.err, HasSubstr(words));
  }
}

TEST_F(Compare, KeepsBaselinesAndComparesWithThem) {
  const TemporaryFolder folder;
  const auto base = folder / "base.json";
  const auto saved = compare({"-n", "2", "--warm-up", "1", "--save", base, target("gcc_loops_runtime")});
  EXPECT_EQ(saved.status(), 0) << saved.err;
  EXPECT_THAT(saved.out, Not(HasSubstr("guided"))) << "only what is compared is run";
  const auto now = compare({"-n", "2", "--against", base, target("gcc_loops_runtime")});
  EXPECT_EQ(now.status(), 0) << "two rounds prove no loss";
  EXPECT_THAT(now.out, HasSubstr("against " + base));
  EXPECT_THAT(now.out, HasSubstr("too few to tell"));
  // As if the program had been a thousand times as fast on an earlier day.
  auto document = json::parse(contents(base));
  for (auto& variant : document["variants"]) variant["seconds"] = std::vector<double>(20, 1e-6);
  std::ofstream(base) << document.dump();
  const auto slow = compare({"-n", "8", "--against", base, target("gcc_loops_runtime")});
  EXPECT_EQ(slow.status(), 1);
  EXPECT_THAT(slow.err, HasSubstr("the program is slower than in '" + base + "' by more than 2 %"));
  const auto kept = contents(base);
  for (const char* const option : {"--save", "--against"}) {
    const auto other = compare({option, base, "/bin/true"});
    expect_refused(other, std::string(option) + ": '" + base + "' has times of '");
    EXPECT_THAT(other.err, testing::EndsWith("gcc_loops_runtime', and the program is '/bin/true' now\n"));
  }
  EXPECT_EQ(contents(base), kept);
  EXPECT_THAT(compare({"-n", "1", "--against", base, target("gcc_loops_runtime"), "3"}).err,
              HasSubstr("has times with the arguments '', which are '3' now"));
  std::ofstream(base) << "no baseline";
  EXPECT_EQ(compare({"--against", base, target("gcc_loops_runtime")}).status(), 125);
  EXPECT_EQ(compare({"--save", base, target("gcc_loops_runtime")}).status(), 125) << "a file of another kind";
  EXPECT_EQ(contents(base), "no baseline");
}

TEST_F(Compare, WritesFiles) {
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return folder / name; };
  const auto result =
      compare({"-n", "1", "--rules", file("rules"), "--svg", file("svg"), "--export", "csv=" + file("csv"),
               "--export", "markdown=" + file("md"), target("gcc_loops_runtime")});
  EXPECT_EQ(result.status(), 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("1 round in shuffled order (--seed "));
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(contents(file("rules")), testing::ContainsRegex("\n(# )?loops.c:[0-9]+ wstree"));
  EXPECT_THAT(result.err, HasSubstr("-n 1: fewer than 8 rounds cannot tell"));
  EXPECT_THAT(compare({"-n", "8", "--loops", target("gcc_loops_runtime")}).err,
              HasSubstr("-n 8: fewer than 10 rounds cannot tell for certain which of 3 "));
  EXPECT_THAT(contents(file("svg")), testing::AllOf(StartsWith("<?xml"), HasSubstr("class=\"bar\"")));
  EXPECT_THAT(contents(file("csv")), HasSubstr("\"dynamic,1\",1,"));
  EXPECT_THAT(contents(file("md")), HasSubstr("| guided | "));
  EXPECT_THAT(contents(file("md")), HasSubstr("too few to tell")) << "of one round";
}

TEST_F(Compare, TriesRulesByTheCommandThatItRecommends) {
  const TemporaryFolder folder;
  const auto log = folder / "log", rules = folder / "rules";
  const auto script = target("gcc_loops_runtime") + "; echo ${WSTREE_WAIT:-unset} >>" + log;
  EXPECT_EQ(compare({"-n", "2", "--rules", rules, "/bin/sh", "-c", script}).status(), 0);
  const auto runs = contents(log);                     // only wstree run sets the variable
  EXPECT_EQ(std::ranges::count(runs, 'a'), 2) << runs; // of "auto"
}

TEST_F(Compare, LooksAtItsFilesBeforeItMeasures) {
  const TemporaryFolder folder;
  const auto mark = folder / "ran";
  for (const char* const option :
       {"--svg=/nowhere/picture", "--export=json=/nowhere/json", "--rules=/nowhere/rules"}) {
    const auto result = compare({option, "/bin/sh", "-c", "touch " + mark});
    EXPECT_EQ(result.status(), 125) << option;
    EXPECT_THAT(result.err, HasSubstr("cannot be written")) << option;
  }
  EXPECT_FALSE(fs::exists(mark)) << "the program has run";
}

TEST_F(Compare, EndsByOtherSignalsAsByCtrlC) {
  const TemporaryFolder folder;
  const auto svg = folder / "svg";
  for (const char* const signal : {"INT", "TERM", "HUP"}) {
    const auto result = compare(
        {"--svg", svg, "/bin/sh", "-c", target("gcc_loops_runtime") + "; kill -" + signal + " $PPID"});
    EXPECT_EQ(result.status(), 1) << signal << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr("no round was finished")) << signal;
    EXPECT_FALSE(fs::exists(svg)) << "a picture of nothing";
  }
}

TEST_F(Compare, OverwritesOnlyRulesOfItsOwn) {
  const TemporaryFolder folder;
  const auto rules = folder / "rules";
  std::ofstream(rules) << "loops.c:1-99 wsrange\n";
  const auto refused = compare({"--rules", rules, target("gcc_loops_runtime")});
  EXPECT_EQ(refused.status(), 125);
  EXPECT_THAT(refused.err, HasSubstr("would be overwritten"));
  EXPECT_EQ(contents(rules), "loops.c:1-99 wsrange\n");
  std::ofstream(rules) << "# wstree compare, 1 round of heat: the schedule that is best for each loop.\n";
  EXPECT_EQ(compare({"-n", "1", "--rules", rules, target("gcc_loops_runtime")}).status(), 0);
}

class Schemas : public testing::Test {
protected:
  void SetUp() override {
    if (std::system("/usr/bin/python3 -c 'import jsonschema' 2>/dev/null") != 0)
      GTEST_SKIP() << "needs python3-jsonschema";
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

  /// Whether `document` is what the schema says.
  [[nodiscard]] bool is_valid(const std::string& schema, const std::string& document) const {
    std::ofstream(file("document")) << document;
    const auto command = "/usr/bin/python3 " CLI_SCHEMA_VALIDATOR " " CLI_SCHEMAS "/" + schema +
                         ".schema.json " + file("document") + " >&2";
    return std::system(command.c_str()) == 0;
  }
  void expect_valid(const std::string& schema, const Arguments& arguments) const {
    const auto result = run_with_real_library(arguments);
    EXPECT_TRUE(is_valid(schema, result.out)) << schema << result.out.substr(0, 2000) << result.err;
  }
  /// A program with a served loop.
  [[nodiscard]] std::string loops() const { return target("gcc_loops_runtime"); }

  TemporaryFolder folder_;
};

TEST_F(Schemas, OfWhatCommandsSayOfTheMachineAndAProgram) {
  for (const std::string command : {"env", "topo", "doctor", "help"})
    expect_valid(command, {command, "--json"});
  expect_valid("help", {"help", "rules", "--json"});
  expect_valid("rules", {"rules", "--json", loops()});
  expect_valid("rules", {"rules", "--json", "--check", "* wsrange; nothing* off", loops()});
  expect_valid("compare", {"compare", "-n", "2", "--export", "json", "--", loops()});
}

TEST_F(Schemas, OfFilesOfTheLibraryAndWhatIsMadeOfThem) {
  const auto result = run_with_real_library(
      {"run", "--stats=json=" + file("stats"), "--counters", "--trace=" + file("trace"), "--", loops()},
      {{"WSTREE_RECORD", file("record")}});
  ASSERT_EQ(result.status(), 0) << result.err;
  EXPECT_TRUE(is_valid("statistics", contents(file("stats"))));
  EXPECT_TRUE(is_valid("trace", contents(file("trace"))));
  expect_valid("stats", {"stats", "--json", file("stats")});
  expect_valid("report", {"report", "--json", file("stats"), file("trace")});
  expect_valid("report", {"report", "--json", file("record")});
  expect_valid("report", {"report", "--json", file("stats"), "--against", file("stats")});
  expect_valid("trace", {"trace", file("trace"), "-o", "-"});
  // A key that is missing, and one that is new.
  auto report = json::parse(run_with_real_library({"report", "--json", file("stats")}).out), other = report;
  other["loops"][0].erase("imbalance");
  EXPECT_FALSE(is_valid("report", other.dump()));
  report["surprise"] = 1;
  EXPECT_FALSE(is_valid("report", report.dump()));
}

} // namespace
} // namespace wstree::test
