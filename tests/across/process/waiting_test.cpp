// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WSTREE_WAIT: how long idle threads spin between regions.
#include "process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace wstree::test;
using ::testing::HasSubstr;

Program waiting(std::vector<std::string> arguments = {}) {
  return with_tree("waiting", std::move(arguments)).set("OMP_NUM_THREADS", "2").set("OMP_WAIT_POLICY", "");
}

TEST(Waiting, IsTheRuntimesOwnUnlessAskedFor) {
  EXPECT_THAT(waiting().run().out, HasSubstr("blocktime 200\n"));
  EXPECT_THAT(waiting().set("WSTREE_WAIT", "off").run().out, HasSubstr("blocktime 200\n"));
}

TEST(Waiting, IsAHundredTimesWhatWakingTakes) {
  const Outcome outcome = waiting().set("WSTREE_WAIT", "auto").run();
  EXPECT_EQ(outcome.out, "sum 29700\nblocktime 4\n") << outcome.text();
  EXPECT_THAT(outcome.err, ::testing::Not(HasSubstr("wstree")))
      << "the value is empty, which the runtime reports";
}

TEST(Waiting, IsLeftToWhatTheUserSays) {
  EXPECT_THAT(waiting().set("WSTREE_WAIT", "auto").set("KMP_BLOCKTIME", "77").run().out,
              HasSubstr("blocktime 77\n"));
  EXPECT_THAT(waiting().set("WSTREE_WAIT", "auto").set("OMP_WAIT_POLICY", "active").run().out,
              HasSubstr("blocktime 2147483647\n"));
}

TEST(Waiting, IsLeftToAProgramThatChooses) {
  EXPECT_THAT(waiting({"sets"}).set("WSTREE_WAIT", "auto").run().out, HasSubstr("blocktime 50\n"));
  EXPECT_THAT(waiting({"begins"}).set("WSTREE_WAIT", "auto").run().out, HasSubstr("blocktime 50\n"));
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
