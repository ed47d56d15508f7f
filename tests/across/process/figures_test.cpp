// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_STATS, WSTREE_COUNTERS and WSTREE_WAIT: the figures of programs whose loops, page faults and gaps
// between regions are known.
#include "process.h"

#include <linux/perf_event.h>
#include <nlohmann/json.hpp>

namespace {

using namespace wstree::test;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

/// The only loop of a program in the statistics on stderr, where nothing else may be.
json only_loop_of(Program program) {
  const Outcome outcome = program.set("WSTREE_STATS", "json").run();
  const json figures = json::parse(outcome.err, nullptr, false);
  EXPECT_TRUE(figures.is_object() && figures.at("loops").size() == 1) << outcome.text();
  return figures.at("loops").at(0);
}

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
  EXPECT_THAT(only_loop_of(with_tree("loops_without_lines")).at("where").get<std::string>(),
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

TEST(Statistics, ACancelledLoopIsCounted) {
  Program program = with_tree("recorded", {"cancel", "3"}).set("OMP_CANCELLATION", "true");
  const Outcome outcome = program.set("WSTREE_STATS", "json").run();
  const json figures = json::parse(outcome.err);
  ASSERT_EQ(figures.at("loops").size(), 2U) << outcome.err;
  for (const json& loop : figures.at("loops")) EXPECT_EQ(loop.at("calls"), 3) << outcome.err;
}

TEST(Statistics, TheLastChunkOfALoopMayBeShorter) {
  EXPECT_EQ(only_loop_of(with_tree("recorded", {"literal", "3"}).set("WSTREE_LOOPS", "all")).at("iterations"),
            300);
}

using Sums = std::pair<int, int>; ///< calls and iterations

Sums sums_of(const json& loop) { return {loop.at("calls").get<int>(), loop.at("iterations").get<int>()}; }

/// What kinds.cpp says of its loops, by line: the sums of those that are served.
std::map<int, Sums> said_of_kinds(const Outcome& outcome) {
  std::map<int, Sums> wanted;
  for (const std::string& line : lines_of(outcome.out)) {
    int number = 0, calls = 0, iterations = 0;
    EXPECT_EQ(std::sscanf(line.c_str(), "loop %d %d %d", &number, &calls, &iterations), 3) << line;
    if (calls == 0) continue;
    wanted[number].first += calls;
    wanted[number].second += iterations;
  }
  EXPECT_GE(wanted.size(), 12U) << outcome.text();
  return wanted;
}

TEST(Statistics, WhatIsServedAndWhatIsNot) {
  for (const std::string& libomp : libomp_builds()) {
    Program kinds = with_tree("kinds").libomp(libomp).set("KMP_TEAMS_THREAD_LIMIT", "16");
    const Outcome outcome = kinds.set("WSTREE_STATS", "json").run();
    std::map<int, Sums> found;
    const json figures = json::parse(outcome.err);
    for (const json& loop : figures.at("loops")) {
      const auto where = loop.at("where").get<std::string>();
      found[std::stoi(where.substr(where.find(':') + 1))] = sums_of(loop);
    }
    EXPECT_EQ(found, said_of_kinds(outcome)) << libomp << outcome.text();
  }
  // Loops of GCC do not know their lines, so the figures are compared without them.
  const Outcome outcome = with_tree("kinds_gcc").set("WSTREE_STATS", "json").run();
  std::multiset<Sums> wanted, found;
  for (const auto& [line, sums] : said_of_kinds(outcome)) wanted.insert(sums);
  const json figures = json::parse(outcome.err);
  for (const json& loop : figures.at("loops")) found.insert(sums_of(loop));
  EXPECT_EQ(found, wanted) << outcome.text();
}

TEST(Statistics, RelativePathsStartWhereTheLoopsRan) {
  TemporaryFolder first, later;
  const Outcome outcome = with_tree("loops", {"--folder", first / "", "--folder-later", later / ""})
                              .set("WSTREE_STATS", "json=a/figures")
                              .set("WSTREE_RECORD", "profile-%e")
                              .run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  EXPECT_TRUE(json::accept(contents_of(first / "a/figures")));
  EXPECT_THAT(contents_of(first / "profile-loops"), testing::StartsWith("wstree-profile 1\n"));
  EXPECT_THAT(later.files(), IsEmpty());
}

TEST(Statistics, NoFileIsWrittenAndNoClockIsReadBehindAFilterOfCalls) {
  for (const std::string when : {"calls", "late_calls"}) {
    const TemporaryFolder folder;
    Program program("confined_gcc", {when});
    if (program.run().status != 0) GTEST_SKIP() << "the runtime itself cannot live like that";
    program.preload().set("OMP_SCHEDULE", "wstree").set("WSTREE_STATS", "1");
    if (when == "calls")
      program.set("WSTREE_STATS", "json=" + (folder / "file")).set("WSTREE_TRACE", folder / "file");
    const Outcome outcome = program.run();
    EXPECT_EQ(outcome.status, 0) << outcome.text();
    EXPECT_THAT(outcome.err, when == "calls" ? testing::Matcher<std::string>(
                                                   "wstree: no file is written, because the process "
                                                   "has put up a filter of system calls\n")
                                             : testing::Matcher<std::string>(HasSubstr("200 calls")));
  }
}

TEST(Statistics, AForkedChildHasItsOwn) {
  TemporaryFolder folder;
  const Outcome outcome = with_tree("fork_and_go_on", {"--teams", "--case", "between_regions"})
                              .set("WSTREE_STATS", "json=" + (folder / "%p.json"))
                              .run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_THAT(outcome.err, IsEmpty());
  std::multiset<int> calls; // of one region of each of five children, and of six of the parent
  for (const std::string& file : folder.files())
    calls.insert(json::parse(contents_of(file)).at("loops").at(0).at("calls").get<int>());
  EXPECT_THAT(calls, testing::ElementsAre(5, 5, 5, 5, 5, 30));
}

constexpr int k_faults = 100 * 32; // of one execution
constexpr int k_more = 200;        // of the threads' stacks and the library

class Counters : public testing::Test {
protected:
  void SetUp() override {
    perf_event_attr faults{};
    faults.size = sizeof faults;
    faults.type = PERF_TYPE_SOFTWARE;
    faults.config = PERF_COUNT_SW_PAGE_FAULTS;
    faults.exclude_kernel = faults.exclude_hv = 1;
    const long file = syscall(SYS_perf_event_open, &faults, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (file < 0) GTEST_SKIP() << "page faults may not be counted here";
    close(static_cast<int>(file));
  }
};

Program counted(const std::string& what) {
  Program program = with_tree("counted", {what});
  program.set("WSTREE_STATS", "json").set("WSTREE_COUNTERS", "1");
  return program;
}

/// What follows the line about counters that are missing, if there is one.
json figures_of(const Outcome& outcome) {
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  const auto begin = outcome.err.find('{');
  EXPECT_LE(lines_of(outcome.err.substr(0, begin)).size(), 1U) << outcome.err;
  return begin == std::string::npos ? json() : json::parse(outcome.err.substr(begin));
}

TEST_F(Counters, FaultsOfALoopAreItsThreads) {
  const json loop = figures_of(counted("plain").run()).at("loops").at(0);
  EXPECT_EQ(loop.at("calls"), 3);
  EXPECT_EQ(loop.at("counters").at("parts"), 3 * 4);
  EXPECT_GE(loop.at("counters").at("page_faults"), 3 * k_faults);
  EXPECT_LE(loop.at("counters").at("page_faults"), 3 * k_faults + k_more);
  ASSERT_EQ(loop.at("member_counters").size(), 4U);
  int faults = 0;
  for (int member = 0; member < 4; ++member) {
    const json& counters = loop.at("member_counters").at(static_cast<std::size_t>(member));
    EXPECT_EQ(counters.at("member"), member);
    EXPECT_EQ(counters.at("parts"), 3);
    faults += counters.at("page_faults").get<int>();
  }
  EXPECT_EQ(loop.at("counters").at("page_faults"), faults);
}

TEST_F(Counters, OtherFilesUnderTheirNumbersAreLeftAlone) {
  // The program says itself whether its files are as they were.
  const json loop = figures_of(counted("closing").run()).at("loops").at(0);
  EXPECT_EQ(loop.at("calls"), 3);
  EXPECT_LE(loop.at("counters").at("page_faults"), 2 * k_faults + k_more);
  EXPECT_GE(loop.at("counters").at("page_faults"), k_faults);
  EXPECT_LT(loop.at("counters").at("parts"), 3 * 4);
}

TEST_F(Counters, AreClosedWhenTheirThreadEnds) {
  const Outcome outcome = counted("ending").set("OMP_NUM_THREADS", "1").run();
  EXPECT_EQ(fact(outcome.out, "left"), "0") << outcome.text();
  EXPECT_EQ(figures_of(outcome).at("loops").at(0).at("counters").at("parts"), 6);
}

TEST_F(Counters, LeaveTheProgramItsDescriptors) {
  const Outcome outcome = counted("few").run();
  EXPECT_EQ(fact(outcome.out, "left"), "15") << outcome.text();
  EXPECT_THAT(outcome.err, HasSubstr("too many files are open"));
}

TEST(CountersForbidden, OneLineSaysSoAndTheProgramGoesOn) {
  const Outcome outcome = counted("filtered").run();
  if (outcome.status == 77) GTEST_SKIP() << "no filter can be put up";
  const json loop = figures_of(outcome).at("loops").at(0);
  EXPECT_THAT(outcome.err, testing::StartsWith("wstree: WSTREE_COUNTERS counts no cycles, instructions, "
                                               "cache misses, page faults"));
  EXPECT_THAT(outcome.err, HasSubstr("kernel.perf_event_paranoid is "));
  EXPECT_EQ(loop.at("calls"), 3);
  EXPECT_FALSE(loop.contains("counters"));
}

Program waiting(std::vector<std::string> arguments = {}) {
  return with_tree("waiting", std::move(arguments)).set("OMP_NUM_THREADS", "2").set("OMP_WAIT_POLICY", "");
}

TEST(Waiting, IsAHundredTimesAsLongAsWakingIfAskedFor) {
  const Outcome outcome = waiting().set("WSTREE_WAIT", "auto").run();
  EXPECT_EQ(outcome.out, "sum 29700\nblocktime 4\n") << outcome.text();
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("wstree")))
      << "the value is empty, which the runtime reports";
  struct Row {
    std::vector<std::string> arguments;
    const char *wait, *variable, *value, *blocktime;
  };
  for (const auto& [arguments, wait, variable, value, blocktime] :
       {Row{{}, "", "UNUSED", "", "200"}, Row{{}, "off", "UNUSED", "", "200"}, // the runtime's own
        Row{{}, "auto", "KMP_BLOCKTIME", "77", "77"},
        Row{{}, "auto", "OMP_WAIT_POLICY", "active", "2147483647"}, Row{{"sets"}, "auto", "UNUSED", "", "50"},
        Row{{"begins"}, "auto", "UNUSED", "", "50"}})
    EXPECT_EQ(fact(waiting(arguments).set("WSTREE_WAIT", wait).set(variable, value).run().out, "blocktime"),
              blocktime)
        << wait << variable;
}

TEST(Waiting, IsInTheStatistics) {
  const Outcome outcome = waiting().set("WSTREE_STATS", "json").run();
  const auto report = nlohmann::json::parse(outcome.err.substr(outcome.err.find('{')), nullptr, false);
  ASSERT_TRUE(report.is_object()) << outcome.text();
  EXPECT_GE(report.at("between_regions_seconds").get<double>(), 0.1);
  EXPECT_GT(report.at("cpu_seconds").get<double>(), 0);
  EXPECT_GE(report.at("wall_seconds").get<double>(), report.at("between_regions_seconds").get<double>());
  EXPECT_GE(report.at("spent_between_regions_cpu_seconds").get<double>(), 0);
}

} // namespace
