// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_STATS: the figures of a program whose loops are known.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <compare>
#include <map>
#include <set>
#include <sstream>

namespace {

using namespace wstree::test;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Statistics, JsonHasTheDocumentedKeys) {
  const Outcome outcome = with_tree("loops").set("WSTREE_STATS", "json").run();
  EXPECT_EQ(outcome.out, with_tree("loops").run().out);
  const json figures = json::parse(outcome.err); // nothing else may be on stderr
  EXPECT_EQ(figures.at("version"), WSTREE_TEST_VERSION);
  EXPECT_EQ(figures.at("threads"), 4);
  ASSERT_EQ(figures.at("loops").size(), 1U);
  const json& loop = figures.at("loops").at(0);
  EXPECT_THAT(loop.at("where").get<std::string>(),
              testing::MatchesRegex(".*loops\\.cpp:[0-9]+ \\(.*run_loops.*\\)"));
  EXPECT_THAT(loop.at("schedule").get<std::string>(), testing::StartsWith("wstree"));
  EXPECT_EQ(loop.at("calls"), 10);
  EXPECT_EQ(loop.at("iterations"), 10'000);
  EXPECT_GE(loop.at("batches"), 10);
  EXPECT_GE(loop.at("steals"), 0);
  EXPECT_GE(loop.at("nodes"), 40);
  EXPECT_LE(loop.at("known_shares"), 40);
  EXPECT_LE(loop.at("surprises"), loop.at("known_shares"));
  EXPECT_EQ(loop.at("forgotten_places"), 0);
  EXPECT_GT(loop.at("seconds"), 0);
  EXPECT_LT(loop.at("seconds"), 60);
  EXPECT_GE(loop.at("imbalance"), 1);
  EXPECT_LE(loop.at("imbalance"), 4);
}

TEST(Statistics, WithoutLineNumbersALoopIsNamedByItsModule) {
  const Outcome outcome = with_tree("loops_without_lines").set("WSTREE_STATS", "json").run();
  const json figures = json::parse(outcome.err);
  ASSERT_EQ(figures.at("loops").size(), 1U) << outcome.err;
  EXPECT_THAT(figures.at("loops").at(0).at("where").get<std::string>(),
              testing::MatchesRegex(".*loops_without_lines\\+0x[0-9a-f]+"));
}

TEST(Statistics, LoopsTakeAsLongAsTheirProgram) {
  const Outcome outcome = with_tree("short_regions", {"300", "0"}) // nearly all of it are loops
                              .set("OMP_NUM_THREADS", "1")
                              .set("WSTREE_STATS", "json")
                              .run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  const double whole = (std::stod(outcome.out) + 0.5) / 1000; // the program rounds
  const json figures = json::parse(outcome.err);
  double loops = 0;
  for (const json& loop : figures.at("loops")) loops += loop.at("seconds").get<double>();
  EXPECT_LE(loops, 1.1 * whole) << outcome.text();
  EXPECT_GE(loops, whole / 4) << outcome.text();
}

struct Sums {
  int calls = 0, iterations = 0;
  friend auto operator<=>(const Sums&, const Sums&) = default;
};

/// What kinds.cpp says of its loops, by line: the sums of those that are served, and the names of all.
std::map<int, Sums> said_of_kinds(const std::string& out, std::map<int, std::string>& names) {
  std::map<int, Sums> wanted;
  for (const std::string& line : lines_of(out)) {
    std::istringstream words(line.substr(line.find(' ')));
    int number = 0, calls = 0, iterations = 0;
    std::string name;
    std::getline(words >> number >> calls >> iterations >> std::ws, name);
    names[number] = name;
    if (calls == 0) continue;
    wanted[number].calls += calls;
    wanted[number].iterations += iterations;
  }
  return wanted;
}

TEST(Statistics, ACancelledLoopIsCounted) {
  const Outcome outcome = with_tree("recorded", {"cancel", "3"})
                              .set("OMP_CANCELLATION", "true")
                              .set("WSTREE_STATS", "json")
                              .run();
  const json figures = json::parse(outcome.err);
  ASSERT_EQ(figures.at("loops").size(), 2U) << outcome.err;
  for (const json& loop : figures.at("loops")) EXPECT_EQ(loop.at("calls"), 3) << outcome.err;
}

TEST(Statistics, TheLastChunkOfALoopMayBeShorter) {
  const Outcome outcome =
      with_tree("recorded", {"literal", "3"}).set("WSTREE_LOOPS", "all").set("WSTREE_STATS", "json").run();
  const json figures = json::parse(outcome.err);
  ASSERT_EQ(figures.at("loops").size(), 1U) << outcome.err;
  EXPECT_EQ(figures.at("loops").at(0).at("iterations"), 300);
}

TEST(Statistics, WhatIsServedAndWhatIsNot) {
  for (const std::string& libomp : libomp_builds()) {
    const Outcome outcome = with_tree("kinds")
                                .libomp(libomp)
                                .set("KMP_TEAMS_THREAD_LIMIT", "16")
                                .set("WSTREE_STATS", "json")
                                .run();
    ASSERT_TRUE(outcome.succeeded()) << outcome.text();
    std::map<int, std::string> names;
    std::map<int, Sums> wanted = said_of_kinds(outcome.out, names), found;
    const json figures = json::parse(outcome.err);
    for (const json& loop : figures.at("loops")) {
      const auto where = loop.at("where").get<std::string>();
      found[std::stoi(where.substr(where.find(':') + 1))] = {loop.at("calls"), loop.at("iterations")};
    }
    ASSERT_GE(wanted.size(), 12U);
    for (const auto& [line, name] : names) {
      EXPECT_EQ(found[line].calls, wanted[line].calls) << libomp << ": loop " << name;
      EXPECT_EQ(found[line].iterations, wanted[line].iterations) << libomp << ": loop " << name;
    }
  }
}

#ifdef WSTREE_TEST_HAS_GCC
TEST(Statistics, WhatIsServedAndWhatIsNotOfGcc) {
  // Its loops do not know their lines, so the figures are compared without them.
  const Outcome outcome = with_tree("kinds_gcc").set("WSTREE_STATS", "json").run();
  ASSERT_TRUE(outcome.succeeded()) << outcome.text();
  std::map<int, std::string> names;
  std::multiset<Sums> wanted, found;
  for (const auto& [line, sums] : said_of_kinds(outcome.out, names)) wanted.insert(sums);
  const json figures = json::parse(outcome.err);
  for (const json& loop : figures.at("loops")) found.insert({loop.at("calls"), loop.at("iterations")});
  ASSERT_GE(wanted.size(), 12U);
  EXPECT_TRUE(found == wanted) << outcome.text();
}
#endif

TEST(Statistics, RelativePathsStartWhereTheLoopsRan) {
  TemporaryFolder first, later;
  const std::string profile = "profile-%e"; // as are those of recordings
  const Outcome outcome = with_tree("loops", {"--folder", first / "", "--folder-later", later / ""})
                              .set("WSTREE_STATS", "json=a/figures")
                              .set("WSTREE_RECORD", profile)
                              .run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_TRUE(json::accept(contents_of(first / "a/figures")));
  EXPECT_THAT(contents_of(first / "profile-loops"), testing::StartsWith("wstree-profile 1\n"));
  EXPECT_THAT(later.files(), IsEmpty());
}

TEST(Statistics, NoFileIsWrittenBehindAFilterOfCalls) {
  TemporaryFolder folder;
  const std::string figures = folder / "figures";
  Program program("confined_gcc", {"calls"});
  if (program.run().status != 0) GTEST_SKIP() << "the runtime itself cannot live like that";
  program.preload()
      .set("OMP_SCHEDULE", "wstree")
      .set("WSTREE_STATS", "json=" + figures)
      .set("WSTREE_TRACE", figures);
  const Outcome outcome = program.run();
  EXPECT_EQ(outcome.status, 0) << outcome.text();
  EXPECT_EQ(outcome.err,
            "wstree: no file is written, because the process has put up a filter of system calls\n");
}

TEST(Statistics, NoClockIsReadBehindAFilterOfCalls) {
  Program program("confined_gcc", {"late_calls"});
  if (program.run().status != 0) GTEST_SKIP() << "the runtime itself cannot live like that";
  program.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_STATS", "1");
  const Outcome outcome = program.run();
  EXPECT_EQ(outcome.status, 0) << outcome.text();
  EXPECT_THAT(outcome.err, HasSubstr("200 calls"));
}

TEST(Statistics, AForkedChildHasItsOwn) {
  TemporaryFolder folder;
  const Outcome outcome = with_tree("forks", {"--case", "between_regions"})
                              .set("WSTREE_STATS", "json=" + (folder / "%p.json"))
                              .run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_EQ(folder.files().size(), 6U); // five children and the parent
  int largest = 0, smallest = 1 << 30;
  for (const std::string& file : folder.files()) {
    const json figures = json::parse(contents_of(file));
    int calls = 0;
    for (const json& loop : figures.at("loops")) calls += loop.at("calls").get<int>();
    largest = std::max(largest, calls);
    smallest = std::min(smallest, calls);
  }
  EXPECT_EQ(smallest, 10); // one region of a child
  EXPECT_EQ(largest, 60);  // six of the parent
}

} // namespace
