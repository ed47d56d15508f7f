// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `wstree doctor` and `wstree run --loops` with the library of this build and programs of real compilers.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace wstree::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

/// The parameter is the beginning of the programs' names: one compiler each.
class DoctorServed : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(loops("runtime"))) GTEST_SKIP() << "there is no such compiler here";
  }

  static std::string loops(const char* schedule) { return target(std::string(GetParam()) + schedule); }

  static Result wstree(Arguments arguments, const std::map<std::string, std::string>& more = {}) {
    return run_with_real_library(std::move(arguments), more);
  }

  /// The last check of this name.
  static json check(const std::string& name, const std::string& program,
                    const std::map<std::string, std::string>& more = {}) {
    const auto result = wstree({"doctor", "--json", program}, more);
    EXPECT_EQ(result.err, "ran\n");
    json found;
    const auto document = json::parse(result.out);
    for (const auto& check : document["checks"]) {
      EXPECT_NE(check["status"], "fail") << check;
      if (check["name"] == name) found = check;
    }
    return found;
  }
};

INSTANTIATE_TEST_SUITE_P(Of, DoctorServed, testing::Values("loops_", "gcc_loops_"), [](const auto& test) {
  return std::string(test.param) == "loops_" ? "Clang" : "Gcc";
});

TEST_P(DoctorServed, CountsLoopsOfTheEnvironment) {
  EXPECT_EQ(check("trial", loops("runtime"))["found"], "served: 1 schedule(runtime) loop in 1 execution");
  EXPECT_EQ(check("trial", loops("runtime"), {{"WSTREE_LOOPS", "dynamic"}})["status"], "warn");
}

TEST_P(DoctorServed, CountsLoopsWithAScheduleOfTheirOwn) {
  EXPECT_EQ(check("trial", loops("dynamic"))["status"], "warn");
  EXPECT_EQ(check("trial", loops("dynamic"), {{"WSTREE_LOOPS", "dynamic"}})["found"],
            "served: 1 schedule(dynamic) loop in 1 execution");
}

TEST_P(DoctorServed, NamesStaticLoopsAndHowToServeThem) {
  EXPECT_THAT(check("loops", loops("static"))["found"].get<std::string>(), HasSubstr("machine code proves"));
  const auto found = check("loops", loops("static"), {{"WSTREE_LOOPS", "runtime"}});
  EXPECT_EQ(found["status"], "warn");
  if (std::string(GetParam()) == "loops_") {
    EXPECT_THAT(found["fix"].get<std::string>(), HasSubstr("WSTREE_LOOPS=static"));
  } else {
    EXPECT_THAT(found["found"].get<std::string>(), testing::ContainsRegex("; static: loops\\.c:1[0-9] main"));
    EXPECT_THAT(found["fix"].get<std::string>(), HasSubstr("-fplugin=$(wstree path --gcc-plugin)"));
  }
  EXPECT_EQ(check("loops", loops("static"), {{"WSTREE_LOOPS", "static"}})["status"], "ok");
}

TEST(Trial, LeavesTheOrderOfOtherLoopsAsItIs) {
  if (!std::filesystem::exists(target("ascending"))) GTEST_SKIP() << "there is no gcc here";
  const auto trial = run_with_real_library({"doctor", "--json", target("ascending")}, {});
  EXPECT_EQ(trial.err, "ascending\n") << "the trial serves a loop that wstree run would not";
  EXPECT_THAT(trial.out, HasSubstr("no loop was served"));
  EXPECT_EQ(run_with_real_library({"run", "--loops", "dynamic", target("ascending")}, {}).out,
            "in any order\n")
      << "the program does not see what it is for";
}

TEST(Plugins, ThatAreOpenedInFrontOfTheLibraryAreTold) {
  if (!std::filesystem::exists(target("gcc_loops_plugin"))) GTEST_SKIP() << "there is no gcc here";
  const auto result =
      run_with_real_library({"doctor", "--json", target("deepbind_host"), target("gcc_loops_plugin")}, {});
  const auto document = json::parse(result.out);
  json found;
  for (const auto& check : document["checks"])
    if (check["name"] == "trial") found = check;
  EXPECT_EQ(found["status"], "warn") << found;
  EXPECT_THAT(found["found"].get<std::string>(),
              HasSubstr("cli_gcc_loops_plugin: its loops were not seen, because it calls libgomp"));
}

TEST(StaticLoops, WhoseLengthNeverRepeatsAreTold) {
  if (!std::filesystem::exists(target("uneven"))) GTEST_SKIP() << "there is no clang with OpenMP here";
  const auto shown =
      run_with_real_library({"run", "--loops=static", "--stats", target("uneven"), "lengths"}, {});
  EXPECT_THAT(shown.err,
              testing::ContainsRegex("uneven.c:[0-9]+ main.*: its number of iterations never repeats "
                                     "\\(30 of 30 calls\\), so its parts stay equal\n"));
  const auto repeated = run_with_real_library({"run", "--loops=static", "--stats", target("uneven")}, {});
  EXPECT_THAT(repeated.err, testing::Not(HasSubstr("never repeats")));
  const auto result =
      run_with_real_library({"doctor", "--json", target("uneven"), "lengths"}, {{"WSTREE_LOOPS", "static"}});
  const auto document = json::parse(result.out);
  json found;
  for (const auto& check : document["checks"])
    if (check["name"] == "trial") found = check;
  EXPECT_EQ(found["status"], "warn") << found;
  EXPECT_EQ(found["found"], "1 static loop in 30 executions kept equal parts");
}

TEST_P(DoctorServed, RunServesWhatTheOptionNames) {
  const auto required = wstree({"run", "--require", "--loops=dynamic,guided", loops("dynamic")});
  EXPECT_EQ(required.status(), 0);
  EXPECT_EQ(required.out, "ran\n");
  EXPECT_EQ(required.err, "");
  const auto shown = wstree({"run", "--require", "--loops=all", "--stats", loops("dynamic")});
  EXPECT_EQ(shown.status(), 0) << "the form of the text has changed?";
  EXPECT_THAT(shown.err, HasSubstr("wstree (dynamic)"));
  EXPECT_THAT(shown.err, testing::Not(HasSubstr("not served"))) << "it asks for its thread's number only";
  EXPECT_EQ(wstree({"run", "--require", "--loops=guided", loops("dynamic")}).status(), 125);
}

TEST(RunServed, TerminalsAreToldWhyNothingWasServed) {
  const auto refused = target("gcc_loops_barred");
  if (!std::filesystem::exists(refused)) GTEST_SKIP() << "there is no gcc here";
  const auto told = [](const std::string& program) {
    return run({.arguments = {"-qec", std::string(WSTREE_CLI) + " run -- " + program, "/dev/null"},
                .environment = {{"OMP_NUM_THREADS", "2"},
                                {"PATH", "/usr/bin:/bin"},
                                {"WSTREE_LIBRARY", CLI_LIBRARY}},
                .executable = "/usr/bin/script"})
        .out;
  };
  const auto text = told(refused);
  if (text.find("libcapstone") != std::string::npos) GTEST_SKIP() << text;
  EXPECT_THAT(
      text,
      HasSubstr("wstree: no loop was served, because of 1 parallel region: waits at a barrier; next: "));
  EXPECT_EQ(told(target("gcc_loops_static")), "ran\r\n");
  EXPECT_EQ(run_with_real_library({"run", refused}, {}).err, "") << "a script is told nothing";
}

} // namespace
} // namespace wstree::test
