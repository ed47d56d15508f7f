// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_RULES: which loops of a program are served, and how. The C and Fortran interfaces: labels and hints
// of loops, in statistics, traces and rules; statistics inside the program; calls of the C++ library; sums.
// On both compilers, and without the library.
#include "process.h"

#include <nlohmann/json.hpp>

namespace {

using namespace wstree::test;
using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

std::string everything_done(int threads = 4) {
  std::string lines;
  for (int k = 0; k < 3; ++k)
    for (const char* loop : {"first 1000 ", "second 2000 ", "dynamic 3000 "})
      lines += loop + std::to_string(threads) + '\n';
  return lines;
}

/// The loops in statistics.
json loops_in(const std::string& statistics) {
  const json report = json::parse(statistics, nullptr, false);
  if (report.is_discarded()) ADD_FAILURE() << statistics;
  return report.is_object() ? report.at("loops") : json::array();
}

/// "label iterations schedule" of every loop in the statistics on stderr, as far as `keys` says. The
/// iterations are those of one of `times` executions.
std::vector<std::string> words_of(const Outcome& outcome, const std::string& keys, long times = 1) {
  std::vector<std::string> loops;
  for (const json& loop : loops_in(outcome.err)) {
    std::string text = keys.find('l') != std::string::npos ? loop.value("label", "-") + ' ' : "";
    text += std::to_string(loop.at("iterations").get<long>() / times);
    if (keys.find('s') != std::string::npos) text += ' ' + loop.at("schedule").get<std::string>();
    loops.push_back(text);
  }
  return loops;
}

/// What was served of programs/ruled.cpp.
std::vector<std::string> served(const Outcome& outcome) { return words_of(outcome, "s", 3); }

json loop_of(const Outcome& outcome, int iterations) {
  for (const json& loop : loops_in(outcome.err))
    if (loop.at("iterations") == 3 * iterations) return loop;
  ADD_FAILURE() << outcome.text();
  return {};
}

class Rules : public testing::TestWithParam<const char*> {
protected:
  static Outcome run(const std::string& rules, bool with_schedule = true, int threads = 4) {
    Program program(GetParam());
    program.preload().set("WSTREE_STATS", "json").set("WSTREE_RULES", rules);
    if (with_schedule) program.set("OMP_SCHEDULE", "wstree");
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_EQ(outcome.out, everything_done(threads)) << rules;
    return outcome;
  }
};

TEST_P(Rules, AnAppOrEverythingCanBeLeftAlone) {
  for (const char* rules : {"* off", "app:rul* off", "* wstree; app:ruled* runtime"})
    EXPECT_THAT(served(run(rules)), IsEmpty()) << rules;
  EXPECT_THAT(served(run("app:another* off")), UnorderedElementsAre("1000 wstree", "2000 wstree"));
}

TEST_P(Rules, ALoopIsFoundByItsCodeLocation) {
  const Outcome all = run("* history=off");
  ASSERT_THAT(served(all), UnorderedElementsAre("1000 wstree", "2000 wstree"));
  const json loop = loop_of(all, 1000);
  std::ostringstream text;
  text << "+0x" << std::hex << loop.at("offset").get<std::uint64_t>();
  const std::string offset = text.str();
  const auto build_id = loop.at("build_id").get<std::string>();
  if (!build_id.empty()) {
    EXPECT_THAT(served(run(build_id + offset + " off")), ElementsAre("2000 wstree"));
  }
  EXPECT_THAT(served(run(std::string(GetParam()) + offset + " wsrange,64")),
              UnorderedElementsAre("1000 wsrange", "2000 wstree"));
}

TEST_P(Rules, AScheduleForALoopNeedsNoVariable) {
  EXPECT_THAT(served(run("ruled* wsrange", false)),
              UnorderedElementsAre("1000 wsrange", "2000 wsrange", StartsWith("3000 wsrange")));
  EXPECT_THAT(served(run("* loops=dynamic", false)), ElementsAre("3000 wstree (dynamic)"));
}

TEST_P(Rules, ChunksOfTheSourceAreSharedIfARuleSaysSo) {
  const auto batches = [](const std::string& rules) {
    return loop_of(run(rules, false), 3000).at("batches").get<int>();
  };
  EXPECT_EQ(batches("* wsfixed"), 3 * 3000 / 10) << "dynamic,10 hands out tens";
  EXPECT_EQ(batches("* wsfixed,1"), 3 * 3000 / 10);
  EXPECT_EQ(batches("* wsfixed chunk=1"), 3 * 3000);
}

TEST_P(Rules, RegionsGetTheThreadsThatRulesSayUnlessTheyAskForOne) {
  run("* threads=3", true, 3);
  const Outcome outcome = with_tree(GetParam(), {"sizes"}).set("WSTREE_RULES", "* threads=4").run();
  EXPECT_EQ(outcome.out, "1 4 1 4\n") << outcome.text();
}

TEST_P(Rules, TheLastMatchCountsAndComesFromAFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "rules") << "# first\n* off\n\n* wsqueue\nnothing-such off\n";
  EXPECT_THAT(served(run(folder / "rules")),
              UnorderedElementsAre("1000 wsqueue", "2000 wsqueue", "3000 wsqueue (dynamic)"));
}

