// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_RULES: which loops of a program are served, and how, on both compilers.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace {

using namespace wstree::test;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::string everything_done(int threads = 4) {
  std::string lines;
  for (int k = 0; k < 3; ++k)
    for (const char* loop : {"first 1000 ", "second 2000 ", "dynamic 3000 "})
      lines += loop + std::to_string(threads) + '\n';
  return lines;
}

struct Served {
  std::vector<std::string> loops; ///< "iterations schedule"
  json where;                     ///< places of the loops by their iterations
};

Served served(const Outcome& outcome) {
  Served found;
  const json figures = json::parse(outcome.err, nullptr, false);
  if (figures.is_discarded()) {
    ADD_FAILURE() << outcome.text();
    return found;
  }
  for (const json& loop : figures.at("loops")) {
    const int once = loop.at("iterations").get<int>() / 3;
    found.loops.push_back(std::to_string(once) + ' ' + loop.at("schedule").get<std::string>());
    found.where[std::to_string(once)] = loop;
  }
  return found;
}

class Rules : public testing::TestWithParam<const char*> {
protected:
  static Outcome run(const std::string& rules, bool with_schedule = true) {
    Program program(GetParam());
    program.preload().set("WSTREE_STATS", "json").set("WSTREE_RULES", rules);
    if (with_schedule) program.set("OMP_SCHEDULE", "wstree");
    const Outcome outcome = program.run();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
    return outcome;
  }
};

TEST_P(Rules, AnAppOrEverythingCanBeLeftAlone) {
  for (const char* rules : {"* off", "app:rul* off", "* wstree; app:ruled* runtime"}) {
    const Outcome outcome = run(rules);
    EXPECT_EQ(outcome.out, everything_done()) << rules;
    EXPECT_THAT(served(outcome).loops, IsEmpty()) << rules;
  }
  EXPECT_THAT(served(run("app:another* off")).loops, UnorderedElementsAre("1000 wstree", "2000 wstree"));
}

TEST_P(Rules, ALoopIsFoundByItsCodeLocation) {
  const Served all = served(run("* history=off"));
  ASSERT_THAT(all.loops, UnorderedElementsAre("1000 wstree", "2000 wstree"));
  const json& loop = all.where.at("1000");
  const std::string offset = [&] {
    std::ostringstream text;
    text << "+0x" << std::hex << loop.at("offset").get<std::uint64_t>();
    return text.str();
  }();
  const auto build_id = loop.at("build_id").get<std::string>();
  if (!build_id.empty()) {
    EXPECT_THAT(served(run(build_id + offset + " off")).loops, ElementsAre("2000 wstree"));
  }
  const Outcome ranged = run(std::string(GetParam()) + offset + " wsrange,64");
  EXPECT_EQ(ranged.out, everything_done());
  EXPECT_THAT(served(ranged).loops, UnorderedElementsAre("1000 wsrange", "2000 wstree"));
}

TEST_P(Rules, AScheduleForALoopNeedsNoVariable) {
  const Outcome outcome = run("ruled* wsrange", false);
  EXPECT_EQ(outcome.out, everything_done());
  EXPECT_THAT(served(outcome).loops,
              UnorderedElementsAre("1000 wsrange", "2000 wsrange", testing::StartsWith("3000 wsrange")));
  const Outcome named = run("* loops=dynamic", false);
  EXPECT_EQ(named.out, everything_done());
  EXPECT_THAT(served(named).loops, ElementsAre("3000 wstree (dynamic)"));
}

TEST_P(Rules, ChunksOfTheSourceAreSharedIfARuleSaysSo) {
  const auto batches = [](const std::string& rules) {
    const Outcome outcome = run(rules, false);
    EXPECT_EQ(outcome.out, everything_done()) << rules;
    return served(outcome).where.at("3000").at("batches").get<int>();
  };
  EXPECT_EQ(batches("* wsfixed"), 3 * 3000 / 10) << "dynamic,10 hands out tens";
  EXPECT_EQ(batches("* wsfixed,1"), 3 * 3000 / 10);
  EXPECT_EQ(batches("* wsfixed chunk=1"), 3 * 3000);
}

TEST_P(Rules, RegionsGetTheThreadsThatRulesSay) { EXPECT_EQ(run("* threads=3").out, everything_done(3)); }

TEST_P(Rules, ARegionThatAsksForOneThreadKeepsIt) {
  const std::string name = std::string(GetParam()) == "ruled" ? "asks_for_one" : "asks_for_one_gcc";
  const Outcome outcome =
      Program(name).preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_RULES", "* threads=4").run();
  EXPECT_EQ(outcome.out, "1 4 1 4\n") << outcome.text();
}

TEST_P(Rules, TheLastMatchCountsAndComesFromAFile) {
  const TemporaryFolder folder;
  std::ofstream(folder / "rules") << "# first\n* off\n\n* wsqueue\nnothing-such off\n";
  const Outcome outcome = run(folder / "rules");
  EXPECT_THAT(served(outcome).loops,
              UnorderedElementsAre("1000 wsqueue", "2000 wsqueue", "3000 wsqueue (dynamic)"));
}

TEST_P(Rules, ABadLineGetsOneMessageWithItsNumber) {
  const TemporaryFolder folder;
  std::ofstream(folder / "rules") << "* off\n\n*x* wstre\n";
  const Outcome outcome =
      Program(GetParam()).preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_RULES", folder / "rules").run();
  EXPECT_EQ(outcome.out, everything_done());
  EXPECT_EQ(outcome.err,
            "wstree: " + (folder / "rules") +
                ":3: 'wstre' is neither a schedule of the library nor one of runtime, off, loops=, threads=, "
                "history=, chunk=1, bind=; the line is left out\n");
}

TEST(RuleOfHistory, OffMeansThatNothingIsKnownOfALoop) {
  const auto known = [](const char* rules) {
    const Outcome outcome = with_tree("loops").set("WSTREE_STATS", "json").set("WSTREE_RULES", rules).run();
    return json::parse(outcome.err).at("loops").at(0).at("known_shares").get<int>();
  };
  EXPECT_GT(known("* history=on"), 0);
  EXPECT_EQ(known("* history=off"), 0);
}

INSTANTIATE_TEST_SUITE_P(OfBothCompilers, Rules, testing::Values("ruled", "ruled_gcc"),
                         [](const auto& each) { return std::string(each.param); });

} // namespace
