// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verdicts, recommendations and causes of wstree compare, by made-up figures.
#include "compare/comparison.h"
#include "compare/show.h"

#include "usual.h"

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
    contest_.program = "./solver";
    contest_.arguments = {"a b"};
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
  [[nodiscard]] Judgement judged() const {
    auto judgement = judge(contest_);
    conclude(judgement, contest_);
    return judgement;
  }
  [[nodiscard]] std::string rules() const { return comparison_rules(contest_, judged()); }

  ProgramLoops kinds_;
  Contest contest_;
};

TEST_F(Judge, NamesTheRegionThatIsRefused) {
  contest_.refused = {"a.c:9 main()", "waits at a barrier", 2.0};
  contest_.refused_part = 0.93;
  contest_.step = "the step";
  EXPECT_THAT(judged().paragraph,
              HasSubstr(" 93 %, most of it a.c:9 main(): waits at a barrier. Next: the step. No winner"));
}

TEST_F(Judge, IsSurerOfAScheduleThatIsTheOnlyOne) {
  const auto among_many = contest_.ratio("guided", k_as_it_is);
  std::erase_if(contest_.samples, [](const Samples& one) {
    return one.variant.role == Role::schedule && one.variant.name != "guided";
  });
  const auto alone = contest_.ratio("guided", k_as_it_is);
  EXPECT_LT(alone.high - alone.low, among_many.high - among_many.low);
}

TEST_F(Judge, SaysThatTimeGoesElsewhereWhereLoopsAreEven) {
  contest_.threads = 4;
  contest_.loops = {{"a.c:1 f()", "a.c", 1, 10}};
  contest_.loops[0].seconds[k_tree] = std::vector<double>(10, 0.9);
  takes(k_one_thread, 2);
  EXPECT_THAT(judged().paragraph, HasSubstr("and 4 threads together take 2.0 times one thread's time."));
  contest_.loops[0].preempted = 0.5;
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("elsewhere"))) << "threads have no processors";
  contest_.loops[0].preempted = 0;
  contest_.loops[0].imbalance = 1.5;
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("elsewhere")));
  contest_.loops[0].imbalance = 1;
  takes(k_one_thread, 3.9);
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("elsewhere"))) << "as four threads should be";
  takes(k_one_thread, 0.5);
  EXPECT_THAT(judged().paragraph, HasSubstr("all of them (0.500 s). The time goes elsewhere"));
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
  EXPECT_THAT(judged().warnings, testing::ElementsAre(HasSubstr("by up to 30 %: the machine was busy")));
}

