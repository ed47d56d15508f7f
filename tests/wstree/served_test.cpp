// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command with the library of this build and programs of a real clang.
#include "command.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace wstree::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

class Served : public testing::Test {
protected:
  void SetUp() override {
    if (!std::filesystem::exists(target("loops_runtime"))) {
      GTEST_SKIP() << "there is no clang here whose OpenMP programs run";
    }
  }

  static Result wstree(Arguments arguments, const std::map<std::string, std::string>& more = {}) {
    return run_with_real_library(std::move(arguments), more);
  }
};

TEST_F(Served, FindsTheLibraryOfTheBuildTree) {
  const auto result = wstree({"path"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_TRUE(std::filesystem::equivalent(result.out.substr(0, result.out.find('\n')), CLI_LIBRARY));
}

TEST_F(Served, IsSilentOnSuccess) {
  for (const Arguments& options : {Arguments{"run"}, Arguments{"run", "--require"}}) {
    auto arguments = options;
    arguments.push_back(target("loops_runtime"));
    const auto result = wstree(arguments);
    EXPECT_EQ(result.status(), 0);
    EXPECT_EQ(result.out, "ran\n");
    EXPECT_EQ(result.err, "");
  }
}

// The program calls the loop dispatch, so only its run can tell.
TEST_F(Served, RequireFailsAfterTheRunOfAnotherSchedule) {
  const auto result = wstree({"run", "--require", target("loops_dynamic")});
  EXPECT_EQ(result.status(), 125);
  EXPECT_EQ(result.out, "ran\n");
  EXPECT_THAT(result.err, HasSubstr("no loop of '" + target("loops_dynamic") + "' was served"));
  EXPECT_EQ(wstree({"run", target("loops_dynamic")}).status(), 0);
}

TEST_F(Served, RulesMakeLoopsServable) {
  if (!std::filesystem::exists(target("gcc_loops_dynamic"))) GTEST_SKIP() << "there is no gcc here";
  const auto program = target("gcc_loops_dynamic");
  EXPECT_EQ(wstree({"run", "--require", program}).status(), 125);
  const auto ruled = wstree({"run", "--require", "--rules", "loops.c:1-999 wsrange", program});
  EXPECT_EQ(ruled.status(), 0) << ruled.err;
  EXPECT_EQ(ruled.err, "");
  EXPECT_THAT(wstree({"run", "--rules", "other.c:1-999 wsrange", program}).err,
              HasSubstr("no rule matches a loop of"));
}

TEST_F(Served, RequireFailsBeforeTheRunWithoutALoop) {
  const auto result = wstree({"run", "--require", "--loops", "runtime", target("loops_static")});
  EXPECT_EQ(result.status(), 125);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err,
              HasSubstr("uses OpenMP, but has no loop that can be served: static loops never ask"));
}

TEST_F(Served, RequireCountsChildren) {
  EXPECT_EQ(wstree({"run", "--require", "/bin/sh", "-c", target("loops_runtime") + "; :"}).status(), 0);
}

TEST_F(Served, OptionsReachTheLibrary) {
  const auto result =
      wstree({"run", "--stats=json", "--strategy=assign", "--batch=fixed:10", target("loops_runtime")});
  const auto figures = json::parse(result.err);
  ASSERT_EQ(figures["loops"].size(), 1U);
  EXPECT_EQ(figures["version"], WSTREE_VERSION);
  const auto& loop = figures["loops"][0];
  EXPECT_EQ(loop["iterations"], 1000);
  EXPECT_THAT(loop["where"].get<std::string>(), HasSubstr("loops.c:"));
}

// What a program under wstree sees of OMP_SCHEDULE is no longer what was set,
// and must not be taken for the user's.
TEST_F(Served, RunsWithinRuns) {
  const auto result = wstree({"run", "--chunk=8", WSTREE_CLI, "run", "/bin/sh", "-c", WSTREE_CLI " env"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("OMP_SCHEDULE=wstree,8  (environment)\n"));
  EXPECT_EQ(wstree({"run", WSTREE_CLI, "run", "--require", target("loops_runtime")}).status(), 0);
}

#ifdef __x86_64__
TEST_F(Served, IterationsOfTheSourceAreCountedOrElsePieces) {
  if (!std::filesystem::exists(target("counts"))) GTEST_SKIP() << "there is no gcc here";
  const auto result = wstree({"run", "--stats=json", target("counts")}, {{"OMP_NUM_THREADS", "2"}});
  const auto loops = json::parse(result.err, nullptr, false).value("loops", json::array());
  ASSERT_EQ(loops.size(), 2U) << result.err;
  const auto& known = loops[loops[0].contains("pieces") ? 1 : 0];
  const auto& unknown = loops[loops[0].contains("pieces") ? 0 : 1];
  EXPECT_EQ(known.value("iterations", 0), 6'000) << known;
  EXPECT_FALSE(known.contains("pieces")) << known;
  EXPECT_GT(unknown.value("pieces", 0), 4) << unknown;
  EXPECT_FALSE(unknown.contains("iterations")) << unknown;
  const auto shown = wstree({"run", "--stats", target("counts")}, {{"OMP_NUM_THREADS", "2"}}).err;
  EXPECT_THAT(shown, testing::ContainsRegex("in_data\\(\\) .* 6,000 "));
  EXPECT_THAT(shown, testing::ContainsRegex("behind_a_pointer\\(\\) .* [0-9,]+ pieces "));
}
#endif

// --- programs with sanitizers

class Sanitized : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    program_ = target(std::string("loops_") + GetParam());
    if (!std::filesystem::exists(program_)) GTEST_SKIP() << "the compiler has no such sanitizer here";
  }

  /// Runs the program; what the OpenMP runtimes leave behind or do unseen is not what this is about.
  void expect_served(const std::map<std::string, std::string>& more) const {
    auto variables = more;
    variables["ASAN_OPTIONS"] = "detect_leaks=0";
    variables["TSAN_OPTIONS"] = "report_bugs=0";
    const auto result = run_with_real_library({"run", "--require", program_}, variables);
    EXPECT_EQ(result.status(), 0);
    EXPECT_EQ(result.out, "ran\n");
    EXPECT_EQ(result.err, "");
    const auto judged = run_with_real_library({"doctor", program_}, variables);
    EXPECT_THAT(judged.out, HasSubstr("served: 1 schedule(runtime) loop")) << judged.err;
  }

  std::string program_;
};

INSTANTIATE_TEST_SUITE_P(Programs, Sanitized,
                         testing::Values("gcc_asan", "gcc_asan_ubsan", "gcc_tsan", "clang_asan_shared",
                                         "clang_asan_static"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Sanitized, AreServed) { expect_served({}); }

/// The shared address sanitizer of a program; empty if it has none.
std::string address_sanitizer(const std::string& program) {
  std::istringstream lines(run({.arguments = {program}, .executable = "/usr/bin/ldd"}).out);
  for (std::string line; std::getline(lines, line);)
    if (const auto arrow = line.find(" => "); line.find("asan") != line.npos && arrow != line.npos)
      return line.substr(arrow + 4, line.rfind(" (") - arrow - 4);
  return {};
}

TEST_P(Sanitized, AreServedIfTheUserPreloadsTheRuntimeToo) {
  const auto runtime = address_sanitizer(program_);
  if (runtime.empty()) GTEST_SKIP() << "it is not linked with a shared address sanitizer";
  expect_served({{"LD_PRELOAD", runtime}});
}

} // namespace
} // namespace wstree::test
