// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conduct in the user's process: outputs and exit status stay, no descriptor is touched that is not ours,
// nothing is started or opened without need, and the library survives fork,
// exit and strange numbers of threads.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The builds of a program: by clang, and by GCC if there is one.
std::vector<std::string> builds_of(const std::string& program) {
#ifdef WSTREE_TEST_HAS_GCC
  return {program, program + "_gcc"};
#else
  return {program};
#endif
}

TEST(Conduct, OutputAndExitStatusStay) {
  for (const std::string& program : builds_of("loops"))
    for (const char* status : {"0", "1", "42", "255"}) {
      const Outcome without = Program(program, {"--status", status}).set("OMP_SCHEDULE", "dynamic,4").run();
      for (const char* schedule : {"dynamic,4", "wstree,4"}) {
        const Outcome with =
            Program(program, {"--status", status}).preload().set("OMP_SCHEDULE", schedule).run();
        EXPECT_EQ(with.status, without.status) << with.text();
        EXPECT_EQ(fact(with.out, "sum"), fact(without.out, "sum"));
        EXPECT_EQ(with.err, without.err);
        EXPECT_EQ(lines_of(with.out).size(), lines_of(without.out).size());
      }
    }
}

/// libomp reads the clock too if its threads may fall asleep.
TEST(Conduct, AProgramWithoutTheProcessorsClock) {
  for (const std::string& name : builds_of("without_clock")) {
    Program program(name);
    program.set("OMP_WAIT_POLICY", "active").set("OMP_SCHEDULE", "dynamic,4");
    const Outcome native = program.run();
    if (native.status == 77) GTEST_SKIP() << "nothing can be forbidden here";
    ASSERT_TRUE(native.succeeded()) << native.text();
    program.preload().set("WSTREE_TRACE", "/nowhere").set("WSTREE_STATS", "1");
    for (const char* schedule : {"dynamic,4", "wstree"}) // the program gives hints, too
      for (const char* bind : {"auto", "spread"}) {
        const Outcome outcome = program.set("OMP_SCHEDULE", schedule)
                                    .set("WSTREE_LOOPS", "all,static")
                                    .set("WSTREE_RULES", "* wsqueue threads=3")
                                    .set("WSTREE_BIND", bind)
                                    .run();
        EXPECT_TRUE(outcome.succeeded()) << name << outcome.text();
        EXPECT_EQ(outcome.out, native.out);
        EXPECT_EQ(
            outcome.err,
            "wstree: the OpenMP runtime executes all loops, because the process has forbidden itself to "
            "read the processor's clock (PR_SET_TSC)\n");
      }
  }
}

TEST(Conduct, ClosedStandardDescriptors) {
  for (const std::string& program : builds_of("loops")) {
    const std::vector<std::string> seven{"--status", "7"};
    for (const char* strategy : {"findmax", "foo"}) {
      const Outcome outcome = with_tree(program, seven)
                                  .closed(2)
                                  .set("WSTREE_STRATEGY", strategy)
                                  .set("WSTREE_STATS", "1")
                                  .set("WSTREE_VERBOSE", "1")
                                  .run();
      EXPECT_EQ(outcome.status, 7) << outcome.text();
      EXPECT_EQ(outcome.out, with_tree(program).run().out);
    }
    EXPECT_EQ(with_tree(program, seven).closed(0).run().text(), with_tree(program, seven).run().text());
    const Outcome all =
        with_tree(program, seven).closed(0).closed(1).closed(2).set("WSTREE_STATS", "1").run();
    EXPECT_EQ(all.status, 7) << all.text();
  }
}

TEST(Conduct, AFileThatHappensToBeDescriptorTwoIsNotWrittenTo) {
  for (const std::string& program : builds_of("loops")) {
    TemporaryFolder folder;
    const std::string file = folder / "data";
    const Outcome outcome = with_tree(program, {"--file", file, "--status", "7"})
                                .closed(2)
                                .set("WSTREE_STRATEGY", "foo")
                                .set("WSTREE_STATS", "json")
                                .set("WSTREE_VERBOSE", "1")
                                .run();
    EXPECT_EQ(outcome.status, 7) << outcome.text();
    EXPECT_THAT(contents_of(file), IsEmpty());
  }
}

