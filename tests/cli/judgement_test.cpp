// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What wstree compare says of figures that are made up.
#include "compare/comparison.h"
#include "compare/show.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace wstree::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A program of ten rounds; times in seconds, with a little noise that is the same each time.
class Judge : public testing::Test {
protected:
  Judge() {
    kinds_.runtime_kind = true;
    contest_.rounds = 10;
    for (auto& variant : make_variants(kinds_, {}, false, true))
      contest_.samples.push_back({std::move(variant), {}, {}, {}});
    for (auto& samples : contest_.samples) takes(samples.variant.name, 1);
    takes(k_one_thread, 1.9);
  }

  void takes(const std::string& name, double seconds) {
    for (auto& samples : contest_.samples) {
      if (samples.variant.name != name) continue;
      samples.seconds.clear();
      // Each variant's noise begins elsewhere, so that equal ones do not have equal times.
      const auto phase = static_cast<std::size_t>(&samples - contest_.samples.data());
      constexpr double k_noise[] = {0.003, -0.004, 0.001, -0.002, 0.002};
      for (std::size_t i = 0; i < contest_.rounds; ++i)
        samples.seconds.push_back(seconds * (1 + k_noise[(i * (phase + 1) + phase) % 5]));
      samples.cpu_seconds.assign(contest_.rounds, 2 * seconds);
      samples.outputs.assign(contest_.rounds, 1);
    }
  }
  [[nodiscard]] Judgement judged() const { return judge(contest_); }

  ProgramLoops kinds_;
  Contest contest_;
};

TEST_F(Judge, SeesNoDifferenceWhereThereIsNone) {
  const auto result = judged();
  EXPECT_THAT(result.paragraph,
              testing::StartsWith("No difference between the tree and the program as it is"));
  EXPECT_THAT(result.paragraph, testing::EndsWith("Set nothing."));
  EXPECT_EQ(result.set, "");
  EXPECT_THAT(result.warnings, testing::IsEmpty());
}

TEST_F(Judge, RecommendsTheTree) {
  takes(k_tree, 0.8);
  takes(k_unbound, 0.8);
  takes(k_tree_passive, 0.8);
  const auto result = judged();
  EXPECT_EQ(result.set, "wstree run");
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

TEST_F(Judge, SaysWhatTheCommandCostsBesides) {
  takes(k_tree, 0.8);
  takes(k_unbound, 0.8);
  takes(k_tree_passive, 0.8);
  contest_.look = 0.013;
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("looks at the program")));
  contest_.look = 0.026;
  EXPECT_THAT(judged().paragraph, HasSubstr("wstree run looks at the program first, which takes 26 ms"));
}

TEST_F(Judge, SaysIfAScheduleOfTheRuntimeDoesAsWell) {
  takes(k_tree, 0.8);
  takes(k_unbound, 0.8);
  takes("guided", 0.8);
  EXPECT_EQ(judged().set, "OMP_SCHEDULE=guided");
  takes(k_tree, 1);
  EXPECT_EQ(judged().set, "OMP_SCHEDULE=guided");
  EXPECT_THAT(judged().paragraph, HasSubstr("with the tree no difference can be seen"));
}

