// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command with the library of this build and programs of real compilers: run, doctor, and the words by
// which the command names the cause of programs that are slow for one cause each, where these depend on no
// speed: iterations sleep. check_advice has all causes, and tries what is recommended.
#include "command.h"

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

  static json check(const std::string& name, const std::string& program,
                    const std::map<std::string, std::string>& more = {}) {
    const auto result = wstree({"doctor", "--json", program}, more);
    EXPECT_EQ(result.err, "ran\n");
    EXPECT_EQ(result.out.find("\"fail\""), std::string::npos) << result.out;
    return check_in(result.out, name);
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
    EXPECT_THAT(found["found"].get<std::string>(),
                testing::ContainsRegex("; static: loops\\.c:[12][0-9] main"));
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
  const auto found = check_in(result.out, "trial");
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
  const auto found = check_in(result.out, "trial");
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

struct Cause {
  const char* program;
  std::vector<std::string> command;
  const char* words; ///< of a report of its figures, if the command is `run`
};

void PrintTo(const Cause& cause, std::ostream* out) { *out << cause.program; }

class Advice : public testing::TestWithParam<Cause> {};

/// Returns the text that the command prints, or the report of the figures that it has written.
std::string told(const Cause& cause) {
  const auto program = target(std::string("advice_") + cause.program);
  const TemporaryFolder folder;
  const auto figures = (folder.path() / "figures").string();
  auto arguments = cause.command;
  const bool has_figures = arguments.front() == "run";
  if (has_figures) arguments.push_back("--stats=json=" + figures);
  arguments.push_back(program);
  const auto told = [&](const std::vector<std::string>& command) {
    const auto result = run_with_real_library(command, {});
    return result.out + result.err;
  };
  const auto text = told(arguments);
  return has_figures && std::filesystem::exists(figures) ? text + told({"report", figures}) : text;
}

TEST_P(Advice, NamesTheCause) {
  const std::string program = GetParam().program;
  if (!std::filesystem::exists(target("advice_" + program))) GTEST_SKIP() << "there is no gcc here";
  cpu_set_t mine;
  ASSERT_EQ(::sched_getaffinity(0, sizeof mine, &mine), 0);
  if (program == "pinned" && CPU_COUNT(&mine) < 2) GTEST_SKIP() << "there is one CPU only";
  EXPECT_THAT(told(GetParam()), testing::HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    Of, Advice,
    testing::Values(
        Cause{"serial_fraction", {"run"}, "between regions, where one thread works"},
        Cause{"chunk_too_large",
              {"run", "--loops=all"},
              "The chunk is too large: whole chunks of 1000 iterations"},
        Cause{"few_iterations",
              {"run"},
              "an execution has 1.5 iterations for each thread, too few to be shared"},
        Cause{"opposite_loops",
              {"run", "--schedule=wsstatic"},
              "without a barrier: what is uneven in one may make up"},
        Cause{"ordered", {"run"}, "its loops are ordered. Move what needs the order into a loop of its own"},
        Cause{"pinned", {"doctor"}, "in the trial 2 threads had 1 of "},
        Cause{"oversubscribed", {"doctor"}, "in the trial a team had "}),
    [](const auto& test) { return test.param.program + std::to_string(test.index); });

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