TEST_F(Judge, SaysWhatPassiveWaitingSaves) {
  for (auto& samples : contest_.samples)
    if (samples.variant.name == k_passive) samples.cpu_seconds.assign(10, 1.2);
  EXPECT_THAT(judged().paragraph, HasSubstr("Threads that wait cost 40 % of the CPU time"));
  EXPECT_THAT(judged().paragraph, HasSubstr("1.20 instead of 2.00 CPU seconds."));
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
  for (const std::size_t width : {80U, 100U, 120U}) {
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
  EXPECT_THAT(text, HasSubstr("a difference cannot be told, because the times vary too much: "));
  EXPECT_THAT(text, Not(HasSubstr("No difference")));
  EXPECT_THAT(comparison_text(contest_, judged(), {}, false),
              testing::ContainsRegex("  wstree +[^\n]*  cannot tell\n"));
}

struct Advice {
  std::map<std::string, double> times; ///< of variants; all others take a second
  std::string set, rule, words = {}, beside = {};
};

/// With all variants that there may be.
class Recommended : public Judge {
protected:
  Recommended() {
    kinds_.large_chunk = true;
    contest_.samples.clear();
    for (auto& variant :
         make_variants(kinds_, {}, true, true, {{"OMP_NUM_THREADS", "4"}, {"OMP_PLACES", "{0}"}}))
      contest_.samples.push_back({std::move(variant), {}});
  }
  void take(const std::map<std::string, double>& times) {
    for (auto& samples : contest_.samples) takes(samples.variant.name, samples.variant.few_rounds ? 1.9 : 1);
    for (const auto& [name, seconds] : times) takes(name, seconds);
  }
};

/// The first line that begins so; empty: there is none.
std::string line_of(const std::string& text, const std::string& begin) {
  const auto at = text.find("\n" + begin);
  return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST_F(Recommended, IsWhatItsRulesHoldToo) {
  const std::string fast = "OMP_NUM_THREADS=4 OMP_PLACES={0}", passive = "OMP_WAIT_POLICY=passive";
  const Advice table[] = {
      {{}, "", "", "No difference: with the tree the program takes as long as it is, within 1"},
      {{{k_tree, 0.8}, {k_unbound, 0.8}}, "wstree run", "* wstree loops=runtime", "% faster, between 19."},
      {{{k_tree, 0.8}, {k_unbound, 0.8}, {"guided", 0.8}}, "OMP_SCHEDULE=guided", ""},
      {{{"guided", 0.8}}, "OMP_SCHEDULE=guided", ""},
      {{{k_tree, 0.3}, {k_unbound, 0.3}, {k_passive, 0.1}},
       passive,
       "",
       "how threads wait, not the schedule"},
      {{{k_tree, 0.3}}, "wstree run", "* wstree loops=runtime", "pins threads, not the schedule"},
      {{{k_tree, 1.5}}, "", "", "with WSTREE_BIND=none it is not slower"},
      {{{k_tree, 0.98}, {k_passive, 0.28}, {k_tree_passive, 0.08}},
       passive + " wstree run",
       "* wstree loops=runtime",
       "",
       passive},
      {{{k_tree, 0.98}, {k_passive, 0.28}, {k_tree_passive, 0.28}}, passive, ""}, // the simpler one
      {{{k_unbound, 0.1}}, "wstree run --bind none", "* wstree bind=none loops=runtime"},
      {{{k_tree, 0.9}, {k_tree_passive, 0.6}, {k_one_thread, 0.5}},
       "OMP_NUM_THREADS=1",
       "* threads=1",
       "One thread is faster than all of them"},
      {{{k_tree, 0.9}, {"wsstatic", 0.5}}, "wstree run --schedule wsstatic", "* wsstatic loops=runtime"},
      {{{k_shared_chunks, 0.3}}, "wstree run --rules '* chunk=1'", "* wstree chunk=1 loops=runtime"},
      {{{k_fast, 0.6}}, fast, ""},
      {{{k_fast, 0.6}, {k_tree, 0.5}, {k_tree_fast, 0.4}},
       fast + " wstree run",
       "* wstree loops=runtime",
       "",
       fast},
  };
  for (const auto& advice : table) {
    take(advice.times);
    const auto result = judged();
    EXPECT_EQ(result.set, advice.set) << result.paragraph;
    EXPECT_THAT(result.paragraph, HasSubstr(advice.words));
    EXPECT_THAT(result.warnings, testing::IsEmpty());
    const bool served = advice.set.find("wstree") != std::string::npos;
    const auto ending = advice.set.empty()
                            ? "No winner: run the program as it is; there is nothing to set."
                            : "Run: " + advice.set + (served ? " -- " : " ") + "./solver 'a b'";
    EXPECT_THAT(result.paragraph, testing::EndsWith(ending));
    for (const auto& rules : {rules_for_all(contest_, result), comparison_rules(contest_, result)}) {
      EXPECT_THAT(rules, testing::StartsWith(k_rules_heading));
      EXPECT_EQ(line_of(rules, "* "), advice.rule);
      EXPECT_EQ(line_of(rules, "# With "),
                advice.beside.empty() ? "" : "# With " + advice.beside + " in the environment:");
      EXPECT_THAT(rules, Not(HasSubstr(";"))) << "which would end a comment";
    }
  }
}

TEST_F(Recommended, IsTakenBackIfARunOfItGainsNothing) {
  take({{k_unbound, 0.5}});
  const auto tried = [&](const Ratio& ratio, double seconds = 2) {
    auto judgement = judge(contest_);
    judge_check(judgement, {10, seconds, ratio, {}});
    conclude(judgement, contest_);
    return judgement;
  };
  const auto good = tried({0.5, 0.49, 0.51, true});
  EXPECT_THAT(good.paragraph, HasSubstr(" Tried in 10 further rounds: 50.0 % faster (2.0 times as fast), "));
  for (const Ratio& bad : {Ratio{1, 0.9, 1.1, true}, Ratio{1.3, 1.2, 1.4, true}}) {
    const auto lost = tried(bad);
    EXPECT_THAT(lost.paragraph, HasSubstr(" further rounds, wstree run --bind none gains nothing: "));
    EXPECT_THAT(lost.paragraph, testing::EndsWith("there is nothing to set."));
    EXPECT_EQ(lost.set, "");
    EXPECT_THAT(rules_for_all(contest_, lost), HasSubstr("no schedule of the library gains anything"));
  }
  EXPECT_THAT(tried({1, 0.9, 1.1, true}, 0.3).paragraph, HasSubstr("takes time to start, which counts"));
  EXPECT_THAT(tried({1, 0.9, 1.1, true}).paragraph, Not(HasSubstr("takes time to start")));
  EXPECT_THAT(tried({0.5, 0.5, 0.5, false}).paragraph, HasSubstr("too few to be sure. Run: "));
}

TEST_F(Judge, WritesRulesOnlyForLoopsOfWhichItCanTell) {
  contest_.loops = {{"long", "src/long.c", 10, 1}, {"brief", "src/brief.c", 20, 100}, {"unknown", "", 0, 1}};
  contest_.loops[1].too_short = true;
  EXPECT_THAT(rules(), testing::StartsWith(k_rules_heading));
  EXPECT_THAT(rules(), HasSubstr("\nlong.c:10 wstree\n"));
  EXPECT_THAT(rules(), HasSubstr("\n# brief.c:20 wstree   (its executions are too short to tell)\n"));
  EXPECT_THAT(rules(), HasSubstr("\n# unknown: its line is not known"));
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

TEST_F(JudgePair, NamesAChunkThatIsTooLarge) {
  EXPECT_THAT(judged().paragraph,
              HasSubstr("Loops: cheap (99.9 % faster (800.0 times as fast) than wsfixed,1)."));
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("chunk")));
  contest_.loops[0].large_chunk = 256;
  EXPECT_THAT(judged().paragraph,
              HasSubstr("The chunk of long is too large: whole chunks of 256 iterations "));
  contest_.loops[0].seconds[k_tree] = times(0.005);
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("too large"))) << "next to nothing of the program's time";
}

