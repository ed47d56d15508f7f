// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C and Fortran interfaces beyond labels: hints, statistics inside the program, sums; and programs that
// run without the library.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace wstree::test;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

/// "iterations schedule" of every loop in the statistics on stderr.
std::vector<std::string> schedules_in(const Outcome& outcome) {
  std::vector<std::string> loops;
  const json report = json::parse(outcome.err, nullptr, false);
  if (report.is_discarded()) {
    ADD_FAILURE() << outcome.text();
    return {};
  }
  for (const json& loop : report.at("loops"))
    loops.push_back(std::to_string(loop.at("iterations").get<long>()) + ' ' +
                    loop.at("schedule").get<std::string>());
  return loops;
}

class Hints : public testing::TestWithParam<const char*> {};

TEST_P(Hints, ChooseTheScheduleOfTheFirstLoopOfTheNextRegion) {
  const Outcome outcome = with_tree(GetParam()).set("WSTREE_STATS", "json").run();
  EXPECT_EQ(outcome.out, "3367\n") << outcome.text();
  // Loops at one place count together: 301 by its hint, 303 and 305 without.
  EXPECT_THAT(schedules_in(outcome),
              IsSupersetOf({"301 wsqueue", "608 wstree", "912 wstree", "307 wsrange", "308 wstree",
                            "309 wsfixed (dynamic)", "312 wsfac2", "1244 wstree"}));
}

TEST_P(Hints, ServeLoopsThatNoOptionNames) {
  const Outcome outcome = Program(GetParam()).preload().set("WSTREE_STATS", "json").run();
  EXPECT_EQ(outcome.out, "3367\n") << outcome.text();
  EXPECT_THAT(schedules_in(outcome),
              UnorderedElementsAre("301 wsqueue", "307 wsrange", "309 wsfixed (dynamic)", "312 wsfac2"));
}

TEST_P(Hints, GiveWayToRules) {
  const Outcome outcome =
      with_tree(GetParam()).set("WSTREE_STATS", "json").set("WSTREE_RULES", "* wstrapezoid").run();
  EXPECT_EQ(outcome.out, "3367\n") << outcome.text();
  EXPECT_THAT(schedules_in(outcome), IsSupersetOf({"909 wstrapezoid", "615 wstrapezoid", "312 wstrapezoid"}));
}

TEST_P(Hints, DoNothingWithoutTheLibrary) {
  const Outcome outcome = Program(GetParam()).run();
  EXPECT_EQ(outcome.out, "3367\n") << outcome.text();
}

INSTANTIATE_TEST_SUITE_P(OfBothCompilers, Hints, testing::Values("hinted", "hinted_gcc"),
                         [](const auto& each) { return std::string(each.param); });

std::vector<std::string> interface_programs() {
  std::vector<std::string> programs;
  std::istringstream list(WSTREE_TEST_INTERFACE_PROGRAMS);
  for (std::string name; std::getline(list, name, ',');) programs.push_back(name);
  return programs;
}

/// The schedules of the loops in statistics by their labels.
std::map<std::string, std::string> labels_in(const std::string& text) {
  std::map<std::string, std::string> labels;
  const json report = json::parse(text, nullptr, false);
  if (report.is_discarded()) {
    ADD_FAILURE() << text;
    return {};
  }
  for (const json& loop : report.at("loops")) labels[loop.value("label", "-")] = loop.at("schedule");
  return labels;
}

class Interface : public testing::TestWithParam<std::string> {
protected:
  const std::map<std::string, std::string> k_labels{{"assembly", "wstree"}, {"scaling", "wsstatic"}};
};

TEST_P(Interface, NamesLoopsInTheStatistics) {
  const Outcome outcome = with_tree(GetParam(), {"3000"}).set("WSTREE_STATS", "json").run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_EQ(labels_in(outcome.err), k_labels) << outcome.text();
}

TEST_P(Interface, GivesTheProgramItsStatistics) {
  const Outcome outcome = with_tree(GetParam(), {"3000", "statistics"}).set("WSTREE_STATS", "json").run();
  EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  EXPECT_EQ(labels_in(outcome.out.substr(outcome.out.find('{'))), k_labels) << outcome.text();
}

TEST_P(Interface, NeedsNoLibrary) {
  const Outcome bare = Program(GetParam(), {"3000", "statistics"}).run();
  EXPECT_TRUE(bare.succeeded()) << bare.text();
  EXPECT_NE(bare.out, "");
  EXPECT_EQ(bare.err, "");
  EXPECT_THAT(bare.out, Not(HasSubstr("loops")));
}

INSTANTIATE_TEST_SUITE_P(OfTheExamples, Interface, testing::ValuesIn(interface_programs()),
                         [](const auto& each) { return each.param; });

/// The programs that are there.
std::vector<std::string> fortran_programs() {
  std::vector<std::string> programs = interface_programs();
  std::erase(programs, "labelled_c_gcc");
  return programs;
}

class FortranSums : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FortranSums);

/// gfortran on libgomp and flang on libomp: the bits of the C++ library, for each number of threads.
TEST_P(FortranSums, HaveTheBitsOfTheCppLibrary) {
  // Short, with a last block that is not full, and long enough for a team.
  for (const char* n : {"3000", "40001"}) {
    const auto expected = lines_of(Program("labelled_sums_gcc", {n}).set("OMP_NUM_THREADS", "1").run().out);
    ASSERT_EQ(expected.size(), 2U) << n;
    for (int threads = 1; threads <= 8; ++threads) {
      const std::string count = std::to_string(threads);
      const auto again = lines_of(Program("labelled_sums_gcc", {n}).set("OMP_NUM_THREADS", count).run().out);
      EXPECT_EQ(again, expected) << n << " in C++ on " << threads;
      for (const bool is_there : {false, true}) {
        const Outcome outcome = (is_there ? with_tree(GetParam(), {n}) : Program(GetParam(), {n}))
                                    .set("OMP_NUM_THREADS", count)
                                    .run();
        const auto lines = lines_of(outcome.out);
        ASSERT_EQ(lines.size(), is_there ? 3U : 2U) << outcome.text();
        EXPECT_EQ((std::vector<std::string>{lines[0], lines[1]}), expected)
            << n << " on " << threads << (is_there ? "" : " without the library");
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OfTheExamples, FortranSums, testing::ValuesIn(fortran_programs()),
                         [](const auto& each) { return each.param; });

class Sums : public testing::TestWithParam<const char*> {};

TEST_P(Sums, HaveTheBitsOfTheCppLibrary) {
  const Outcome outcome = Program(GetParam()).preload().run();
  EXPECT_THAT(outcome.out, testing::StartsWith("7 353 0 ")) << outcome.text();
  EXPECT_EQ(Program(GetParam()).run().out, "absent\n");
}

INSTANTIATE_TEST_SUITE_P(OfBothCompilers, Sums, testing::Values("sums", "sums_gcc"),
                         [](const auto& each) { return std::string(each.param); });

} // namespace