TEST(Conduct, AProcessWithoutAServedLoopIsLeftAlone) {
  for (const std::string& name : builds_of("inert"))
    for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"--idle"}}) {
      Program program(name, arguments);
      const Outcome without = program.set("OMP_SCHEDULE", "dynamic").run();
      const Outcome loaded = program.preload().run();
      const Outcome asked = program.set("OMP_SCHEDULE", "wstree").run();
      EXPECT_EQ(loaded.out, without.out); // the same threads and the same open descriptors
      EXPECT_EQ(asked.out, without.out);
      EXPECT_THAT(loaded.err + asked.err, IsEmpty());
    }
}

TEST(Conduct, AServedLoopLeavesNoDescriptorsAndThreads) {
  const std::vector<std::string> arguments{"--silent", "--run",
                                           "ls /proc/$PPID/fd /proc/$PPID/task | grep -c ."};
  for (const std::string& program : builds_of("loops"))
    EXPECT_EQ(with_tree(program, arguments).run().text(),
              Program(program, arguments).set("OMP_SCHEDULE", "dynamic").run().text());
}

TEST(Conduct, LimitsOfTheRuntime) {
  const Outcome limited = with_tree("loops").set("OMP_THREAD_LIMIT", "2").run();
  EXPECT_EQ(fact(limited.out, "sum"), "4995000") << limited.text();
  const Outcome dynamic = with_tree("loops").set("OMP_DYNAMIC", "true").set("OMP_NUM_THREADS", "32").run();
  EXPECT_EQ(fact(dynamic.out, "sum"), "4995000") << dynamic.text();
  for (const char* buffers : {"1", "2", "20", "4096"}) {
    const Outcome outcome = with_tree("loops").set("KMP_DISP_NUM_BUFFERS", buffers).run();
    EXPECT_EQ(fact(outcome.out, "sum"), "4995000") << outcome.text();
  }
}

TEST(Conduct, ForkWithTeams) {
  for (const std::string& libomp : libomp_builds()) {
    const Outcome outcome = with_tree("forks").libomp(libomp).run();
    EXPECT_TRUE(outcome.succeeded()) << libomp << '\n' << outcome.text();
    EXPECT_THAT(outcome.err, IsEmpty());
  }
}

class Leaving : public testing::TestWithParam<const char*> {};

TEST_P(Leaving, FromWithinALoop) {
  for (const std::string& program : builds_of("leaves"))
    for (const std::string& libomp : libomp_builds()) {
      const Outcome outcome = with_tree(program, {GetParam()}).libomp(libomp).run();
      if (std::string(GetParam()) == "abort") {
        EXPECT_EQ(outcome.signal, SIGABRT) << outcome.text();
      } else {
        EXPECT_EQ(outcome.status, 5) << program << libomp << '\n' << outcome.text();
      }
      EXPECT_THAT(outcome.err, IsEmpty());
    }
}

INSTANTIATE_TEST_SUITE_P(Conduct, Leaving, testing::Values("exit", "quick", "underscore", "abort"),
                         [](const auto& each) { return std::string(each.param); });

class Setuid : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Conduct, Setuid, testing::ValuesIn(builds_of("loops_secure")),
                         [](const auto& each) { return each.param; });

TEST_P(Setuid, ProgramIsNotSteeredFromOutside) {
  constexpr unsigned k_nobody = 65534;
  const std::string program = program_path(GetParam());
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a setuid program of root";
  TemporaryFolder folder;
  ASSERT_EQ(chmod((folder / "").c_str(), 0777), 0);
  ASSERT_EQ(chmod(program.c_str(), 04755), 0);
  Program attempt(GetParam(), {"--environment"});
  attempt.set("WSTREE_STATS", "json=" + (folder / "figures")).set("WSTREE_VERBOSE", "1");
  const Outcome as_root =
      attempt.set("OMP_SCHEDULE", "wstree,9").run(); // nothing is changed, so nothing is secret
  EXPECT_EQ(fact(as_root.out, "schedule"), "0x77 9") << as_root.text();
  EXPECT_EQ(folder.files().size(), 1U);
  const Outcome as_nobody = attempt.user(k_nobody).run();
  ASSERT_EQ(chmod(program.c_str(), 0755), 0); // such a program should not lie about
  if (as_nobody.status == 127 || as_nobody.err.find("shared libraries") != std::string::npos)
    GTEST_SKIP() << "user 65534 may not enter the build folder";
  EXPECT_EQ(fact(as_nobody.out, "sum"), "4995000") << as_nobody.text();
  EXPECT_EQ(fact(as_nobody.out, "environment"), "wstree,9") << as_nobody.text();
  EXPECT_THAT(as_nobody.err, testing::Not(HasSubstr("wstree:"))) << as_nobody.text();
  EXPECT_EQ(folder.files().size(), 1U);
}

} // namespace