TEST_F(JudgePair, SaysWhatSharedChunksGain) {
  kinds_.large_chunk = true;
  contest_.samples.clear();
  for (auto& variant : make_variants(kinds_, {}, true, true))
    contest_.samples.push_back({std::move(variant), {}});
  for (auto& samples : contest_.samples) takes(samples.variant.name, 1);
  takes(k_shared_chunks, 0.3);
  contest_.loops[0].large_chunk = 256;
  contest_.loops[0].seconds[k_shared_chunks] = times(0.1);
  EXPECT_THAT(judged().paragraph, HasSubstr("If threads share them it is 70."));
  EXPECT_EQ(judge_loop(contest_.loops[0]).best, "wstree chunk=1");
  EXPECT_THAT(rules(), HasSubstr("\nlong.c:10 wstree chunk=1\n"));
  for (auto& samples : contest_.samples)
    if (samples.variant.name == k_shared_chunks) samples.outputs.back() = 2;
  EXPECT_EQ(judged().set, "");
  EXPECT_THAT(judged().paragraph, HasSubstr("The program counts on whole chunks"));
}

TEST_F(JudgePair, NamesAChunkThatIsTooSmall) {
  auto& loop = contest_.loops[1];
  contest_.threads = 2;
  loop.iterations = 10'000'000;
  loop.seconds[k_tree] = times(0.2);
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("too small"))) << "the source does not say dynamic";
  loop.form = "wsfixed";
  EXPECT_THAT(judged().paragraph, HasSubstr("cheap is too small: its 10000000 chunks take 40 ns each"));
  loop.chunk = 1000;
  EXPECT_THAT(judged().paragraph, Not(HasSubstr("too small")));
}

TEST_F(JudgePair, RecommendsRulesOnlyAsTheyWereMeasured) {
  const Invocation by_rules{{{"OMP_WAIT_POLICY", "passive"}}, {"--rules", "RULES"}, true};
  const auto with = [&](const FurtherRounds& check) {
    auto judgement = judge(contest_);
    judge_rules(judgement, check, by_rules, "RULES");
    conclude(judgement, contest_);
    return judgement;
  };
  const auto good = with({10, 2, ratio(0.2), ratio(0.9)});
  EXPECT_THAT(good.paragraph,
              HasSubstr("With the rules in 'RULES' it is 80.0 % faster (5.0 times as fast), b"));
  EXPECT_THAT(good.paragraph,
              testing::EndsWith("Run: OMP_WAIT_POLICY=passive wstree run --rules RULES -- ./solver 'a b'"));
  EXPECT_EQ(good.check->rounds, 10U);
  const auto lost = with({10, 2, ratio(0.9), ratio(3.6)});
  EXPECT_THAT(lost.paragraph,
              HasSubstr("260.0 % slower (3.6 times as long) than what all loops have in common"));
  EXPECT_EQ(lost.set, "wstree run") << "as without rules";
}

} // namespace
} // namespace wstree::cli
