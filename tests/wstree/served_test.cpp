// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command with the library of this build and programs of real compilers: run, doctor, and the words by
// which the command names the cause of programs that are slow for one cause each, where these depend on no
// speed: iterations sleep. check_advice has all causes, and tries what is recommended.
#include "command.h"

namespace wstree::test {
namespace {

constexpr const char* k_no_gcc = "there is no gcc here";

bool is_there(const std::string& program) { return fs::exists(target(program)); }

class Served : public testing::Test {
protected:
  void SetUp() override {
    if (!is_there("loops_runtime")) GTEST_SKIP() << "there is no clang here whose OpenMP programs run";
  }
};

TEST_F(Served, FindsTheLibraryOfTheBuildTree) {
  const auto result = run_with_real_library({"path"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_TRUE(fs::equivalent(result.out.substr(0, result.out.find('\n')), CLI_LIBRARY));
}

TEST_F(Served, IsSilentOnSuccess) {
  for (const Arguments& arguments :
       {Arguments{"run", target("loops_runtime")},
        {"run", "--require", target("loops_runtime")},
        {"run", "--require", "/bin/sh", "-c", target("loops_runtime") + "; :"}}) {
    expect_silent(run_with_real_library(arguments), "ran\n");
  }
}

// The program calls the loop dispatch, so only its run can tell.
TEST_F(Served, RequireFailsAfterTheRunOfAnotherSchedule) {
  const auto result = run_with_real_library({"run", "--require", target("loops_dynamic")});
  EXPECT_EQ(result.status(), 125);
  EXPECT_EQ(result.out, "ran\n");
  EXPECT_THAT(result.err, HasSubstr("no loop of '" + target("loops_dynamic") + "' was served"));
  EXPECT_EQ(run_with_real_library({"run", target("loops_dynamic")}).status(), 0);
}

TEST_F(Served, RulesMakeLoopsServable) {
  if (!is_there("gcc_loops_dynamic")) GTEST_SKIP() << k_no_gcc;
  const auto program = target("gcc_loops_dynamic");
  EXPECT_EQ(run_with_real_library({"run", "--require", program}).status(), 125);
  const auto ruled = run_with_real_library({"run", "--require", "--rules", "loops.c:1-999 wsrange", program});
  EXPECT_EQ(ruled.status(), 0) << ruled.err;
  EXPECT_EQ(ruled.err, "");
  EXPECT_THAT(run_with_real_library({"run", "--rules", "other.c:1-999 wsrange", program}).err,
              HasSubstr("no rule matches a loop of"));
}

TEST_F(Served, OptionsReachTheLibrary) {
  const auto figures = json::parse(run_with_real_library({"run", "--stats=json", "--strategy=assign",
                                                          "--batch=fixed:10", target("loops_runtime")})
                                       .err);
  ASSERT_EQ(figures["loops"].size(), 1U);
  EXPECT_EQ(figures["version"], WSTREE_VERSION);
  EXPECT_EQ(figures["loops"][0]["iterations"], 1000);
  EXPECT_THAT(figures["loops"][0]["where"].get<std::string>(), HasSubstr("loops.c:"));
}

// What a program under wstree sees of OMP_SCHEDULE is not the user's.
TEST_F(Served, RunsWithinRuns) {
  const auto result =
      run_with_real_library({"run", "--chunk=8", WSTREE_CLI, "run", "/bin/sh", "-c", WSTREE_CLI " env"});
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, HasSubstr("OMP_SCHEDULE=wstree,8  (environment)\n"));
  EXPECT_EQ(run_with_real_library({"run", WSTREE_CLI, "run", "--require", target("loops_runtime")}).status(),
            0);
}

#ifdef __x86_64__
TEST_F(Served, IterationsOfTheSourceAreCountedOrElsePieces) {
  if (!is_there("counts")) GTEST_SKIP() << k_no_gcc;
  const auto result =
      run_with_real_library({"run", "--stats=json", target("counts")}, {{"OMP_NUM_THREADS", "2"}});
  const auto loops = json::parse(result.err, nullptr, false).value("loops", json::array());
  ASSERT_EQ(loops.size(), 2U) << result.err;
  const auto& known = loops[loops[0].contains("pieces") ? 1 : 0];
  const auto& unknown = loops[loops[0].contains("pieces") ? 0 : 1];
  EXPECT_EQ(known.value("iterations", 0), 6'000) << known;
  EXPECT_FALSE(known.contains("pieces")) << known;
  EXPECT_GT(unknown.value("pieces", 0), 4) << unknown;
  EXPECT_FALSE(unknown.contains("iterations")) << unknown;
  const auto shown =
      run_with_real_library({"run", "--stats", target("counts")}, {{"OMP_NUM_THREADS", "2"}}).err;
  EXPECT_THAT(shown, testing::ContainsRegex("in_data\\(\\) .* 6,000 "));
  EXPECT_THAT(shown, testing::ContainsRegex("behind_a_pointer\\(\\) .* [0-9,]+ pieces "));
}
#endif

// --- programs with sanitizers

/// The shared address sanitizer of a program; empty if it has none.
std::string address_sanitizer(const std::string& program) {
  std::istringstream lines(run({.arguments = {program}, .executable = "/usr/bin/ldd"}).out);
  for (std::string line; std::getline(lines, line);)
    if (const auto arrow = line.find(" => "); line.find("asan") != line.npos && arrow != line.npos)
      return line.substr(arrow + 4, line.rfind(" (") - arrow - 4);
  return {};
}

/// Also if the user preloads the sanitizer's runtime. What the OpenMP runtimes leave behind or do unseen is
/// not what this is about.
TEST(Sanitized, ProgramsAreServed) {
  std::string missing;
  for (const std::string name :
       {"gcc_asan", "gcc_asan_ubsan", "gcc_tsan", "clang_asan_shared", "clang_asan_static"}) {
    const auto program = target("loops_" + name);
    if (!fs::exists(program)) {
      missing += ' ' + name;
      continue;
    }
    for (const auto& preloaded : std::set<std::string>{"", address_sanitizer(program)}) {
      SCOPED_TRACE(name + " " + preloaded);
      Variables variables{{"ASAN_OPTIONS", "detect_leaks=0"}, {"TSAN_OPTIONS", "report_bugs=0"}};
      if (!preloaded.empty()) variables["LD_PRELOAD"] = preloaded;
      const auto result = run_with_real_library({"run", "--require", program}, variables);
      expect_silent(result, "ran\n");
      const auto judged = run_with_real_library({"doctor", program}, variables);
      EXPECT_THAT(judged.out, HasSubstr("served: 1 schedule(runtime) loop")) << judged.err;
    }
  }
  if (!missing.empty()) GTEST_SKIP() << "the compilers make no such programs here:" << missing;
}

json check(const std::string& name, const std::string& program, const Variables& more = {}) {
  const auto result = run_with_real_library({"doctor", "--json", program}, more);
  EXPECT_EQ(result.err, "ran\n");
  EXPECT_THAT(result.out, Not(HasSubstr("\"fail\"")));
  return check_in(result.out, name);
}

/// Names of programs begin so, of one compiler each.
class DoctorServed : public testing::TestWithParam<const char*> {
protected:
  void SetUp() override {
    if (!is_there(GetParam() + std::string("runtime"))) GTEST_SKIP() << "there is no such compiler here";
  }

  const std::string begin_ = GetParam(), dynamic_ = target(begin_ + "dynamic"),
                    static_ = target(begin_ + "static");
};

INSTANTIATE_TEST_SUITE_P(Of, DoctorServed, testing::Values("loops_", "gcc_loops_"), [](const auto& test) {
  return std::string(test.param) == "loops_" ? "Clang" : "Gcc";
});

TEST_P(DoctorServed, CountsLoopsAndSaysHowToServeThem) {
  const auto runtime = target(begin_ + "runtime");
  const Variables dynamic_too{{"WSTREE_LOOPS", "dynamic"}};
  EXPECT_EQ(check("trial", runtime)["found"], "served: 1 schedule(runtime) loop in 1 execution");
  EXPECT_EQ(check("trial", dynamic_, dynamic_too)["found"],
            "served: 1 schedule(dynamic) loop in 1 execution");
  EXPECT_EQ(check("trial", runtime, dynamic_too)["status"], "warn");
  EXPECT_EQ(check("trial", dynamic_)["status"], "warn");
  EXPECT_THAT(check("loops", static_)["found"].dump(), HasSubstr("machine code proves"));
  EXPECT_EQ(check("loops", static_, {{"WSTREE_LOOPS", "static"}})["status"], "ok");
  const auto found = check("loops", static_, {{"WSTREE_LOOPS", "runtime"}});
  EXPECT_EQ(found["status"], "warn");
  const bool is_gcc = begin_ == "gcc_loops_";
  EXPECT_THAT(found["found"].dump(), HasSubstr(is_gcc ? "; static: loops.c:" : ""));
  EXPECT_THAT(found["fix"].dump(), HasSubstr(is_gcc ? "$(wstree path --gcc-plugin)" : "WSTREE_LOOPS=static"));
}

TEST(Trial, LeavesTheOrderOfOtherLoopsAsItIs) {
  if (!is_there("ascending")) GTEST_SKIP() << k_no_gcc;
  const auto trial = run_with_real_library({"doctor", "--json", target("ascending")});
  EXPECT_EQ(trial.err, "ascending\n") << "the trial serves a loop that wstree run would not";
  EXPECT_THAT(trial.out, HasSubstr("no loop was served"));
  EXPECT_EQ(run_with_real_library({"run", "--loops", "dynamic", target("ascending")}).out, "in any order\n")
      << "the program does not see what it is for";
}

TEST(Plugins, ThatAreOpenedInFrontOfTheLibraryAreTold) {
  if (!is_there("gcc_loops_plugin")) GTEST_SKIP() << k_no_gcc;
  const auto result =
      run_with_real_library({"doctor", "--json", target("deepbind_host"), target("gcc_loops_plugin")});
  const auto found = check_in(result.out, "trial");
  EXPECT_EQ(found["status"], "warn") << found;
  EXPECT_THAT(found["found"].dump(), HasSubstr("plugin: its loops were not seen, because it calls libgomp"));
}

TEST(StaticLoops, WhoseLengthNeverRepeatsAreTold) {
  if (!is_there("uneven")) GTEST_SKIP() << "there is no clang with OpenMP here";
  const auto shown = run_with_real_library({"run", "--loops=static", "--stats", target("uneven"), "lengths"});
  EXPECT_THAT(shown.err,
              testing::ContainsRegex("uneven.c:[0-9]+ main.*never repeats \\(30 of 30 calls\\), so "));
  const auto repeated = run_with_real_library({"run", "--loops=static", "--stats", target("uneven")});
  EXPECT_THAT(repeated.err, Not(HasSubstr("never repeats")));
  const auto result =
      run_with_real_library({"doctor", "--json", target("uneven"), "lengths"}, {{"WSTREE_LOOPS", "static"}});
  const auto found = check_in(result.out, "trial");
  EXPECT_EQ(found["status"], "warn") << found;
  EXPECT_EQ(found["found"], "1 static loop in 30 executions kept equal parts");
}

TEST_P(DoctorServed, RunServesWhatTheOptionNames) {
  expect_silent(run_with_real_library({"run", "--require", "--loops=dynamic,guided", dynamic_}), "ran\n");
  const auto shown = run_with_real_library({"run", "--require", "--loops=all", "--stats", dynamic_});
  EXPECT_EQ(shown.status(), 0) << "the form of the text has changed?";
  EXPECT_THAT(shown.err, HasSubstr("wstree (dynamic)"));
  EXPECT_THAT(shown.err, Not(HasSubstr("not served"))) << "it asks for its thread's number only";
  EXPECT_EQ(run_with_real_library({"run", "--require", "--loops=guided", dynamic_}).status(), 125);
}

struct Cause {
  std::string program, words; ///< words of the text of the command, or of a report of its figures
  Arguments command;
};

/// In a folder of its own the command's text, and the report if the command leaves figures.
std::string told(const Cause& cause) {
  const TemporaryFolder folder;
  auto arguments = cause.command;
  if (arguments.front() == "run") arguments.push_back("--stats=json=" + folder / "figures");
  arguments.push_back(target("advice_" + cause.program));
  auto result = run_with_real_library(arguments);
  const auto text = result.out + result.err;
  if (!fs::exists(folder / "figures")) return text;
  result = run_with_real_library({"report", folder / "figures"});
  return text + result.out + result.err;
}

TEST(Advice, NamesTheCause) {
  if (!is_there("advice_pinned")) GTEST_SKIP() << k_no_gcc;
  const Cause causes[] = {
      {"serial_fraction", "between regions, where one thread works", {"run"}},
      {"chunk_too_large", "The chunk is too large: whole chunks of 1000 iterations", {"run", "--loops=all"}},
      {"few_iterations", "has 1.5 iterations for each thread, too few to be shared", {"run"}},
      {"opposite_loops", "without a barrier: what is uneven in one may", {"run", "--schedule=wsstatic"}},
      {"ordered", "its loops are ordered. Move what needs the order into a loop of its own", {"run"}},
      {"pinned", "in the trial 2 threads had 1 of ", {"doctor"}},
      {"oversubscribed", "in the trial a team had ", {"doctor"}},
  };
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof mine, &mine), 0);
  for (const auto& cause : causes) {
    if (cause.program == "pinned" && CPU_COUNT(&mine) < 2) continue;
    EXPECT_THAT(told(cause), HasSubstr(cause.words)) << cause.program;
  }
  if (CPU_COUNT(&mine) < 2) GTEST_SKIP() << "one CPU: no program can be pinned to less";
}

TEST(RunServed, TerminalsAreToldWhyNothingWasServed) {
  const auto refused = target("gcc_loops_barred");
  if (!fs::exists(refused)) GTEST_SKIP() << k_no_gcc;
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
  EXPECT_THAT(text,
              HasSubstr("no loop was served, because of 1 parallel region: waits at a barrier; next: "));
  EXPECT_EQ(told(target("gcc_loops_static")), "ran\r\n");
  EXPECT_EQ(run_with_real_library({"run", refused}).err, "") << "a script is told nothing";
}

} // namespace
} // namespace wstree::test
