// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that `wstree run` starts keep their process, arguments and end. Folders in which the command looks
// for the library, and the outer form of the command with its help.
#include "command.h"

namespace wstree::test {
namespace {

TEST(Start, ReplacesTheProcess) {
  Command command(Start{.arguments = {"run", target("show")}}.launch());
  const auto result = command.finish();
  EXPECT_EQ(result.facts("pid"), Arguments{std::to_string(command.pid())});
  EXPECT_EQ(result.status(), 0);
  EXPECT_EQ(result.err, "");
}

TEST(Start, PassesArgumentsAsTheyAre) {
  const Arguments arguments{"two words", "", "--strategy", "-v", "--", "--help", "a\tb", "%p", "*"};
  Arguments command{"run", target("show")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const auto seen = wstree(command).facts("argument");
  ASSERT_EQ(seen.size(), arguments.size() + 1);
  EXPECT_EQ(seen.front(), target("show"));
  EXPECT_EQ(Arguments(seen.begin() + 1, seen.end()), arguments);
}

TEST(Start, SearchesPathInItsOrder) {
  const TemporaryFolder first, second;
  first.write("wanted", "not executable");
  second.write("wanted", "#!/bin/sh\necho second\n", k_executable);
  Start start{.arguments = {"run", "wanted"}, .folder = second.path()};
  // An empty entry is the current folder.
  for (const auto& path :
       {first.path().string() + ':' + second.path().string() + ":/bin:/usr/bin",
        std::string("/nonexistent::/bin"), std::string(":/bin"), std::string("/bin:"), std::string()}) {
    start.environment["PATH"] = path;
    EXPECT_EQ(run(start).out, "second\n") << path;
  }
}

// For a program that replaces wstree and for one that wstree waits for. The shell may start anything, so
// --require does not turn it away beforehand. It ends without running destructors, which is where figures are
// written, so another program has to do that.
TEST(Start, TheEndOfTheProgramIsPassedOn) {
  for (const Arguments& options : {Arguments{"run"}, {"run", "--require"}}) {
    const auto shell = [&](const std::string& script) {
      Start start{.arguments = options};
      start.arguments.insert(start.arguments.end(), {"/bin/sh", "-c", script});
      start.environment["STAND_IN_SERVES"] = "loop";
      auto result = run(start);
      EXPECT_EQ(result.err, "");
      return result;
    };
    for (const int status : {0, 3, 125, 255})
      EXPECT_EQ(shell(target("plain") + "; exit " + std::to_string(status)).status(), status);
    for (const int signal : {SIGTERM, SIGKILL, SIGSEGV, SIGUSR2})
      EXPECT_EQ(shell("kill -" + std::to_string(signal) + " $$").signal(), signal);
  }
}

TEST(StaticPrograms, AreStartedAsTheyAre) {
#ifdef CLI_HAS_STATIC
  EXPECT_EQ(wstree({"run", target("end_static"), "schedule"}).out, "none\n")
      << "its runtime would not know wstree";
  EXPECT_EQ(wstree({"run", target("end"), "schedule"}).out, "wstree\n");
  const auto compared = wstree({"compare", "-n", "1", target("end_static")});
  EXPECT_EQ(compared.status(), 125);
  EXPECT_EQ(compared.err.find("no loop of"), std::string::npos) << "one sentence is enough: " << compared.err;
#else
  GTEST_SKIP() << "there is no static C library (libc.a) to build a static program with";
#endif
}

/// An installation in a folder of its own, as far as the command sees it.
class Installed : public testing::Test {
protected:
  Installed() {
    fs::create_directories(folder_.path() / "bin");
    fs::create_directories(library_.parent_path());
    start_.executable = folder_.path() / "bin" / "wstree";
    fs::copy(WSTREE_CLI, start_.executable);
    start_.environment.erase("WSTREE_LIBRARY");
    start_.arguments = {"path"};
  }

  TemporaryFolder folder_;
  fs::path library_ = folder_.path() / CLI_LIBRARY_FOLDER / "libwstree.so";
  Start start_;
};

TEST_F(Installed, IsFoundBesideTheFolderOfTheExecutable) {
  const auto expect_path = [&](const std::string& path) {
    const auto result = run(start_);
    EXPECT_EQ(result.out, path + '\n') << result.err;
    EXPECT_EQ(result.status(), 0);
  };
  fs::copy(CLI_STAND_IN, library_);
  expect_path(library_.string());
  start_.environment["WSTREE_LIBRARY"] = CLI_OTHER_PRELOAD;
  expect_path(CLI_OTHER_PRELOAD);
  start_.environment["WSTREE_LIBRARY"] = "";
  expect_path(library_.string());
  // The program may change its folder before it starts another.
  start_.folder = library_.parent_path();
  start_.environment["WSTREE_LIBRARY"] = "libwstree.so";
  expect_path(library_.string());
  start_.environment["WSTREE_LIBRARY"] = "/nonexistent/libwstree.so";
  const auto missed = run(start_);
  EXPECT_EQ(missed.status(), 1);
  EXPECT_THAT(missed.err, HasSubstr("='/nonexistent/libwstree.so' is not a file that can be read"));
  start_.environment.erase("WSTREE_LIBRARY");
  const TemporaryFolder elsewhere;
  fs::create_symlink(start_.executable, elsewhere.path() / "wstree");
  start_.executable = elsewhere.path() / "wstree";
  expect_path(library_.string());
  start_.arguments = {"run", target("show")};
  EXPECT_EQ(run(start_).variable("LD_PRELOAD"), library_.string());
}

TEST_F(Installed, IsMissed) {
  const auto result = run(start_);
  EXPECT_EQ(result.status(), 1);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("wstree: libwstree.so was not found (looked for " + library_.string()));
  EXPECT_THAT(result.err, HasSubstr("set WSTREE_LIBRARY to its path"));
  start_.arguments = {"run", target("plain")};
  const auto started = run(start_);
  EXPECT_EQ(started.status(), 125);
  EXPECT_EQ(started.out, "");
  EXPECT_EQ(started.err, result.err);
}

TEST(Outside, HelpFillsAScreenWithExamples) {
  for (const std::string command : {"", "run", "env", "path", "doctor", "compare", "stats", "rules", "trace",
                                    "help", "report", "topo", "simulate", "bench"}) {
    const auto help = wstree(command.empty() ? Arguments{"--help"} : Arguments{command, "--help"}).out;
    EXPECT_LE(std::ranges::count(help, '\n'), 40) << help;
    EXPECT_THAT(help, HasSubstr(command == "rules" ? "src/solver.c:100-180" : "\nExamples:\n"));
  }
}

TEST(Outside, WrongUse) {
  const std::map<Arguments, std::string> cases{
      {{}, "a command is needed: run, env, path, doctor, compare, stats, rules, trace, help, report, topo, "},
      {{"run"}, "run needs a program"},
      {{"run", "--chunk"}, "'--chunk' needs a value; see wstree run --help"},
      {{"./heat"}, "'./heat' is no command of wstree; to run a program, say wstree run ./heat"},
      {{"rnu", "./heat"}, "'rnu' is no command of wstree; did you mean run?"},
      {{"--versoin"}, "'--versoin' is not expected here; did you mean --version? see wstree --help"},
      {{"run", "--stat", "./heat"},
       "'--stat' is not expected here; did you mean --stats? see wstree run --help"},
      {{"env", "--xml"}, "'--xml' is not expected here; see wstree env --help"}};
  for (const auto& [arguments, line] : cases) expect_refused(wstree(arguments), line);
}

TEST(Help, EachTopicEndsWithWhatToTryNext) {
  for (const auto* topic : {"schedules", "placement", "statistics", "trace", "rules", "compare", "report",
                            "variables", "troubleshooting"}) {
    const auto text = wstree({"help", topic});
    EXPECT_EQ(text.status(), 0) << topic;
    EXPECT_THAT(text.out, HasSubstr("\nNext: ")) << topic;
    EXPECT_EQ(text.err, "");
  }
  expect_refused(wstree({"help", "scedules"}),
                 "there is no help on 'scedules'; did you mean schedules? topics are ");
  EXPECT_THAT(wstree({"help", "qqqqqq"}).err, HasSubstr("'qqqqqq'; topics are compare, placement"));
}

} // namespace
} // namespace wstree::test
