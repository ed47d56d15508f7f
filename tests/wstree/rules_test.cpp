// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wstree rules: what rules match in a program of gcc.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::Not;

class RulesCommand : public testing::Test {
protected:
  RulesCommand() : folder_(std::filesystem::temp_directory_path() / ("rules-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "solver.c") << "#include <stdio.h>\n"
                                           "static double v[100];\n"
                                           "void first(void) {\n"
                                           "#pragma omp parallel for schedule(runtime)\n"
                                           "  for (int i = 0; i < 100; ++i) v[i] += i;\n"
                                           "}\n"
                                           "int main(void) {\n"
                                           "  first();\n"
                                           "#pragma omp parallel for schedule(dynamic)\n"
                                           "  for (int i = 0; i < 100; ++i) v[i] += i;\n"
                                           "  printf(\"%g\\n\", v[3]);\n"
                                           "}\n";
    program_ = (folder_ / "solver").string();
    const auto command = "gcc -g -O1 -fopenmp " + program_ + ".c -o " + program_;
    built_ = std::system(command.c_str()) == 0;
  }
  ~RulesCommand() override { std::filesystem::remove_all(folder_); }
  void SetUp() override {
#ifndef __x86_64__
    GTEST_SKIP() << "reads the calls of x86-64";
#endif
    if (!built_) GTEST_SKIP() << "needs gcc with OpenMP";
  }
  Result rules(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "rules");
    arguments.push_back(program_);
    return run({.arguments = std::move(arguments)});
  }
  Result rules_of_variable(const std::string& value) const {
    Start start{.arguments = {"rules", program_}};
    start.environment["WSTREE_RULES"] = value;
    return run(start);
  }

  std::filesystem::path folder_;
  std::string program_;
  bool built_ = false;
};

TEST_F(RulesCommand, ListsThePlacesThatRulesCanName) {
  const auto listed = rules({});
  EXPECT_EQ(listed.status(), 0) << listed.err;
  EXPECT_THAT(listed.out, HasSubstr("first()  GOMP_parallel_loop_maybe_nonmonotonic_runtime"));
  EXPECT_THAT(listed.out, HasSubstr("GOMP_parallel_loop_nonmonotonic_dynamic"));
}

TEST_F(RulesCommand, SaysWhatEachRuleMatches) {
  const auto checked = rules({"--check", "solver.c:3-5 wsrange; fir* off"});
  EXPECT_EQ(checked.status(), 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("first()"));
  EXPECT_THAT(checked.out, Not(HasSubstr("dynamic")));
}

TEST_F(RulesCommand, SaysThatTheLineOfAPragmaIsThatOfTheRegion) {
  std::ofstream(program_ + ".c") << "static double v[100];\n"
                                    "int main(int n, char** words) {\n"
                                    "#pragma omp parallel for \\\n"
                                    "    schedule(nonmonotonic : dynamic)\n"
                                    "  for (int i = 0; i < n; ++i)\n"
                                    "    v[i] += words != 0;\n"
                                    "}\n";
  ASSERT_EQ(std::system(("gcc -g -O1 -fopenmp " + program_ + ".c -o " + program_).c_str()), 0);
  const auto listed = rules({}).out;
  EXPECT_THAT(listed, HasSubstr("solver.c:3 main()  GOMP_parallel "));
  EXPECT_THAT(rules({"--check", "solver.c:3 wstree"}).out,
              HasSubstr("matches no loop: that is a region; its loop has line 5: write solver.c:3-5\n"));
  EXPECT_THAT(run({.arguments = {"run", "--rules", "solver.c:3 wstree", "--", program_}}).err,
              HasSubstr("rule 1 of --rules matches no loop: that is a region"));
  for (const auto* good : {"solver.c:3-5 wstree", "solver.c:5 wstree", "solver.c:3 threads=2"})
    EXPECT_THAT(rules({"--check", good}).out, Not(HasSubstr("matches no loop"))) << good;
}

TEST_F(RulesCommand, SaysWhyARuleMatchesNothing) {
  const auto far = rules({"--check", "solver.c:300 off"});
  EXPECT_EQ(far.status(), 1);
  EXPECT_THAT(far.out, HasSubstr("matches nothing: the nearest loop of that file is in line "));
  EXPECT_THAT(rules({"--check", "other.c:3 off"}).out, HasSubstr("no loop is in a file 'other.c'"));
  EXPECT_THAT(rules({"--check", "app:heat off"}).out, HasSubstr("the program is called 'solver'"));
}

TEST_F(RulesCommand, CannotCheckLabelsBeforeTheProgramRuns) {
  const auto checked = rules({"--check", "label:assembly off; * wsrange"});
  EXPECT_EQ(checked.status(), 0);
  EXPECT_THAT(checked.out, HasSubstr("rule 1: label:assembly off\n  cannot be checked: only the running "
                                     "program knows its labels\nrule 2: * wsrange\n"));
}

