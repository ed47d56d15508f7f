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

TEST(Help, ListsItsTopics) {
  const auto list = wstree({"help"});
  EXPECT_EQ(list.status(), 0);
  for (const auto* topic : k_topics)
    EXPECT_THAT(list.out, HasSubstr(std::string("\n  ") + topic)) << list.out;
}

TEST(Help, EachTopicEndsWithWhatToTryNext) {
  for (const auto* topic : k_topics) {
    const auto text = wstree({"help", topic});
    EXPECT_EQ(text.status(), 0) << topic;
    EXPECT_THAT(text.out, HasSubstr("\nNext: ")) << topic;
    EXPECT_EQ(text.err, "");
  }
}

TEST(Help, VariablesAreThoseOfTheTableOfOptions) {
  const auto text = wstree({"help", "variables"}).out;
  for (const auto* name : {"OMP_SCHEDULE=", "WSTREE_BIND=", "WSTREE_TRACE_EVENTS=number from 64 to 16777216"})
    EXPECT_THAT(text, HasSubstr(std::string("\n") + name));
}

TEST(Help, ACommandIsATopic) {
  EXPECT_EQ(wstree({"help", "topo"}).out, wstree({"topo", "--help"}).out);
  EXPECT_THAT(wstree({"help", "rules"}).out, HasSubstr("wstree rules --help"));
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
