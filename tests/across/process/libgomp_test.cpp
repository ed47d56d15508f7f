// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of GCC on libgomp, which reads its environment in a constructor: the library has to be there
// before that, however it came into the process.
#include "expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// --- the environment in time

struct Way {
  const char* program;
  bool preloaded;
};

class EveryWay : public testing::TestWithParam<Way> {};

TEST_P(EveryWay, OfLoadingIsInTime) {
  for (const auto& [schedule, answer] :
       {std::pair{"wstree", "0x77 1"}, std::pair{"wstree,5", "0x77 5"}, std::pair{"wsfac2", "0x7d 0"}}) {
    Program program(GetParam().program);
    if (GetParam().preloaded) program.preload();
    program.set("OMP_SCHEDULE", schedule);
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    EXPECT_EQ(outcome.out, "schedule " + std::string(answer) + "\nsum 4995000\nmembers 4\n");
    EXPECT_THAT(outcome.err, IsEmpty());
    EXPECT_EQ(served_calls(program), 10);
  }
}

TEST_P(EveryWay, LeavesOtherSchedulesAlone) {
  for (const char* schedule : {"dynamic,4", "monotonic:dynamic,3", "stree", ""}) {
    const Program plain = Program("loops_gcc", {"--environment"}).set("OMP_SCHEDULE", schedule);
    Program program(GetParam().program, {"--environment"});
    if (GetParam().preloaded) program.preload();
    program.set("OMP_SCHEDULE", schedule);
    EXPECT_EQ(program.run().text(), plain.run().text()) << schedule;
    EXPECT_EQ(served_calls(program), 0) << schedule;
  }
}

INSTANTIATE_TEST_SUITE_P(Libgomp, EveryWay,
                         testing::Values(Way{"loops_gcc", true}, Way{"loops_gcc_linked_before", false},
                                         Way{"loops_gcc_linked_after", false},
                                         Way{"loops_gcc_linked_before", true},
                                         Way{"loops_gcc_linked_after", true}),
                         [](const auto& each) {
                           return std::string(each.param.program) +
                                  (each.param.preloaded ? "_preloaded" : "");
                         });

TEST(Libgomp, ALibraryRunsLoopsBeforeMain) {
  const Outcome outcome = with_tree("early_gcc").run();
  EXPECT_EQ(outcome.out, "early 0x77 1 499500\n") << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(served_calls(with_tree("early_gcc")), 1);
}

TEST(Libgomp, BothSettingsAreShown) {
  for (const char* value : {"true", "verbose"}) {
    const Outcome native =
        Program("loops_gcc").set("OMP_SCHEDULE", "dynamic,5").set("OMP_DISPLAY_ENV", value).run();
    const Outcome outcome =
        with_tree("loops_gcc").set("OMP_SCHEDULE", "wstree,5").set("OMP_DISPLAY_ENV", value).run();
    EXPECT_EQ(outcome.out, with_tree("loops_gcc").set("OMP_SCHEDULE", "wstree,5").run().out);
    EXPECT_THAT(outcome.err, HasSubstr("WSTREE_STRATEGY"));
    EXPECT_THAT(outcome.err, Not(HasSubstr("Unknown")));
    EXPECT_THAT(outcome.err, Not(HasSubstr("Invalid")));
    // Whatever the runtime says of its own settings stays, but for the schedule, and stays in one piece.
    for (const std::string& line : lines_of(native.err))
      if (line.find("OMP_SCHEDULE") == std::string::npos) {
        EXPECT_THAT(outcome.err, HasSubstr(line + "\n"));
      }
    const Outcome dynamic =
        Program("loops_gcc").preload().set("OMP_SCHEDULE", "dynamic,5").set("OMP_DISPLAY_ENV", value).run();
    EXPECT_EQ(dynamic.out, native.out);
    EXPECT_THAT(dynamic.err, HasSubstr(native.err));
  }
}

// --- loops that are not served

class Fallback : public testing::TestWithParam<const char*> {};

TEST_P(Fallback, IsInForceForLoopsThatAreNotServed) {
  for (const char* schedule : {"guided", "guided,20", "static,7", "static", "dynamic,5", "trapezoidal"}) {
    // libgomp has no trapezoidal schedule; guided is the nearest one.
    const bool replaced = std::string(GetParam()) == "fallback_gcc" && std::string(schedule) == "trapezoidal";
    const Outcome native = Program(GetParam()).set("OMP_SCHEDULE", replaced ? "guided" : schedule).run();
    ASSERT_TRUE(native.succeeded()) << native.text();
    const Program tree = with_tree(GetParam()).set("WSTREE_FALLBACK", schedule);
    EXPECT_EQ(tree.run().text(), native.text()) << schedule;
    EXPECT_EQ(served_calls(tree), 0);
  }
}

TEST_P(Fallback, IsGuidedUnlessSaidOtherwise) {
  EXPECT_EQ(with_tree(GetParam()).run().text(),
            Program(GetParam()).set("OMP_SCHEDULE", "guided").run().text());
}

INSTANTIATE_TEST_SUITE_P(Loops, Fallback, testing::Values("fallback", "fallback_gcc"),
                         [](const auto& each) { return std::string(each.param); });

// --- children

TEST(Libgomp, ChildrenOfEitherCompilerUseTheTree) {
  for (const auto& [parent, child] : {std::pair{"loops_gcc", "loops"}, std::pair{"loops", "loops_gcc"},
                                      std::pair{"loops_gcc", "loops_gcc"}})
    for (const char* when : {"--run", "--run-first"}) {
      Program program = with_tree(parent, {"--silent", when, program_path(child)});
      const Outcome outcome = program.set("OMP_SCHEDULE", "wstree,32").run();
      EXPECT_EQ(outcome.out, "schedule 0x77 32\nsum 4995000\nmembers 4\n") << outcome.text();
      EXPECT_THAT(outcome.err, IsEmpty()) << parent << ' ' << child;
      EXPECT_EQ(served_calls(program), 20) << parent << ' ' << child;
    }
}

} // namespace
