// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options: a bad value costs one line and nothing else; settings are shown when asked for, on stderr.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Bad {
  const char* variable;
  const char* value;
};

class BadValue : public testing::TestWithParam<Bad> {};

TEST_P(BadValue, GetsOneLineAndTheDefault) {
  const auto& [variable, value] = GetParam();
  const Outcome good = with_tree("loops", {"--status", "7"}).run();
  const Outcome bad = with_tree("loops", {"--status", "7"}).set(variable, value).run();
  EXPECT_EQ(bad.status, 7) << bad.text();
  EXPECT_EQ(bad.out, good.out);
  EXPECT_EQ(lines_of(bad.err).size(), 1U) << bad.err;
  EXPECT_THAT(bad.err, testing::StartsWith("wstree: " + std::string(variable) + "='" + value + "'"));
  EXPECT_THAT(bad.err, HasSubstr("; using "));
}

INSTANTIATE_TEST_SUITE_P(Options, BadValue,
                         testing::Values(Bad{"WSTREE_BATCH", "fixed:0"}, Bad{"WSTREE_STATS", "xml=path"},
                                         Bad{"WSTREE_TRACE_EVENTS", "63"}),
                         [](const auto& each) {
                           return std::string(each.param.variable) + "_" + std::to_string(each.index);
                         });

TEST(Options, BadValuesAreNotReportedWhileTheTreeIsNotAskedFor) {
  const Outcome outcome =
      Program("loops").preload().set("OMP_SCHEDULE", "dynamic").set("WSTREE_STRATEGY", "foo").run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST(Options, SettingsAreShownOnStderr) {
  const Outcome quiet = with_tree("loops").run();
  const Outcome verbose = with_tree("loops").set("WSTREE_VERBOSE", "1").set("WSTREE_BATCH", "fixed:9").run();
  EXPECT_EQ(verbose.out, quiet.out);
  for (const char* expected :
       {"OMP_SCHEDULE", "WSTREE_STRATEGY", "WSTREE_BATCH", "fixed:9", "WSTREE_FALLBACK"})
    EXPECT_THAT(verbose.err, HasSubstr(expected));
  const Outcome display = with_tree("loops").set("OMP_DISPLAY_ENV", "true").run();
  EXPECT_THAT(display.err, HasSubstr("WSTREE_STRATEGY"));
}

} // namespace