TEST_P(Rules, ABadLineGetsOneMessageWithItsNumber) {
  const TemporaryFolder folder;
  std::ofstream(folder / "rules") << "* off\n\n*x* wstre\n";
  const Outcome outcome = with_tree(GetParam()).set("WSTREE_RULES", folder / "rules").run();
  EXPECT_EQ(outcome.out, everything_done());
  EXPECT_EQ(outcome.err,
            "wstree: " + (folder / "rules") +
                ":3: 'wstre' is neither a schedule of the library nor one of runtime, off, loops=, threads=, "
                "history=, chunk=1, bind=; the line is left out\n");
}

TEST(RuleOfHistory, OffMeansThatNothingIsKnownOfALoop) {
  const auto known = [](const char* rules) {
    const Outcome outcome = with_tree("loops").set("WSTREE_STATS", "json").set("WSTREE_RULES", rules).run();
    return json::parse(outcome.err).at("loops").at(0).at("known_shares").get<int>();
  };
  EXPECT_GT(known("* history=on"), 0);
  EXPECT_EQ(known("* history=off"), 0);
}

INSTANTIATE_TEST_SUITE_P(OfBothCompilers, Rules, testing::Values("ruled", "ruled_gcc"));

/// The parameter is the compiler, "" or "_gcc".
class OfEachCompiler : public testing::TestWithParam<const char*> {
protected:
  /// Runs a program with `format` statistics and expects this output.
  static Outcome run(const char* name, const std::string& out, Program (*start)(Program),
                     const std::map<std::string, std::string>& more = {}) {
    Program program = start(Program(std::string(name) + GetParam()));
    for (const auto& [variable, value] : more) program.set(variable, value);
    const Outcome outcome = program.run();
    EXPECT_EQ(outcome.out, out) << outcome.text();
    return outcome;
  }
  static Program alone(Program program) { return program; }
  static Program asked(Program program) { return program.preload().set("WSTREE_STATS", "json"); }
  static Program served(Program program) { return asked(std::move(program)).set("OMP_SCHEDULE", "wstree"); }

  static constexpr const char *k_labelled = "12000\n", *k_hinted = "3367\n";
};

INSTANTIATE_TEST_SUITE_P(Interface, OfEachCompiler, testing::Values("", "_gcc"));

TEST_P(OfEachCompiler, LabelsNameTheNextLoopAndNoOther) {
  const Outcome outcome = run("labelled", k_labelled, served);
  // The loop of 300 with and without label; those of 400 and 500 ran twice, and
  // 100, 200 and 600 are one loop.
  EXPECT_THAT(words_of(outcome, "l", 3), UnorderedElementsAre("assembly 100", "- 800", "first 300", "- 300",
                                                              "second 400", "- 400", "- 1000", "alone 700"));
}

TEST_P(OfEachCompiler, LabelsAreMatchedByRules) {
  const Outcome outcome =
      run("labelled", k_labelled, served,
          {{"WSTREE_RULES", "label:assem* wsrange; label:second off; label:al?ne wsqueue"}});
  const auto loops = words_of(outcome, "ls", 3);
  EXPECT_THAT(loops,
              IsSupersetOf({"assembly 100 wsrange", "- 800 wstree", "alone 700 wsqueue", "- 400 wstree"}));
  for (const auto& loop : loops) EXPECT_THAT(loop, Not(StartsWith("second")));
}

TEST_P(OfEachCompiler, LabelsStandInTextAndTraces) {
  const TemporaryFolder folder;
  const Outcome outcome = run("labelled", k_labelled, served,
                              {{"WSTREE_STATS", "text"}, {"WSTREE_TRACE", folder / "trace.json"}});
  EXPECT_THAT(outcome.err, HasSubstr("\n  assembly "));
  const json trace = json::parse(contents_of(folder / "trace.json"), nullptr, false);
  ASSERT_FALSE(trace.is_discarded()) << outcome.text();
  std::set<std::string> names, labels;
  for (const json& event : trace.at("traceEvents"))
    if (event.value("cat", "") == "loop") names.insert(event.at("name").get<std::string>());
  for (const json& site : trace.at("otherData").at("sites")) labels.insert(site.value("label", ""));
  EXPECT_THAT(names, IsSupersetOf({"assembly", "first", "second", "alone"}));
  EXPECT_THAT(labels, UnorderedElementsAre("", "assembly", "first", "second", "alone"));
}

TEST_P(OfEachCompiler, NothingHappensWithoutTheLibraryOrItsSchedule) {
  run("labelled", k_labelled, alone);
  run("hinted", k_hinted, alone);
  EXPECT_EQ(run("labelled", k_labelled, asked, {{"WSTREE_STATS", "text"}}).err, "");
}

