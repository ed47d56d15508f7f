// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which way of executing brief loops is preferred, whatever interruptions and chance add to what they take.
#include "seed.h"
#include "way_choice.h"

#include "wstree/core/rng.h"
#include "wstree/core/tuning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>

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

TEST(WayChoice, ATrialThatNobodySeesEnds) {
  WayChoice choice;
  for (int i = 0; i < 100 && choice.way() == Way::tree; ++i) choice.judge({4'500, 1'000}, 2);
  ASSERT_NE(choice.way(), Way::tree);
  for (std::uint32_t i = 0; i < core::tuning::k_turn; ++i) choice.miss();
  EXPECT_EQ(choice.way(), Way::tree);
}

} // namespace
} // namespace wstree::loop::way_choice_test