TEST_F(Judge, FindsThatWaitingIsTheReason) {
  takes(k_tree, 0.3);
  takes(k_unbound, 0.3);
  takes(k_passive, 0.1);
  const auto result = judged();
  EXPECT_EQ(result.set, "OMP_WAIT_POLICY=passive");
  EXPECT_THAT(result.paragraph, HasSubstr("how threads wait, not the schedule"));
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
  EXPECT_THAT(result.paragraph, testing::EndsWith("Set: OMP_NUM_THREADS=1"));
  EXPECT_EQ(result.set, "OMP_NUM_THREADS=1");
  const auto rules = rules_for_one_thread(contest_);
  EXPECT_THAT(rules, HasSubstr("one thread is faster than every schedule"));
  EXPECT_EQ(rules.find("\n"), rules.size() - 1) << "a comment, and no rule";
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

TEST_F(Judge, SaysNothingOfOrderIfTheRuntimesScheduleDiffers) {
  contest_.samples[2].outputs.back() = 2; // 'dynamic,1'
  EXPECT_THAT(judged().warnings, testing::ElementsAre(HasSubstr("output of 'dynamic,1' differs")));
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

TEST_F(Judge, NamesOutliers) {
  contest_.samples[0].seconds[6] = 2.5;
  EXPECT_THAT(judged().warnings, testing::Contains(HasSubstr(
                                     "outlier: round 7 of 'as it is' took 2.500 s, 2.5 times the median")));
  for (auto& samples : contest_.samples) samples.seconds[3] = 4;
  EXPECT_THAT(judged().warnings, testing::Contains(HasSubstr("more runs are outliers")));
}

TEST_F(Judge, DrawsEachRunAndEachLoop) {
  contest_.samples[0].seconds[6] = 2.5;
  contest_.loops = {{"a.c:1 f()", "a.c", 1, 10}};
  contest_.loops[0].seconds[k_tree] = std::vector<double>(10, 0.5);
  const auto svg = comparison_svg(contest_, true);
  EXPECT_THAT(svg, HasSubstr("<title>as it is, round 7: 2.50 s, an outlier</title>"));
  EXPECT_THAT(svg, HasSubstr(">a.c:1 f() wstree</text>"));
  std::size_t dots = 0;
  for (auto at = svg.find("<circle"); at != std::string::npos; at = svg.find("<circle", at + 1)) ++dots;
  EXPECT_EQ(dots, 10 * (contest_.samples.size() + 1));
  EXPECT_THAT(comparison_svg(contest_, false), Not(HasSubstr("a.c:1")));
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

TEST_F(Judge, WritesRulesOnlyForLoopsOfWhichItCanTell) {
  contest_.loops = {{"long", "src/long.c", 10, 1}, {"brief", "src/brief.c", 20, 100}, {"unknown", "", 0, 1}};
  contest_.loops[1].too_short = true;
  const auto rules = comparison_rules(contest_);
  EXPECT_THAT(rules, testing::StartsWith(k_rules_heading));
  EXPECT_THAT(rules, HasSubstr("\nlong.c:10 wstree\n"));
  EXPECT_THAT(rules, HasSubstr("\n# brief.c:20 wstree   (its executions are too short to tell)\n"));
  EXPECT_THAT(rules, HasSubstr("\n# unknown: its line is not known"));
}

TEST_F(Judge, LetsCombinationsCompete) {
  takes(k_tree, 0.98);
  takes(k_passive, 0.28);
  takes(k_tree_passive, 0.082);
  EXPECT_EQ(judged().set, "OMP_WAIT_POLICY=passive wstree run");
  EXPECT_THAT(judged().paragraph,
              HasSubstr("is faster still, 91.8 % faster (12.2 times as fast) than as it is"));
  takes(k_tree_passive, 0.28);
  EXPECT_EQ(judged().set, "OMP_WAIT_POLICY=passive") << "the simpler one does as well";
  takes(k_unbound, 0.1);
  EXPECT_EQ(judged().set, "wstree run --bind none");
}

TEST_F(Judge, RecommendsFastCpusWhereTheyAreFasterAlone) {
  const FastSettings fast = {{"OMP_NUM_THREADS", "4"}, {"OMP_PLACES", "{0},{1},{2},{3}"}};
  contest_.samples.clear();
  for (auto& variant : make_variants(kinds_, {}, false, true, fast))
    contest_.samples.push_back({std::move(variant), {}, {}, {}});
  for (auto& samples : contest_.samples) takes(samples.variant.name, 1);
  takes(k_fast, 0.6);
  EXPECT_EQ(judged().set, "OMP_NUM_THREADS=4 OMP_PLACES={0},{1},{2},{3}");
  takes(k_tree, 0.5);
  takes(k_tree_fast, 0.4);
  EXPECT_EQ(judged().set, "OMP_NUM_THREADS=4 OMP_PLACES={0},{1},{2},{3} wstree run");
}

TEST_F(Judge, SaysWhatIsKnownIfTimesVary) {
  for (auto& samples : contest_.samples) {
    if (samples.variant.name != k_tree) continue;
    for (std::size_t i = 0; i < samples.seconds.size(); ++i) samples.seconds[i] = i % 3 == 0 ? 1.1 : 0.1;
  }
  const auto text = judged().paragraph;
  EXPECT_THAT(text, HasSubstr("The times vary too much to tell: with the tree it takes 0.3"));
  EXPECT_THAT(text, Not(HasSubstr("it is below")));
}

/// A literal loop that costs much as the source says, and next to nothing under the tree.
class JudgePair : public Judge {
protected:
  JudgePair() {
    takes(k_tree, 0.25);
    takes(k_unbound, 0.25);
    takes(k_tree_passive, 0.25);
    contest_.loops = {{"long", "long.c", 10, 1}, {"cheap", "cheap.c", 20, 3}};
    contest_.loops[0].as_it_is = contest_.loops[1].as_it_is = "wsfixed,1";
    contest_.loops[0].seconds = {{k_tree, times(0.2)}, {"wsfixed,1", times(0.2)}};
    contest_.loops[1].seconds = {{k_tree, times(0.001)}, {"wsfixed,1", times(0.8)}};
  }
  static std::vector<double> times(double seconds) {
    std::vector<double> all;
    for (int i = 0; i < 10; ++i) all.push_back(seconds * (1 + 0.001 * (i * 7 % 5)));
    return all;
  }
  static Ratio ratio(double of) { return {of, of - 0.005, of + 0.005, true}; }
};

TEST_F(JudgePair, NamesTheLoopThatGainedByWhatItsSourceSays) {
  EXPECT_THAT(judged().paragraph,
              HasSubstr("Loops: cheap (99.9 % faster (800.0 times as fast) than wsfixed,1)."));
}

TEST_F(JudgePair, NamesAChunkThatIsTooLarge) {
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("chunk")));
  contest_.loops[0].large_chunk = 256;
  EXPECT_THAT(
      judged().paragraph,
      HasSubstr(
          "The chunk of long is too large: whole chunks of 256 iterations are handed out, too few to be "
          "shared. Write a smaller one."));
  contest_.loops[0].seconds[k_tree] = times(0.005);
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("too large"))) << "next to nothing of the program's time";
}

