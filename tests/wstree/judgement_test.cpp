// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What wstree compare says of figures that are made up.
#include "judge.h"

#include <sstream>

namespace wstree::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(Judge, SeesNoDifferenceWhereThereIsNone) {
  const auto result = judged();
  EXPECT_THAT(
      result.paragraph,
      testing::StartsWith("No difference: with the tree the program takes as long as it is, within 1.0 %"));
  EXPECT_THAT(result.paragraph,
              testing::EndsWith("No winner: run the program as it is; there is nothing to set."));
  EXPECT_EQ(result.set, "");
  EXPECT_THAT(result.warnings, testing::IsEmpty());
}

TEST_F(Judge, NamesTheRegionThatIsRefused) {
  contest_.refused = {"a.c:9 main()", "waits at a barrier", 2.0};
  contest_.refused_part = 0.93;
  contest_.step = "the step";
  EXPECT_THAT(
      judged().paragraph,
      HasSubstr(" take 0 % of the time, and regions that are not served 93 %, most of it a.c:9 main(): "
                "waits at a barrier. Next: the step. No winner"));
}

TEST_F(Judge, RecommendsTheTree) {
  takes(k_tree, 0.8);
  takes(k_unbound, 0.8);
  takes(k_tree_passive, 0.8);
  const auto result = judged();
  EXPECT_THAT(result.paragraph, HasSubstr("% faster, between 19."));
  EXPECT_THAT(result.paragraph, Not(HasSubstr("reason")));
}

TEST_F(Judge, IsSurerOfAScheduleThatIsTheOnlyOne) {
  const auto among_many = contest_.ratio("guided", k_as_it_is);
  std::erase_if(contest_.samples, [](const Samples& one) {
    return one.variant.role == Role::schedule && one.variant.name != "guided";
  });
  const auto alone = contest_.ratio("guided", k_as_it_is);
  EXPECT_LT(alone.high - alone.low, among_many.high - among_many.low);
}

TEST_F(Judge, FindsThatWaitingIsTheReason) {
  takes(k_tree, 0.3);
  takes(k_unbound, 0.3);
  takes(k_passive, 0.1);
  EXPECT_THAT(judged().paragraph, HasSubstr("how threads wait, not the schedule"));
}

TEST_F(Judge, FindsThatPinningIsTheReason) {
  takes(k_tree, 0.3);
  const auto result = judged();
  EXPECT_THAT(result.paragraph, HasSubstr("pins threads, not the schedule"));
  takes(k_tree, 1.5);
  EXPECT_THAT(judged().paragraph, HasSubstr("with WSTREE_BIND=none it is not slower"));
  EXPECT_EQ(judged().set, "");
}

TEST_F(Judge, RecommendsOneThreadIfThatIsFaster) {
  takes(k_tree, 0.9);
  takes(k_tree_passive, 0.6); // what it would recommend else
  takes(k_one_thread, 0.5);
  const auto result = judged();
  EXPECT_THAT(result.paragraph, HasSubstr("One thread is faster than all of them"));
  EXPECT_THAT(result.paragraph, Not(HasSubstr("faster still")));
  EXPECT_THAT(result.paragraph, testing::EndsWith("Run: OMP_NUM_THREADS=1 ./solver 'a b'"));
}

TEST_F(Judge, SaysThatTimeGoesElsewhereWhereLoopsAreEven) {
  contest_.threads = 4;
  contest_.loops = {{"a.c:1 f()", "a.c", 1, 10}};
  contest_.loops[0].seconds[k_tree] = std::vector<double>(10, 0.9);
  takes(k_one_thread, 2);
  EXPECT_THAT(judged().paragraph,
              HasSubstr("The time goes elsewhere: the loops are even, and 4 threads together take "
                        "2.0 times one thread's time."));
  contest_.loops[0].preempted = 0.5;
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("elsewhere"))) << "threads have no processors";
  contest_.loops[0].preempted = 0;
  contest_.loops[0].imbalance = 1.5;
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("elsewhere")));
  contest_.loops[0].imbalance = 1;
  takes(k_one_thread, 3.9);
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("elsewhere"))) << "as four threads should be";
  takes(k_one_thread, 0.5);
  EXPECT_THAT(judged().paragraph,
              HasSubstr("One thread is faster than all of them (0.500 s). The time goes elsewhere"));
}

