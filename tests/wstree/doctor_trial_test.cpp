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

TEST(DoctorTrial, SaysThatLengthsOfStaticLoopsNeverRepeat) {
  auto trial = ended(exited(0));
  trial.of_new_lengths = {{"equal parts", {1, 29, 29}}};
  auto checks = check_trial(trial, {});
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[1].status, Status::warn);
  EXPECT_EQ(checks[1].found, "1 static loop in 29 executions kept equal parts");
  EXPECT_THAT(checks[1].cause, HasSubstr("in 29 of these the number of iterations had not come before"));
  trial.loops = {{"runtime", {1, 1}}};
  checks = check_trial(trial, {});
  ASSERT_EQ(checks.size(), 3U);
  EXPECT_EQ(checks[1].found, "served: 1 schedule(runtime) loop in 1 execution");
  EXPECT_EQ(checks[2].status, Status::note);
}

TEST(DoctorTrial, SaysWhichPluginsCallPastTheLibrary) {
  auto trial = ended(exited(0));
  trial.past = {{"/p/plugin.so", "/lib/libgomp.so.1"}};
  auto checks = check_trial(trial, {.forms = {LoopForm::dynamic}});
  ASSERT_EQ(checks.size(), 2U) << "and not that its loops were not reached";
  EXPECT_EQ(checks[1].status, Status::warn);
  EXPECT_EQ(checks[1].found, "plugin.so: its loops were not seen, because it calls libgomp.so.1 directly");
  EXPECT_THAT(checks[1].cause, HasSubstr("RTLD_DEEPBIND"));
  trial.loops = {{"runtime", {1, 1}}};
  EXPECT_EQ(check_trial(trial, {}).size(), 3U);
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

TEST(DoctorTrial, SaysHowTheProgramEnded) {
  EXPECT_EQ(check_trial(ended(exited(3)), {})[0].status, Status::note);
  EXPECT_EQ(check_trial(ended(exited(3)), {})[0].found, "exit status 3");
  const auto crash = check_trial(ended(SIGSEGV), {});
  ASSERT_EQ(crash.size(), 1U) << "what it served is not known";
  EXPECT_EQ(crash[0].status, Status::fail);
  EXPECT_THAT(crash[0].found, HasSubstr("killed by signal 11"));
  EXPECT_THAT(crash[0].fix, HasSubstr("without the library"));
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const auto checks = check_trial(ended(signal), {});
    ASSERT_EQ(checks.size(), 1U);
    EXPECT_EQ(checks[0].status, Status::warn);
  }
}

TEST(DoctorTrial, MayNotTakePlace) {
  Trial trial;
  trial.problem = "no folder";
  const auto checks = check_trial(trial, {});
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].status, Status::fail);
  EXPECT_EQ(checks[0].cause, "no folder");
}

TEST(DoctorTrial, BlamesTheSchedule) {
  const auto check = why({{LoopForm::runtime}, {}, "dynamic,4"});
  EXPECT_THAT(check.cause, HasSubstr("OMP_SCHEDULE=dynamic,4"));
  EXPECT_THAT(check.fix, HasSubstr("OMP_SCHEDULE=wstree"));
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

TEST(DoctorTrial, NamesOnlyLoopsThatAreLeftOut) {
  const auto check = why({{LoopForm::dynamic, LoopForm::fixed, LoopForm::ordered}, {}, "wstree"});
  EXPECT_THAT(check.cause, testing::EndsWith("could be served: schedule(dynamic)"));
  // It ended well before loops that are served, so the others may not have been reached either.
  const auto early = why({{LoopForm::runtime, LoopForm::dynamic}, {}, "wstree"});
  EXPECT_EQ(early.cause, "its loops with schedule(runtime) were not reached with these arguments");
  EXPECT_THAT(early.fix, HasSubstr("or set WSTREE_LOOPS=all for those with schedule(dynamic); a thread "
                                   "then gets iterations in any order"));
}

TEST(DoctorTrial, GuessesWhereTheScheduleIsHidden) {
  EXPECT_EQ(why({{LoopForm::hidden}, {}, "wstree"}).fix,
            "try WSTREE_LOOPS=all; a thread then gets iterations in any order: wstree help schedules");
  const auto all = why({{LoopForm::hidden}, kinds("all"), "wstree"});
  EXPECT_THAT(all.cause, HasSubstr("not reached"));
  EXPECT_THAT(all.fix, HasSubstr("arguments"));
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

TEST(DoctorTrial, BlamesTheBuild) {
  const auto check = why({{}, {}, "wstree", false});
  EXPECT_THAT(check.cause, HasSubstr("no OpenMP runtime was seen"));
  EXPECT_THAT(check.fix, HasSubstr("-fopenmp"));
}

} // namespace
} // namespace wstree::test