TEST_F(RulesCommand, SaysWhatIsNotUnderstood) {
  const auto bad = rules({"--check", "* off; * wstre"});
  EXPECT_EQ(bad.status(), 125);
  EXPECT_THAT(
      bad.out,
      HasSubstr("rule 2: * wstre\n  is not understood: 'wstre' is neither a schedule of the "
                "library nor one of runtime, off, loops=, threads=, history=, chunk=1, bind=; did you "
                "mean wstree?\n"));
  for (const auto& [rule, meant] : {std::pair{"* wsguide,8", "wsguided"},
                                    {"* monotonic:wsstaic", "wsstatic"},
                                    {"* of", "off"},
                                    {"* thread=4", "threads="},
                                    {"* loops=runtime,dynamc", "dynamic"},
                                    {"* history=onn", "on"},
                                    {"* bind=spred", "spread"}})
    EXPECT_THAT(rules({"--check", rule}).out, HasSubstr("; did you mean " + std::string(meant) + "?\n"));
  for (const auto* rule : {"* sections", "* wstree,0", "* threads=x", "a.c:1 bind=none", "a.c:1 ; * off"})
    EXPECT_THAT(rules({"--check", rule}).out, Not(HasSubstr("did you mean"))) << rule;
  EXPECT_THAT(rules_of_variable("* off; * wstre").out, HasSubstr("rule 2 of WSTREE_RULES: * wstre\n"));
  const auto file = (folder_ / "of.rules").string();
  std::ofstream(file) << "# none\n* off\n  * wstre\n";
  EXPECT_THAT(rules({"--check", file}).out, HasSubstr(file + ":3: * wstre\n  is not understood: "));
}

TEST_F(RulesCommand, NamesWhatCannotBeRead) {
  const std::string missing =
      "'of.rules' cannot be read: No such file or directory; instead of a file, rules "
      "look like \"* wsrange\"\n";
  const auto typed = rules({"--rules", "of.rules"});
  EXPECT_EQ(typed.status(), 125);
  EXPECT_EQ(typed.err, "wstree: " + missing);
  EXPECT_EQ(rules_of_variable("of.rules").err, "wstree: WSTREE_RULES: " + missing);
  EXPECT_THAT(rules({"--check", folder_.string()}).err, HasSubstr("cannot be read: it is a folder; "));
  const auto ran = run({.arguments = {"run", "--rules", "of.rules", program_}});
  EXPECT_EQ(ran.status(), 125);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err, "wstree: --rules " + missing);
}

TEST_F(RulesCommand, AFileOfRulesHasAnEnd) {
  for (const auto* endless : {"/dev/zero", "/dev/full"}) {
    const auto checked = rules({"--check", endless});
    EXPECT_EQ(checked.status(), 125);
    EXPECT_EQ(checked.err, "wstree: '" + std::string(endless) +
                               "' cannot be read: it has no end within 4194304 bytes, and files of rules are "
                               "shorter; instead of a file, rules look like \"* wsrange\"\n");
  }
  EXPECT_EQ(rules({"--check", "/dev/null"}).status(), 0);
}

TEST_F(RulesCommand, RunSaysWhichRulesMatchNothing) {
  const auto said = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    arguments.push_back(program_);
    return run({.arguments = std::move(arguments)}).err;
  };
  EXPECT_THAT(
      said({"--rules", "* off; solver.c:30-40 wstree"}),
      testing::ContainsRegex("wstree: rule 2 of --rules matches nothing: the nearest loop of that file is in "
                             "line [0-9]+\n"));
  EXPECT_THAT(said({"--rules", "* off; solver.c:3-5 wstree"}), Not(HasSubstr("matches nothing")));
  const std::string others = "* off; other.c:3 wstree; label:x off";
  EXPECT_THAT(said({"--rules", others}), Not(HasSubstr("matches nothing")))
      << "it may be for another program";
  const auto all = said({"--verbose", "--rules", others});
  EXPECT_THAT(all, HasSubstr("rule 2 of --rules matches nothing: no loop is in a file 'other.c'\n"));
  EXPECT_THAT(all, Not(HasSubstr("rule 3")));
}

TEST_F(RulesCommand, ResolvesLinesBehindTheRulesThatNameThem) {
  const auto resolved = rules({"--resolved", "--check", "* wstree; solver.c:3-5 off # why"});
  EXPECT_THAT(resolved.out,
              testing::MatchesRegex("\\* wstree\n solver.c:3-5 off # why\n([0-9a-f]+\\+0x[0-9a-f]+ off\n)+"));
}

} // namespace
