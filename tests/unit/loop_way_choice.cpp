// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which way of executing brief loops is preferred, whatever interruptions and chance add to what they take.
#include "seed.h"
#include "way_choice.h"
#include "way_trial.h"

#include "wstree/core/rng.h"
#include "wstree/core/tuning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

namespace wstree::loop::way_choice_test {
namespace {

/// Of so many executions, in which way each is done says what it takes, how many are in equal parts.
using Took = std::function<WayChoice::Execution(Way)>;
int in_equal_parts(int executions, const Took& took) {
  WayChoice choice;
  int count = 0;
  for (int i = 0; i < executions; ++i) {
    const Way way = choice.way();
    count += way == Way::parts ? 1 : 0;
    choice.judge(took(way), 2);
  }
  return count;
}
float usual(Way way) { return way == Way::parts ? 4'000.0F : way == Way::tree ? 4'500.0F : 6'000.0F; }

TEST(WayChoice, OneEstimateThatWasFarTooHighDoesNoHarm) {
  // It would be a mean far below zero, which everything later would be measured by.
  int i = 0;
  const auto took = [&](Way way) {
    return WayChoice::Execution{usual(way), i++ % 50 == 7 ? 1e7F : 1'000.0F};
  };
  EXPECT_GE(in_equal_parts(2'000, took), 1'700);
}

TEST(WayChoice, WhatFluctuatesIsNoReasonForTheTree) {
  core::Rng random(test::seed());
  const auto took = [&](Way way) {
    return WayChoice::Execution{usual(way) + static_cast<float>(random.below(2'000)), 1'000};
  };
  EXPECT_GE(in_equal_parts(4'000, took), 3'000);
}

/// Each change moves data from one processor to another.
TEST(WayChoice, WaysThatTakeAboutTheSameDoNotTakeTurns) {
  core::Rng random(test::seed());
  WayChoice choice;
  int changes = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Way before = choice.preferred();
    const float more = choice.way() == Way::alone ? 2'000.0F : 0; // the other two take the same
    choice.judge({4'000 + more + static_cast<float>(random.below(4'000)), 1'000}, 2);
    changes += choice.preferred() != before ? 1 : 0;
  }
  EXPECT_LE(changes, 60);
}

/// The steps of a factorization: each has less to do than the one before, and then it begins again.
TEST(WayChoice, WhatChangesWithEveryExecutionHidesNoWay) {
  core::Rng random(test::seed());
  WayChoice choice;
  int alone = 0;
  constexpr int k_executions = 10'000;
  for (int i = 0; i < k_executions; ++i) {
    const Way way = choice.way();
    const float work = 20.0F * static_cast<float>(64 - i % 40); // the estimate is that of the mean
    // The first steps find data that others have written.
    const float begins = i % 40 < 3 ? 3'000.0F : 0;
    const float takes = way == Way::alone   ? 1'500 + 2 * work
                        : way == Way::parts ? 3'500 + work
                                            : 6'000 + work;
    choice.judge({takes + begins + static_cast<float>(random.below(1'000)), 900, 32}, 2);
    alone += way == Way::alone ? 1 : 0;
  }
  EXPECT_GE(alone, k_executions * 8 / 10);
}

/// What the executions of a loop take: by way and number.
using Takes = std::function<float(Way, int)>;
/// Time of so many executions by that of the best way, from number `from` on. `is_missed(i)`: nobody sees it.
double by_best(
    int executions, const Takes& takes, int from = 0,
    const std::function<bool(int)>& is_missed = [](int) { return false; }) {
  WayChoice choice;
  double all = 0;
  std::array<double, k_ways> fixed{};
  for (int i = 0; i < executions; ++i) {
    const Way way = choice.way();
    if (i >= from) {
      all += takes(way, i);
      for (std::size_t w = 0; w < k_ways; ++w) fixed[w] += takes(static_cast<Way>(w), i);
    }
    if (is_missed(i))
      choice.miss();
    else
      choice.judge({takes(way, i), 1'000, 100}, 2);
  }
  return all / *std::min_element(fixed.begin(), fixed.end());
}

TEST(WayChoice, PatternsThatGoWithTheTurnsAreNoReason) {
  for (const int period : {2, 3, 4, 5, 6, 8, 12, 16, 32})
    for (int phase = 0; phase < period; ++phase) {
      const auto takes = [=](Way way, int i) {
        const float rare = i % period == phase ? 10'000.0F : 0;
        return rare + (way == Way::parts ? 2'000.0F : way == Way::tree ? 3'600.0F : 4'000.0F);
      };
      EXPECT_LE(by_best(20'000, takes), 1.1) << period << " " << phase; // mended
    }
}

TEST(WayChoice, WhatBecomesWorseLittleByLittleIsNoticed) {
  for (const float growth : {0.001F, 0.005F, 0.01F, 0.03F}) {
    const auto takes = [=](Way way, int i) {
      const float grown = 1 + growth * static_cast<float>(std::max(i - 5'000, 0));
      return way == Way::parts ? 1'500.0F * grown : way == Way::tree ? 3'500.0F : 9'000.0F;
    };
    EXPECT_LE(by_best(9'000, takes, 5'000), 1.25) << growth;
  }
}

TEST(WayChoice, WhatIsFarWorseInMostExecutionsIsNoticed) {
  for (const int period : {2, 3, 4, 5})
    for (const bool is_most : {false, true}) {
      const auto takes = [=](Way way, int i) {
        const bool is_bad = i >= 5'000 && (i % period == 0) != is_most;
        return way == Way::parts ? (is_bad ? 30'000.0F : 1'500.0F) : way == Way::tree ? 3'500.0F : 9'000.0F;
      };
      EXPECT_LE(by_best(8'000, takes, 5'000), 1.25) << period << is_most;
    }
}

TEST(WayChoice, IfTwoWaysBecomeWorseTheThirdIsFound) {
  for (const float jump : {1.9F, 4.0F, 10.0F}) {
    const auto takes = [=](Way way, int i) {
      const float now = i < 9'000 ? 1 : jump;
      return way == Way::parts ? 2'000 * now : way == Way::tree ? 4'000 * now : 2'500.0F;
    };
    EXPECT_LE(by_best(11'000, takes, 9'000), 1.5) << jump;
  }
}

TEST(WayChoice, ExecutionsThatNobodySeesHideNothing) {
  const auto takes = [](Way way, int) {
    return way == Way::parts ? 2'000.0F : way == Way::tree ? 3'600.0F : 4'000.0F;
  };
  for (const int period : {2, 3, 4, 5, 7})
    EXPECT_LE(by_best(10'000, takes, 0, [=](int i) { return i % period == 0; }), 1.1) << period;
  core::Rng random(test::seed());
  for (const std::uint64_t percent : {20U, 40U})
    EXPECT_LE(by_best(30'000, takes, 0, [&](int) { return random.below(100) < percent; }), 1.25) << percent;
}

/// However long the others have been worse, they are tried again before that costs much.
TEST(WayChoice, AWayThatBecomesBetterLateIsFound) {
  constexpr int k_executions = 20'000;
  for (int change = 500; change < 16'000; change += 750) {
    WayChoice choice;
    float took = 0;
    for (int i = 0; i < k_executions; ++i) {
      const Way way = choice.way();
      const float now = way == Way::alone   ? 9'000.0F
                        : way == Way::parts ? 4'000.0F
                        : i < change        ? 4'500.0F
                                            : 2'000.0F;
      choice.judge({now, 1'000}, 2);
      took += now / 1'000;
    }
    const float best = std::min(4.0F * k_executions, 4.5F * static_cast<float>(change) +
                                                         2.0F * static_cast<float>(k_executions - change));
    EXPECT_LE(took, 1.2F * best) << change;
  }
}

TEST(WayChoice, InterruptionsAreNoReasonForTheTree) {
  // They come whichever way the loops go, and cost as much as many executions save.
  core::Rng random(test::seed());
  const auto took = [&](Way way) {
    return WayChoice::Execution{usual(way) + (random.below(300) == 0 ? 30'000.0F : 0), 1'000};
  };
  EXPECT_GE(in_equal_parts(10'000, took), 8'000);
}

TEST(WayChoice, RareExecutionsThatCostMoreThanTheOthersSaveAreAReason) {
  int i = 0;
  const auto took = [&](Way way) {
    const bool is_rare = ++i % 100 == 0;
    return WayChoice::Execution{usual(way) + (!is_rare           ? 0
                                              : way == Way::tree ? 500'000.0F
                                                                 : 1'000'000.0F),
                                1'000};
  };
  EXPECT_LE(in_equal_parts(10'000, took), 2'000);
}

TEST(WayChoice, OneMemberAloneIfThatTakesLeast) {
  WayChoice choice;
  int alone = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Way way = choice.way();
    alone += way == Way::alone ? 1 : 0;
    choice.judge({way == Way::alone ? 1'500.0F : usual(way), 500}, 2);
  }
  EXPECT_GE(alone, 1'700);
}

TEST(WayChoice, NobodyIsAloneWithWorkThatOthersWouldFeel) {
  WayChoice choice;
  for (int i = 0; i < 2'000; ++i) {
    ASSERT_NE(choice.way(), Way::alone) << i;
    choice.judge({usual(choice.way()) + 10'000, 10'000}, 2);
  }
}

TEST(WayChoice, SaysHowManyExecutionsItWantsToSee) {
  WayChoice choice;
  const WayChoice::Execution as_usual{4'000, 1'000};
  for (int i = 0; i < 2'000 && choice.wanted() != 0; ++i) {
    EXPECT_EQ(choice.wanted(), core::tuning::k_remembered) << i; // as long as something may be new
    choice.judge({choice.way() == Way::parts ? 4'000.0F : 8'000.0F, 1'000}, 2);
  }
  ASSERT_EQ(choice.wanted(), 0U);
  ASSERT_EQ(choice.way(), Way::parts);
  choice.judge({400'000, 1'000}, 2); // it may have become another one
  EXPECT_EQ(choice.wanted(), 2 * core::tuning::k_few);
  choice.judge(as_usual, 2);
  EXPECT_EQ(choice.wanted(), 0U);
  // Those that nobody saw count for the next trial.
  std::uint32_t executions = 0;
  for (; choice.way() == Way::parts && executions < 100'000; executions += 4) {
    choice.pass(3);
    choice.judge(as_usual, 2);
  }
  EXPECT_LE(executions, core::tuning::k_longest_between_trials + 8);
}

/// Executions on the tree after parts have taken far too long a few times, of which nobody sees `unseen`
/// after each that somebody sees.
std::uint32_t wary_for(std::uint32_t unseen) {
  WayChoice choice;
  for (int i = 0; i < 2'000; ++i) choice.judge({usual(choice.way()), 1'000}, 2);
  EXPECT_EQ(choice.preferred(), Way::parts);
  for (std::uint32_t i = 0; i < 3; ++i) choice.judge({2'000'000, 1'000}, 2);
  std::uint32_t wary = 0;
  for (std::uint32_t i = 0; i < 60'000; i += 1 + unseen) {
    if (choice.way() == Way::tree) wary += 1 + unseen;
    choice.judge({usual(choice.way()), 1'000}, 2);
    choice.pass(unseen);
  }
  return wary;
}
TEST(WayChoice, WhatWasFarTooLongIsForgottenAfterAsManyExecutionsHoweverManySomebodySees) {
  const std::uint32_t seen = wary_for(0);
  EXPECT_GE(seen, 100U);
  EXPECT_LE(wary_for(3), 2 * seen);
}

TEST(WayChoice, ATrialThatNobodySeesEnds) {
  WayChoice choice;
  for (int i = 0; i < 100 && choice.way() == Way::tree; ++i) choice.judge({4'500, 1'000}, 2);
  ASSERT_NE(choice.way(), Way::tree);
  for (std::uint32_t i = 0; i < core::tuning::k_missed; ++i) choice.miss(); // in a row
  EXPECT_EQ(choice.way(), Way::tree);
}

/// Executions of a trial until so many pairs are complete; `took(i, rivals)` are the ticks of number i.
WayTrial trial_of(std::uint32_t pairs, const std::function<float(int, bool)>& took) {
  WayTrial trial;
  for (int i = 0; trial.pairs() != pairs; ++i) trial.add(took(i, trial.is_rivals_turn()), 0, 0);
  return trial;
}

TEST(WayTrial, BothWaysHaveAsManyTurnsInTheSamePlaces) {
  const std::vector<bool> one = {false, false, true, true, true, true, false, false};
  const std::vector<bool> other = {true, true, false, false, false, false, true, true};
  int begins = 0;
  for (std::uint32_t number = 0; number < 100; ++number) {
    WayTrial trial(number);
    for (int quad = 0; quad < 3; ++quad) {
      std::vector<bool> rivals;
      for (int i = 0; i < 8; ++i) {
        rivals.push_back(trial.is_rivals_turn());
        EXPECT_EQ(trial.add(1, 0, 0), i % 4 == 3);
      }
      ASSERT_TRUE(rivals == one || rivals == other);
      begins += rivals == other ? 1 : 0;
    }
  }
  EXPECT_GE(begins, 100);
  EXPECT_LE(begins, 200) << "of 300";
}

TEST(WayTrial, WhatGrowsSteadilyIsTheSameForBoth) {
  const WayTrial trial = trial_of(
      4, [](int i, bool is_rivals) { return static_cast<float>(100 * i) + (is_rivals ? 900.0F : 1'000.0F); });
  EXPECT_NEAR(trial.gain(), 100, 0.01);
}

TEST(WayTrial, LargerLoopsMayTakeLonger) {
  WayTrial trial;
  for (int i = 0; trial.pairs() != 2; ++i) {
    const auto share = static_cast<float>(i % 3);
    trial.add(1'000 + 50 * share, share, 50);
  }
  EXPECT_NEAR(trial.gain(), 0, 0.01);
  EXPECT_NEAR(trial.error(), 0, 0.01);
}

TEST(WayTrial, TheErrorIsTwiceTheDeviationOfTheMean) {
  // Pairs that differ by 300, 100, 300, 100.
  const WayTrial trial = trial_of(4, [](int i, bool is_rivals) {
    const int pair = i / 4;
    return is_rivals ? 0 : pair % 2 == 0 ? 300.0F : 100.0F;
  });
  EXPECT_NEAR(trial.gain(), 200, 0.01);
  EXPECT_NEAR(trial.error(), 2 * std::sqrt(4 * 100.0 * 100.0 / (4 * 3)), 0.01);
}

} // namespace
} // namespace wstree::loop::way_choice_test
