// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program may round as it likes, trap what its floats raise, and test that later: threads in which the
// library estimates something notice nothing of that (programs/floats.cpp).
#include "expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string_view>

namespace {

using namespace wstree::test;

/// Compiler ("" or "_gcc") and schedule.
class Floats : public testing::TestWithParam<std::tuple<const char*, const char*>> {
protected:
  /// With the settings number `first` in the first region: 1 and 2 are those that trap.
  static Program program(int first) {
    const auto& [compiler, schedule] = GetParam();
    Program made(std::string("floats") + compiler, {std::to_string(first)});
    return made.preload().set("OMP_SCHEDULE", schedule).set("WSTREE_LOOPS", "all");
  }
};

INSTANTIATE_TEST_SUITE_P(Programs, Floats,
                         testing::Combine(testing::Values("", "_gcc"), testing::Values("wstree", "wsguided")),
                         [](const auto& each) {
                           return std::get<1>(each.param) +
                                  std::string(*std::get<0>(each.param) == 0 ? "_libomp" : "_libgomp");
                         });

TEST_P(Floats, StayAsTheProgramHasSetThem) {
  const TemporaryFolder folder;
  const std::map<std::string, std::string> more[] = {
      {},
      {{"WSTREE_STATS", "json=" + (folder / "figures")}},
      {{"WSTREE_STATS", "text=" + (folder / "text")}, {"WSTREE_RULES", "* history=no"}},
      {{"WSTREE_TRACE", folder / "trace"}},
      {{"WSTREE_RECORD", folder / "record"}},
      {{"WSTREE_BIND", "close"}, {"WSTREE_VERBOSE", "1"}},
      {{"WSTREE_BATCH", "exponential"}, {"WSTREE_STRATEGY", "randomwalk"}},
  };
  const bool is_usual = std::string_view(std::get<1>(GetParam())) == "wstree";
  for (int first = 0; const auto& variables : more) {
    if (first > 2 && !is_usual) break; // the reports and what places threads are the same
    Program with = program(first++ % 3);
    for (const auto& [variable, value] : variables) with.set(variable, value);
    const Outcome outcome = with.run();
    EXPECT_EQ(outcome.out, "as it was\n") << outcome.text();
    EXPECT_TRUE(outcome.succeeded()) << outcome.text();
  }
  EXPECT_EQ(folder.files().size(), is_usual ? 4U : 2U) << "traps must not end the process before the reports";
  EXPECT_GT(served_calls(program(0)), 500);
}

} // namespace