TEST_F(Judge, WarnsOfOutputsAndFailures) {
  contest_.samples[4].outputs.back() = 2;
  contest_.samples[2].problem = "exit status 3";
  const auto result = judged();
  EXPECT_THAT(result.warnings, testing::UnorderedElementsAre(
                                   HasSubstr("output of 'wstree' differs"),
                                   testing::AllOf(HasSubstr("the order of iterations may be why"),
                                                  HasSubstr("OMP_SCHEDULE=wsfixed"), HasSubstr("monotonic:")),
                                   HasSubstr("'dynamic,1' was given up: exit status 3")));
}

TEST_F(Judge, SaysThatTheMachineWasBusy) {
  auto& seconds = contest_.samples[0].seconds;
  EXPECT_LT(spread_of(contest_), 0.01);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = i < 2 ? 3 : 1; // two runs were hit
  EXPECT_DOUBLE_EQ(spread_of(contest_), 0);
  for (std::size_t i = 0; i < seconds.size(); ++i) seconds[i] = i < 5 ? 1.3 : 1;
  EXPECT_NEAR(spread_of(contest_), 0.3, 1e-9);
  EXPECT_THAT(judged().warnings,
              testing::ElementsAre(
                  HasSubstr("times of the program as it is differ by up to 30 %: the machine was busy")));
}

TEST_F(Judge, SaysWhatPassiveWaitingSaves) {
  for (auto& samples : contest_.samples)
    if (samples.variant.name == k_passive) samples.cpu_seconds.assign(10, 1.2);
  EXPECT_THAT(judged().paragraph, HasSubstr("Threads that wait cost 40 % of the CPU time: with "
                                            "OMP_WAIT_POLICY=passive it takes no longer, and 1.20 instead "
                                            "of 2.00 CPU seconds."));
  takes(k_passive, 1.05);
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("CPU seconds")));
}

TEST_F(Judge, FitsNarrowWindows) {
  takes(k_tree, 0.34);
  contest_.loops = {{std::string("solver.cpp:10 ") + std::string(60, 'x'), "solver.cpp", 10, 123}};
  contest_.loops[0].seconds[k_tree] = std::vector<double>(10, 0.5);
  contest_.samples.push_back({{"wsguided", Role::per_loop, true}, std::vector<double>(10, 0.9)});
  contest_.loops[0].seconds["wsguided"] = std::vector<double>(10, 0.9);
  const auto text_at = [&](std::size_t width) {
    Terminal terminal;
    terminal.width = width;
    return comparison_text(contest_, judged(), terminal, true);
  };
  for (const std::size_t width : {80, 100, 120}) {
    std::istringstream lines(text_at(width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), width) << line;
  }
  const auto narrow = text_at(80);
  EXPECT_THAT(narrow,
              testing::ContainsRegex(
                  "  as it is, passive  +[0-9.]+ m?s +[0-9.]+ m?s +[0-9.]+ \\([0-9.]+ .. [0-9.]+\\)"));
  EXPECT_THAT(narrow, HasSubstr("65.9 % faster, 2.9 x"));
  EXPECT_THAT(text_at(0), HasSubstr("as it is, OMP_WAIT_POLICY=passive"));
}

TEST(JudgeLoop, NamesTheBestScheduleOfALoop) {
  LoopTimes loop{"solver.c:120 assemble()", "solver.c", 120};
  loop.seconds = {{k_tree, std::vector<double>(10, 2)},
                  {"wsstatic", std::vector<double>(10, 3)},
                  {"wsguided", std::vector<double>(10, 1)},
                  {k_unbound, std::vector<double>(10, 0.1)},
                  {k_balanced, std::vector<double>(10, 0.1)}};
  EXPECT_EQ(judge_loop(loop).best, "wsguided");
  EXPECT_TRUE(judge_loop(loop).against.is_slower());
  loop.seconds.erase("wsguided");
  EXPECT_EQ(judge_loop(loop).best, "wstree");
  EXPECT_EQ(judge_loop(loop).other, "wsstatic");
}

TEST_F(Judge, SaysWhatIsKnownIfTimesVary) {
  for (auto& samples : contest_.samples) {
    if (samples.variant.name != k_tree) continue;
    for (std::size_t i = 0; i < samples.seconds.size(); ++i) samples.seconds[i] = i % 3 == 0 ? 1.1 : 0.1;
  }
  const auto text = judged().paragraph;
  EXPECT_THAT(
      text, HasSubstr("Whether the tree makes a difference cannot be told, because the times vary too much: "
                      "with the tree it takes 0.3"));
  EXPECT_THAT(text, Not(HasSubstr("No difference")));
  EXPECT_THAT(comparison_text(contest_, judged(), {}, false),
              testing::ContainsRegex("  wstree +[^\n]*  cannot tell\n"));
}

} // namespace
} // namespace wstree::cli
