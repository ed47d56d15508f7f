// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One test for each scenario of one scheduler: compiled once, linked with the scenarios of each.
#include "scenario.h"
#include "seed.h"

#include <gmock/gmock.h>

#include <iostream>

namespace wstree {
namespace {

class Model : public testing::TestWithParam<model::Scenario> {};

TEST_P(Model, HoldsInAllExecutions) {
  const model::Scenario& scenario = GetParam();
  const model::Result result = model::run(scenario, scenario.samples != 0 ? test::seed() : 0);
  if (!scenario.fails.empty()) {
    EXPECT_TRUE(result.failed);
    EXPECT_THAT(result.failure, testing::HasSubstr(scenario.fails));
    return;
  }
  EXPECT_FALSE(result.failed) << result;
  EXPECT_TRUE(result.exhausted) << result;
  RecordProperty("distinct_executions", std::to_string(result.complete));
  std::cout << result << "\n";
}

std::string name_of(const testing::TestParamInfo<model::Scenario>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, Model, testing::ValuesIn(model::tested_scenarios()), name_of);

} // namespace

// Not the bytes of a scenario but its name, in what GoogleTest lists.
namespace model {
void PrintTo(const Scenario& scenario, std::ostream* out) { *out << scenario.name; }
} // namespace model
} // namespace wstree
