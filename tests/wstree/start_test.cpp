// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program that `wstree run` starts keeps of its own: process, arguments, end.
#include "command.h"

#include <csignal>
#include <gtest/gtest.h>

namespace wstree::test {
namespace {

using Arguments = std::vector<std::string>;

TEST(Start, ReplacesTheProcess) {
  Command command({.arguments = {"run", target("show")}});
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
  first.write("wanted", "not executable", k_data);
  second.write("wanted", "#!/bin/sh\necho second\n", k_executable);
  Start start{.arguments = {"run", "wanted"}};
  start.environment["PATH"] = first.path().string() + ':' + second.path().string() + ":/bin:/usr/bin";
  EXPECT_EQ(run(start).out, "second\n");
}

TEST(Start, AnEmptyEntryOfPathIsTheCurrentFolder) {
  const TemporaryFolder folder;
  folder.write("wanted", "#!/bin/sh\necho here\n", k_executable);
  for (const auto* path : {"/nonexistent::/bin", ":/bin", "/bin:", ""}) {
    Start start{.arguments = {"run", "wanted"}, .folder = folder.path()};
    start.environment["PATH"] = path;
    EXPECT_EQ(run(start).out, "here\n") << path;
  }
}

class StatusOf : public testing::TestWithParam<Arguments> {};

// The same must hold for a program that replaces wstree and for one that wstree waits for.
INSTANTIATE_TEST_SUITE_P(BothWays, StatusOf, testing::Values(Arguments{"run"}, Arguments{"run", "--require"}),
                         [](const auto& test) { return test.param.size() == 1 ? "Run" : "Require"; });

// The shell may start anything, so --require does not turn it away beforehand. It ends without running
// destructors, which is where figures are written, so another program has to do that.
TEST_P(StatusOf, TheProgramIsPassedOn) {
  for (const int status : {0, 3, 125, 255}) {
    Arguments arguments = GetParam();
    arguments.insert(arguments.end(),
                     {"/bin/sh", "-c", target("plain") + "; exit " + std::to_string(status)});
    Start start{.arguments = arguments};
    start.environment["STAND_IN_SERVES"] = "loop";
    const auto result = run(start);
    EXPECT_EQ(result.status(), status);
    EXPECT_EQ(result.err, "");
  }
}

TEST_P(StatusOf, ASignalIsPassedOn) {
  for (const int signal : {SIGTERM, SIGKILL, SIGSEGV, SIGUSR2}) {
    Arguments arguments = GetParam();
    arguments.insert(arguments.end(), {"/bin/sh", "-c", "kill -" + std::to_string(signal) + " $$"});
    const auto result = wstree(arguments);
    EXPECT_EQ(result.signal(), signal);
    EXPECT_EQ(result.err, "");
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

} // namespace
} // namespace wstree::test