TEST_P(OfEachCompiler, HintsChooseTheScheduleOfTheFirstLoopOfTheNextRegion) {
  // Loops at one place count together: 301 by its hint, 303 and 305 without.
  EXPECT_THAT(words_of(run("hinted", k_hinted, served), "s"),
              IsSupersetOf({"301 wsqueue", "608 wstree", "912 wstree", "307 wsrange", "308 wstree",
                            "309 wsfixed (dynamic)", "312 wsfac2", "1244 wstree"}));
  EXPECT_THAT(words_of(run("hinted", k_hinted, asked), "s"),
              UnorderedElementsAre("301 wsqueue", "307 wsrange", "309 wsfixed (dynamic)", "312 wsfac2"))
      << "no option names them";
  EXPECT_THAT(words_of(run("hinted", k_hinted, served, {{"WSTREE_RULES", "* wstrapezoid"}}), "s"),
              IsSupersetOf({"909 wstrapezoid", "615 wstrapezoid", "312 wstrapezoid"}))
      << "rules come first";
}

TEST_P(OfEachCompiler, CallsOfTheCppLibraryStandInTheStatistics) {
  const Outcome outcome = run("called", "4 300000\n", asked);
  std::set<std::string> names;
  for (const json& loop : loops_in(outcome.err)) {
    names.insert(loop.at("label").get<std::string>());
    EXPECT_EQ(loop.at("schedule"), "wstree (C++)");
    EXPECT_THAT(loop.at("where").get<std::string>(), HasSubstr("called.cpp:"));
    EXPECT_GT(loop.at("batches").get<int>(), 1);
  }
  EXPECT_THAT(names, IsSupersetOf({"assembly", "prefix"}));
  EXPECT_THAT(names, testing::Contains(StartsWith("called.cpp:")));
}

TEST_P(OfEachCompiler, CallsOfTheCppLibraryGetTheThreadsAndBatchesThatRulesSay) {
  const Outcome outcome =
      run("called", "3 300000\n", asked,
          {{"WSTREE_RULES", "label:assembly threads=3 wstree,100000; called.cpp:1-999 threads=2; "
                            "label:assembly threads=3"}});
  for (const json& loop : loops_in(outcome.err))
    if (loop.at("label") == "assembly") {
      // Three shares; a thief steals at least one batch.
      EXPECT_LE(loop.at("batches").get<int>(), 3 * 3 * 2);
    }
  EXPECT_EQ(json::parse(outcome.err).at("threads"), 3);
}

TEST_P(OfEachCompiler, SumsHaveTheBitsOfTheCppLibrary) {
  const Outcome outcome = Program(std::string("sums") + GetParam()).preload().run();
  EXPECT_THAT(outcome.out, StartsWith("7 353 0 ")) << outcome.text();
  run("sums", "absent\n", alone);
}

/// The examples, by the compilers of C and Fortran that are there.
std::vector<std::string> examples(bool with_c) {
  std::vector<std::string> programs;
  std::istringstream list(WSTREE_TEST_INTERFACE_PROGRAMS);
  for (std::string name; std::getline(list, name, ',');)
    if (with_c || name != "labelled_c_gcc") programs.push_back(name);
  return programs;
}

TEST(Examples, NameLoopsAndNeedNoLibrary) {
  const std::map<std::string, std::string> expected{{"assembly", "wstree"}, {"scaling", "wsstatic"}};
  for (const std::string& name : examples(true)) {
    const Outcome outcome = with_tree(name, {"3000", "statistics"}).set("WSTREE_STATS", "json").run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    for (const std::string& text : {outcome.err, outcome.out.substr(outcome.out.find('{'))}) {
      std::map<std::string, std::string> labels;
      for (const json& loop : loops_in(text)) labels[loop.value("label", "-")] = loop.at("schedule");
      EXPECT_EQ(labels, expected) << name << outcome.text();
    }
    const Outcome bare = Program(name, {"3000", "statistics"}).run();
    EXPECT_TRUE(bare.succeeded()) << bare.text();
    EXPECT_NE(bare.out, "");
    EXPECT_EQ(bare.err, "");
    EXPECT_THAT(bare.out, Not(HasSubstr("loops")));
  }
}

/// gfortran on libgomp and flang on libomp: the bits of the C++ library, for each number of threads.
TEST(FortranSums, HaveTheBitsOfTheCppLibrary) {
  // Short, with a last block that is not full, and long enough for a team.
  for (const char* n : {"3000", "40001"}) {
    const auto expected = lines_of(Program("sums_gcc", {n}).set("OMP_NUM_THREADS", "1").run().out);
    ASSERT_EQ(expected.size(), 2U) << n;
    for (int threads = 1; threads <= 8; threads += wide() || threads == 1 ? 1 : 3) {
      const auto run = [&](Program program) {
        auto lines = lines_of(program.set("OMP_NUM_THREADS", std::to_string(threads)).run().out);
        lines.resize(std::min<std::size_t>(lines.size(), 2));
        return lines;
      };
      EXPECT_EQ(run(Program("sums_gcc", {n})), expected) << n << " in C++ on " << threads;
      for (const std::string& name : examples(false)) {
        EXPECT_EQ(run(Program(name, {n})), expected) << name << n << " on " << threads << " alone";
        EXPECT_EQ(run(with_tree(name, {n})), expected) << name << n << " on " << threads;
      }
    }
  }
}

} // namespace
