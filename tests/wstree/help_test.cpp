// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wstree help.
#include "command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace wstree::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const char* const k_topics[] = {"schedules", "placement", "statistics", "trace",          "rules",
                                "compare",   "report",    "variables",  "troubleshooting"};

TEST(Help, EachTopicEndsWithWhatToTryNext) {
  for (const auto* topic : k_topics) {
    const auto text = wstree({"help", topic});
    EXPECT_EQ(text.status(), 0) << topic;
    EXPECT_THAT(text.out, HasSubstr("\nNext: ")) << topic;
    EXPECT_EQ(text.err, "");
  }
}

TEST(Help, AnUnknownTopicIsAnsweredWithTheNearestOne) {
  const auto told = wstree({"help", "scedules"});
  EXPECT_EQ(told.status(), 125);
  EXPECT_THAT(told.err,
              StartsWith("wstree: there is no help on 'scedules'; did you mean schedules? topics are "));
  EXPECT_THAT(wstree({"help", "qqqqqq"}).err, HasSubstr("'qqqqqq'; topics are compare, placement"));
}

} // namespace
} // namespace wstree::test
