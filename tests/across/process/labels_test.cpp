// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Labels: in statistics and traces, and as patterns of rules, for loops of both compilers and for calls of
// the C++ library.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <vector>

namespace {

using namespace wstree::test;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

/// "label iterations" of every loop of the program in the statistics, "- iterations" for those without a
/// label; with `schedules` these too.
std::vector<std::string> loops_in(const Outcome& outcome, bool schedules = false) {
  const json report = json::parse(outcome.err, nullptr, false);
  if (report.is_discarded()) {
    ADD_FAILURE() << outcome.text();
    return {};
  }
  std::vector<std::string> loops;
  for (const json& loop : report.at("loops")) {
    std::string text = loop.value("label", "-") + ' ' + std::to_string(loop.at("iterations").get<long>() / 3);
    if (schedules) text += ' ' + loop.at("schedule").get<std::string>();
    loops.push_back(text);
  }
  return loops;
}

class Labels : public testing::TestWithParam<const char*> {
protected:
  static Program program() { return with_tree(GetParam()); }
  static constexpr const char* k_all_done = "12000\n";
};

TEST_P(Labels, NameTheNextLoopAndNoOther) {
  const Outcome outcome = program().set("WSTREE_STATS", "json").run();
  EXPECT_EQ(outcome.out, k_all_done) << outcome.text();
  // The loop of 300 with and without label; those of 400 and 500 ran twice, and
  // 100, 200 and 600 are one loop.
  EXPECT_THAT(loops_in(outcome), UnorderedElementsAre("assembly 100", "- 800", "first 300", "- 300",
                                                      "second 400", "- 400", "- 1000", "alone 700"));
}

TEST_P(Labels, AreMatchedByRules) {
  const Outcome outcome =
      program()
          .set("WSTREE_STATS", "json")
          .set("WSTREE_RULES", "label:assem* wsrange; label:second off; label:al?ne wsqueue")
          .run();
  EXPECT_EQ(outcome.out, k_all_done) << outcome.text();
  const auto loops = loops_in(outcome, true);
  EXPECT_THAT(loops,
              IsSupersetOf({"assembly 100 wsrange", "- 800 wstree", "alone 700 wsqueue", "- 400 wstree"}));
  for (const auto& loop : loops) EXPECT_THAT(loop, Not(StartsWith("second")));
}

TEST_P(Labels, StandInTextAndTraces) {
  const TemporaryFolder folder;
  const Outcome outcome =
      program().set("WSTREE_STATS", "text").set("WSTREE_TRACE", folder / "trace.json").run();
  EXPECT_THAT(outcome.err, HasSubstr("\n  assembly "));
  const json trace = json::parse(contents_of(folder / "trace.json"), nullptr, false);
  ASSERT_FALSE(trace.is_discarded()) << outcome.text();
  std::set<std::string> names, labels;
  for (const json& event : trace.at("traceEvents"))
    if (event.value("cat", "") == "loop") names.insert(event.at("name").get<std::string>());
  for (const json& site : trace.at("otherData").at("sites")) labels.insert(site.value("label", ""));
  EXPECT_THAT(names, IsSupersetOf({"assembly", "first", "second", "alone"}));
  EXPECT_THAT(labels, UnorderedElementsAre("", "assembly", "first", "second", "alone"));
}

TEST_P(Labels, DoNothingWithoutTheLibraryOrItsSchedule) {
  EXPECT_EQ(Program(GetParam()).run().out, k_all_done);
  const Outcome outcome = Program(GetParam()).preload().set("WSTREE_STATS", "text").run();
  EXPECT_EQ(outcome.out, k_all_done);
  EXPECT_EQ(outcome.err, "");
}

INSTANTIATE_TEST_SUITE_P(OfBothCompilers, Labels, testing::Values("labelled", "labelled_gcc"),
                         [](const auto& each) { return std::string(each.param); });

class Calls : public testing::TestWithParam<const char*> {};

TEST_P(Calls, StandInTheStatisticsByLabelOrPlace) {
  const Outcome outcome = Program(GetParam()).preload().set("WSTREE_STATS", "json").run();
  EXPECT_EQ(outcome.out, "4 300000\n") << outcome.text();
  const json report = json::parse(outcome.err, nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << outcome.text();
  std::set<std::string> names;
  for (const json& loop : report.at("loops")) {
    names.insert(loop.at("label").get<std::string>());
    EXPECT_EQ(loop.at("schedule"), "wstree (C++)");
    EXPECT_THAT(loop.at("where").get<std::string>(), HasSubstr("called.cpp:"));
    EXPECT_GT(loop.at("batches").get<int>(), 1);
  }
  EXPECT_THAT(names, IsSupersetOf({"assembly", "prefix"}));
  EXPECT_THAT(names, testing::Contains(StartsWith("called.cpp:")));
}

TEST_P(Calls, GetTheThreadsAndBatchesThatRulesSay) {
  const Outcome outcome =
      Program(GetParam())
          .preload()
          .set("WSTREE_STATS", "json")
          .set("WSTREE_RULES", "label:assembly threads=3 wstree,100000; called.cpp:1-999 threads=2; "
                               "label:assembly threads=3")
          .run();
  EXPECT_EQ(outcome.out, "3 300000\n") << outcome.text();
  const json report = json::parse(outcome.err, nullptr, false);
  ASSERT_FALSE(report.is_discarded()) << outcome.text();
  for (const json& loop : report.at("loops")) {
    if (loop.at("label") != "assembly") continue;
    // Three shares; a thief steals at least one batch.
    EXPECT_LE(loop.at("batches").get<int>(), 3 * 3 * 2);
  }
  EXPECT_EQ(report.at("threads"), 3);
}

INSTANTIATE_TEST_SUITE_P(OfBothCompilers, Calls, testing::Values("called", "called_gcc"),
                         [](const auto& each) { return std::string(each.param); });

} // namespace