TEST_F(JudgePair, RecommendsWhatSharedChunksGain) {
  kinds_.large_chunk = true;
  contest_.samples.clear();
  for (auto& variant : make_variants(kinds_, {}, true, true))
    contest_.samples.push_back({std::move(variant), {}});
  for (auto& samples : contest_.samples) takes(samples.variant.name, 1);
  takes(k_shared_chunks, 0.3);
  contest_.loops[0].large_chunk = 256;
  contest_.loops[0].seconds[k_shared_chunks] = times(0.1);
  EXPECT_EQ(judged().set, "wstree run --rules '* chunk=1'");
  EXPECT_THAT(judged().paragraph, HasSubstr("If threads share them it is 70."));
  EXPECT_EQ(judge_loop(contest_.loops[0]).best, "wstree chunk=1");
  EXPECT_THAT(comparison_rules(contest_), HasSubstr("\nlong.c:10 wstree chunk=1\n"));
  EXPECT_THAT(comparison_rules(contest_), Not(HasSubstr(";"))) << "which would end a comment";
  for (auto& samples : contest_.samples)
    if (samples.variant.name == k_shared_chunks) samples.outputs.back() = 2;
  EXPECT_EQ(judged().set, "");
  EXPECT_THAT(judged().paragraph, HasSubstr("The program counts on whole chunks"));
}

TEST_F(JudgePair, SendsLoopsThatCannotBeToldToTheTreeIfThatGains) {
  for (auto& loop : contest_.loops) loop.too_short = true;
  EXPECT_THAT(comparison_rules(contest_), HasSubstr("\n* wstree loops=runtime\n"));
  takes(k_tree, 1.1);
  EXPECT_THAT(comparison_rules(contest_), Not(HasSubstr("\n* "))) << "it gains nothing";
}

TEST_F(JudgePair, RecommendsRulesOnlyAsTheyWereMeasured) {
  auto good = judged();
  judge_rules(good, {10, ratio(0.2), ratio(0.9)}, "RULES");
  EXPECT_THAT(
      good.paragraph,
      HasSubstr(
          "With the rules in 'RULES' it is 80.0 % faster (5.0 times as fast), between 79.5 and 80.5 %"));
  EXPECT_EQ(good.set, "wstree run --rules RULES");
  auto beside = judged();
  judge_rules(beside, {10, ratio(0.2), ratio(0.9)}, "RULES",
              settings_beside_rules(
                  {"", Role::tree, true, {{"OMP_SCHEDULE", "wstree"}, {"OMP_WAIT_POLICY", "passive"}}}));
  EXPECT_THAT(beside.paragraph,
              testing::EndsWith("OMP_WAIT_POLICY=passive wstree run --rules RULES -- PROGRAM"));
  auto lost = judged();
  judge_rules(lost, {10, ratio(0.9), ratio(3.6)}, "RULES");
  EXPECT_THAT(
      lost.paragraph,
      HasSubstr("260.0 % slower (3.6 times as long) than the tree for all loops does, so 'RULES' does not"));
  EXPECT_THAT(rules_for_all(contest_), HasSubstr("\n* wstree loops=runtime\n"));
}

} // namespace
} // namespace wstree::cli
