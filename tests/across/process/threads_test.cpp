// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads, teams and forks in every constellation that programs have, with either runtime: nothing may look
// different from the run without the library, and the loops are served.
#include "expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::IsEmpty;

class OfBothCompilers : public testing::TestWithParam<const char*> {
protected:
  /// `name` as the compiler built it that the test is about.
  static Program program(const std::string& name, std::vector<std::string> arguments = {}) {
    return Program(name + GetParam(), std::move(arguments));
  }

  static Program one_case(const std::string& name, const std::string& which) {
    return program(name, {"--seed", "1", "--case", which});
  }
};

INSTANTIATE_TEST_SUITE_P(Programs, OfBothCompilers, testing::Values("", "_gcc"),
                         [](const auto& each) { return each.index == 0 ? "Libomp" : "Libgomp"; });

TEST_P(OfBothCompilers, ThreadAfterThread) {
  expect_unnoticed(one_case("threads", "thread_after_thread"), 15 * 4 * 3);
}

TEST_P(OfBothCompilers, RootsAtOnce) { expect_unnoticed(one_case("threads", "roots_at_once"), 6 * 10 * 3); }

TEST_P(OfBothCompilers, TeamsOfChangingSize) {
  expect_unnoticed(one_case("threads", "teams_of_changing_size"), 60 * 4);
}

TEST_P(OfBothCompilers, DeepNesting) { expect_unnoticed(one_case("threads", "deep_nesting"), 3 * 60 * 3); }

TEST_P(OfBothCompilers, AThousandRoots) { expect_unnoticed(one_case("threads", "a_thousand_roots"), 1000); }

TEST_P(OfBothCompilers, ATeamOfAThousand) {
  Program many = program("loops").set("OMP_NUM_THREADS", "1000").set("OMP_STACKSIZE", "256k");
  const Outcome native = Program(many).set("OMP_SCHEDULE", "dynamic").run();
  TemporaryFolder folder;
  many.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_STATS", "text=" + (folder / "figures"));
  const Outcome outcome = many.run();
  EXPECT_EQ(outcome.out, "schedule 0x77 1\nsum 4995000\nmembers 1000\n") << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(contents_of(folder / "figures"), testing::HasSubstr("10 calls "));
  // Of memory each member has its share, not a thousand of them.
  EXPECT_LT(outcome.peak_kib, native.peak_kib + 1000 * 64);
}

TEST_P(OfBothCompilers, FarMoreThreadsThanCores) {
  Program many = program("loops").set("OMP_NUM_THREADS", "64");
  for (const char* schedule : {"wstree", "wstree,64"}) {
    const Outcome outcome = many.preload().set("OMP_SCHEDULE", schedule).run();
    EXPECT_EQ(fact(outcome.out, "sum"), "4995000") << outcome.text();
    EXPECT_EQ(fact(outcome.out, "members"), "64");
    EXPECT_THAT(outcome.err, IsEmpty());
  }
  EXPECT_EQ(served_calls(many), 10);
  expect_unnoticed(one_case("threads", "roots_at_once").set("OMP_NUM_THREADS", "64"), 6 * 10 * 3);
}

// --- forks

TEST_P(OfBothCompilers, ForkAndGoOn) { expect_unnoticed(program("fork_and_go_on", {"--seed", "1"}), 100); }

TEST_P(OfBothCompilers, ForkWhileTheOptionsAreRead) {
  TemporaryFolder folder;
  const Outcome outcome = program("fork_while_preparing")
                              .preload()
                              .set("OMP_SCHEDULE", "wstree")
                              .set("WSTREE_STATS", "text=" + (folder / "figures"))
                              .run();
  EXPECT_EQ(outcome.out, "held\nchild 0\nend\n") << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_THAT(contents_of(folder / "figures"), testing::HasSubstr("2 calls ")) << "of the parent";
}

TEST_P(OfBothCompilers, ChildrenOfForksAreServedToo) {
  // The child of a process without a team, and programs that children become: their figures count as well.
  const auto served = [](const char* which) {
    return served_calls(one_case("fork_and_go_on", which).preload().set("OMP_SCHEDULE", "wstree"));
  };
  EXPECT_EQ(served("child_before_any_region"), 5);
  EXPECT_EQ(served("child_of_a_thread_without_a_team"), 5 + 5 + 5 + 5);
  EXPECT_EQ(served("child_with_a_loop_but_no_region"), 5 * (5 + 1) + 5);
  EXPECT_EQ(served("child_of_a_member_in_a_loop"), 5);
  EXPECT_EQ(served("child_that_becomes_another_program"), 3 * (5 + 5) + 5);
  EXPECT_EQ(served("child_of_a_member_that_becomes_another_program"), 1 + 3 * 5);
}

// --- the end

TEST(Libgomp, OutlivesTheFirstThread) { // libomp natively does not
  expect_unnoticed(Program("threads_gcc", {"--main-leaves"}), 3 + 10 * 3);
}

} // namespace
