// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `wstree doctor` makes of a trial run.
#include "doctor/trial.h"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wstree::test {
namespace {

using cli::Check;
using cli::LoopForm;
using cli::Status;
using cli::Trial;
using cli::TrialFacts;
using testing::AllOf;
using testing::HasSubstr;

constexpr int exited(int status) { return status << 8; } // as in waitpid(2)

Trial ended(int wait_status) {
  Trial trial;
  trial.ending.wait_status = wait_status;
  return trial;
}

/// Why nothing was served.
Check why(const TrialFacts& facts) {
  const auto checks = check_trial(ended(exited(0)), facts);
  EXPECT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks.back().status, Status::warn);
  EXPECT_EQ(checks.back().found, "no loop was served");
  return checks.back();
}

config::LoopKinds kinds(const char* value) { return *config::parse_loops(value); }

TEST(DoctorTrial, SaysWhatWasServed) {
  auto trial = ended(exited(0));
  trial.loops = {{"runtime", {1, 1}}, {"dynamic", {2, 812}}};
  const auto checks = check_trial(trial, {});
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0].status, Status::ok);
  EXPECT_EQ(checks[0].found, "exit status 0");
  EXPECT_EQ(checks[1].status, Status::ok);
  EXPECT_EQ(checks[1].found,
            "served: 2 schedule(dynamic) loops in 812 executions, 1 schedule(runtime) loop in 1 execution");
}

place::CpuSet cpus_of(std::initializer_list<std::uint32_t> numbers) {
  place::CpuSet cpus;
  for (const auto number : numbers) cpus.add(number);
  return cpus;
}

TEST(DoctorTrial, LooksAtTheCpusOfEachRank) {
  auto checks = cli::check_ranks({{10, "0", 2, cpus_of({0})}, {11, "1", 2, cpus_of({1})}}, 8);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, Status::warn);
  EXPECT_EQ(checks[0].found, "ranks 0, 1: each 1 of 8 CPUs for 2 threads");
  EXPECT_THAT(checks[0].fix, HasSubstr("--map-by slot:PE=2"));
  checks = cli::check_ranks({{10, "0", 2, cpus_of({0, 1})}, {11, "1", 2, cpus_of({0, 1})}}, 8);
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, Status::warn);
  EXPECT_EQ(checks[0].found, "ranks 0, 1: each 2 of 8 CPUs for 2 threads, 4 with others on the same CPUs");
  checks = cli::check_ranks({{10, "0", 2, cpus_of({0, 1})}, {11, "1", 2, cpus_of({2, 3})}}, 8);
  EXPECT_EQ(checks[0].status, Status::ok);
  EXPECT_EQ(cli::check_ranks({{10, "", 4, cpus_of({0, 1, 2, 3})}}, 8)[0].found,
            "process 10: 4 of 8 CPUs for 4 threads");
  EXPECT_TRUE(cli::check_ranks({{10, "", 4, {}}}, 8).empty()) << "it was over too soon";
}

TEST(DoctorTrial, LooksAtTheThreadsThatTheProgramMakes) {
  const auto found = [](unsigned threads, std::initializer_list<std::uint32_t> bound, unsigned team) {
    const auto check = cli::check_threads({10, "", threads, {}, cpus_of(bound)}, team, 4);
    return check ? check->found : "";
  };
  EXPECT_EQ(found(2, {3}, 4), "in the trial 2 threads had 1 of 4 CPUs");
  EXPECT_EQ(found(2, {2, 3}, 4), "");
  EXPECT_EQ(found(2, {}, 4), "") << "they were not seen";
  EXPECT_EQ(found(8, {0, 1, 2, 3}, 4), "in the trial a team had 8 threads for 4 CPUs");
  EXPECT_EQ(found(8, {0, 1, 2, 3}, 8), "") << "said before the trial";
}

TEST(DoctorTrial, KnowsProgramsThatSetTheScheduleThemselves) {
  for (const auto form : {LoopForm::runtime, LoopForm::hidden}) {
    const auto check = why({{form}, {}, "wstree", true, true});
    EXPECT_THAT(check.cause, HasSubstr("itself, by omp_set_schedule"));
    EXPECT_THAT(check.fix, HasSubstr("wstree run --rules '* wstree'"));
  }
}

TEST(DoctorTrial, BlamesTheListOfLoops) {
  const auto check = why({{LoopForm::dynamic, LoopForm::fixed}, {}, "wstree"});
  EXPECT_THAT(check.cause,
              AllOf(HasSubstr("WSTREE_LOOPS=runtime leaves out"), HasSubstr("schedule(dynamic)")));
  EXPECT_EQ(check.fix, "set WSTREE_LOOPS=all; a thread then gets iterations in any order: wstree "
                       "help schedules");
  EXPECT_EQ(why({{LoopForm::runtime}, kinds("dynamic"), "wstree"}).fix, "set WSTREE_LOOPS=runtime");
}

TEST(DoctorTrial, BlamesTheExitStatusFirst) {
  for (const TrialFacts& facts :
       {TrialFacts{{LoopForm::dynamic}, {}, "wstree"}, TrialFacts{{LoopForm::runtime}, {}, "dynamic"},
        TrialFacts{{}, {}, "wstree", false}}) {
    const auto checks = check_trial(ended(exited(3)), facts);
    ASSERT_EQ(checks.size(), 2U);
    EXPECT_EQ(checks[1].status, Status::warn);
    EXPECT_EQ(checks[1].cause, "it ended with status 3, perhaps before it reached its loops");
    EXPECT_THAT(checks[1].fix, HasSubstr("arguments"));
  }
}

TEST(DoctorTrial, BlamesTheLoops) {
  EXPECT_THAT(why({{LoopForm::runtime}, {}, "wstree"}).cause, HasSubstr("not reached with these arguments"));
  const auto ordered = why({.forms = {LoopForm::ordered}, .schedule = "wstree"});
  EXPECT_EQ(ordered.cause, "its loops are ordered, and the OpenMP runtime keeps their order");
  EXPECT_THAT(ordered.fix, testing::Not(HasSubstr("schedule(runtime)")));
  EXPECT_THAT(why({.forms = {LoopForm::ordered}, .schedule = "wstree", .may_be_static = true}).cause,
              HasSubstr("static, or need an order"));
  for (const bool has_runtime : {true, false}) // numba has layers without OpenMP
    EXPECT_THAT(why({.schedule = "wstree", .has_runtime = has_runtime, .has_numba = true}).fix,
                HasSubstr("import wstree.numba"));
  EXPECT_THAT(why({{LoopForm::fixed}, {}, "wstree"}).fix, HasSubstr("WSTREE_LOOPS=static"));
  EXPECT_THAT(why({{}, {}, "wstree"}).cause, HasSubstr("no loop was seen that asks")) << "gcc's static loops";
}

} // namespace
} // namespace wstree::test
