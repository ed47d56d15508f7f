// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the library is looked for, and the outer form of the command.
#include "command.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wstree::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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
  fs::copy(CLI_STAND_IN, library_);
  const auto result = run(start_);
  EXPECT_EQ(result.out, library_.string() + '\n');
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.status(), 0);
  start_.arguments = {"run", target("show")};
  EXPECT_EQ(run(start_).variable("LD_PRELOAD"), library_.string());
}

TEST_F(Installed, IsFoundThroughALinkToTheExecutable) {
  fs::copy(CLI_STAND_IN, library_);
  const TemporaryFolder elsewhere;
  fs::create_symlink(start_.executable, elsewhere.path() / "wstree");
  start_.executable = elsewhere.path() / "wstree";
  EXPECT_EQ(run(start_).out, library_.string() + '\n');
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

TEST_F(Installed, YieldsToTheEnvironment) {
  fs::copy(CLI_STAND_IN, library_);
  start_.environment["WSTREE_LIBRARY"] = CLI_OTHER_PRELOAD;
  EXPECT_EQ(run(start_).out, CLI_OTHER_PRELOAD "\n");
  start_.environment["WSTREE_LIBRARY"] = "";
  EXPECT_EQ(run(start_).out, library_.string() + '\n');
  start_.environment["WSTREE_LIBRARY"] = "/nonexistent/libwstree.so";
  const auto result = run(start_);
  EXPECT_EQ(result.status(), 1);
  EXPECT_THAT(result.err,
              HasSubstr("WSTREE_LIBRARY='/nonexistent/libwstree.so' is not a file that can be read"));
}

// The program may change its folder before it starts another.
TEST_F(Installed, ARelativeNameIsMadeAbsolute) {
  fs::copy(CLI_STAND_IN, library_);
  start_.folder = library_.parent_path();
  start_.environment["WSTREE_LIBRARY"] = "libwstree.so";
  EXPECT_EQ(run(start_).out, library_.string() + '\n');
}

TEST(Outside, HelpFillsAScreenWithExamples) {
  for (const auto* command : {"", "run", "env", "path", "doctor", "compare", "stats", "rules", "trace",
                              "help", "report", "topo", "simulate", "bench"}) {
    const auto help = *command == '\0' ? wstree({"--help"}) : wstree({command, "--help"});
    EXPECT_LE(std::ranges::count(help.out, '\n'), 40) << help.out;
    const bool has_examples = std::string_view(command) == "rules"
                                  ? help.out.find("src/solver.c:100-180") != std::string::npos
                                  : help.out.find("\nExamples:\n") != std::string::npos;
    EXPECT_TRUE(has_examples) << help.out;
  }
}

TEST(Outside, WrongUse) {
  const std::map<std::vector<std::string>, std::string> cases{
      {{},
       "a command is needed: run, env, path, doctor, compare, stats, rules, trace, help, report, topo, "
       "simulate, "
       "bench; see wstree --help"},
      {{"run"}, "run needs a program"},
      {{"run", "--chunk"}, "'--chunk' needs a value; see wstree run --help"},
      {{"./heat"}, "'./heat' is no command of wstree; to run a program, say wstree run ./heat"},
      {{"rnu", "./heat"}, "'rnu' is no command of wstree; did you mean run?"},
      {{"--versoin"}, "'--versoin' is not expected here; did you mean --version? see wstree --help"},
      {{"run", "--stat", "./heat"},
       "'--stat' is not expected here; did you mean --stats? see wstree run --help"},
      {{"env", "--xml"}, "'--xml' is not expected here; see wstree env --help"}};
  for (const auto& [arguments, line] : cases) {
    const auto result = wstree(arguments);
    EXPECT_EQ(result.status(), 125);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, testing::StartsWith("wstree: " + line));
  }
}

} // namespace
} // namespace wstree::test
