// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all pictures have in common: axes, ticks and pens.
#include "support/chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace wstree::cli {
namespace {

using testing::ElementsAre;

std::vector<std::string> ticks_of(const Axis& axis) {
  std::vector<std::string> texts;
  for (const auto& tick : axis.ticks) texts.push_back(tick.text);
  return texts;
}

TEST(Chart, LinearAxesBeginAtZeroAndHaveRoundTicks) {
  const auto axis = axis_for("seconds", {0.31, 0.07}, false);
  EXPECT_THAT(ticks_of(axis), ElementsAre("0", "0.1", "0.2", "0.3", "0.4"));
  EXPECT_DOUBLE_EQ(axis.part_of(0.1), 0.25);
  EXPECT_EQ(axis.part_of(7), 1) << "what lies beyond stands at the edge";
}

TEST(Chart, LogarithmicAxesHaveTicksAtPowersOfTwo) {
  const auto axis = axis_for("threads", {3, 16}, true);
  EXPECT_THAT(ticks_of(axis), ElementsAre("2", "4", "8", "16"));
  EXPECT_DOUBLE_EQ(axis.part_of(4), 1.0 / 3);
  EXPECT_EQ(axis_for("threads", {1}, true).part_of(1), 0) << "one value has an axis, too";
}

TEST(Chart, NoTwoCurvesOfAPictureHaveOnePen) {
  const std::vector<std::string> names{"wstree",      "wstrapezoid",  "trapez", "wsguided",
                                       "of the user", "wsqueue_lock", "static", "trapezoidal",
                                       "dynamic",     "dynamic,1"};
  std::set<std::pair<std::string_view, std::string_view>> pens;
  for (const auto& pen : pens_of(names)) pens.emplace(pen.colour, pen.dashes);
  EXPECT_EQ(pens.size(), names.size());
  EXPECT_EQ(pens_of(names).front().colour, pen_of("wstree", 1).colour);
}

} // namespace
} // namespace wstree::cli
