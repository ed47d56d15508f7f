// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weakens one tag at a time, sees whether the scenarios notice, and compares that with TAGS.md.
#include "engine/tags.h"
#include "mutants.h"
#include "scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace wstree {
namespace {

using model::Mutant;
using model::Scenario;
using model::TagRow;

/// The scenarios that have to notice what is wrong with the tag.
std::vector<Scenario> scenarios_of(const TagRow& row) {
  switch (row.name[0]) {
  case 'N':
  case 'W':
    return model::tree_scenarios();
  case 'A':
    return model::reduction_scenarios();
  case 'R':
  case 'S':
    return model::range_scenarios();
  case 'C':
    return model::counter_scenarios();
  case 'L':
  case 'Q': {
    std::vector<Scenario> all;
    for (Scenario& scenario : model::queue_scenarios())
      if (scenario.name.starts_with("queue_lock") == (row.name[0] == 'L')) all.push_back(std::move(scenario));
    return all;
  }
  case 'T':
    return row.name.starts_with("T8 ") ? model::task_scenarios() : model::team_scenarios();
  case 'P':
    return model::parallel_scenarios();
  case 'M':
    return model::rank_scenarios();
  default:
    return model::types_scenarios();
  }
}

class Mutants : public testing::TestWithParam<Mutant> {};

/// Mistakes have to be seen in the values that members are handed or read, not only by looking at the
/// structure after every step.
TEST_P(Mutants, AreNoticedOrHarmless) {
  const Mutant& mutant = GetParam();
  const bool is_guarded = mutant.outcome.starts_with("`");
  const std::uint64_t most = mutant.survives() ? 2'000 : 1'000'000; // executions of each scenario
  std::uint64_t executions = 0;
  for (const Scenario& scenario : scenarios_of(*mutant.row)) {
    if (is_guarded ? "`" + scenario.name + "`" != mutant.outcome
                   : scenario.is_long || !scenario.fails.empty() || scenario.name.starts_with("all_"))
      continue;
    const auto program = scenario.make();
    const model::Result result =
        model::explore(*program, scenario.bounds, mutant.mutation, {.most = most, .checks_steps = false});
    executions += result.executions;
    if (!result.failed) continue;
    std::printf("%s fails after %llu executions: %s\n", scenario.name.c_str(),
                static_cast<unsigned long long>(executions), result.failure.c_str());
    EXPECT_FALSE(mutant.survives()) << mutant.name() << " is not as harmless as said";
    return;
  }
  EXPECT_TRUE(mutant.survives()) << mutant.name() << " makes no scenario fail";
}

std::vector<Mutant> all_mutants() {
  std::vector<Mutant> all;
  for (const TagRow& row : model::tag_rows())
    for (Mutant& mutant : model::mutants_of(row)) all.push_back(std::move(mutant));
  return all;
}
std::string name_of_mutant(const testing::TestParamInfo<Mutant>& info) { return info.param.name(); }

INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(all_mutants()), name_of_mutant);

TEST(Tags, EachHasARowWithItsSite) {
  std::ifstream source(WSTREE_TAGS);
  ASSERT_TRUE(source);
  const std::regex entry(R"(^\s*(\w+),\s*// ([A-Z]\d+) (\S+))");
  std::size_t tags = 0;
  for (std::string line; std::getline(source, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, entry)) continue;
    ASSERT_LT(tags, model::tag_rows().size()) << line;
    const TagRow& row = model::tag_rows()[tags++];
    EXPECT_EQ(row.name, match[2].str() + " " + match[1].str());
    EXPECT_EQ(row.site, match[3].str()) << row.name;
  }
  EXPECT_EQ(tags, model::tag_rows().size());
}

/// Outcomes are those of mutants that there are, and reasons are explained.
TEST(Tags, OutcomesAreOfMutants) {
  for (const TagRow& row : model::tag_rows()) {
    const std::vector<Mutant> mutants = model::mutants_of(row);
    for (const Mutant& mutant : mutants) EXPECT_NE(mutant.outcome, "") << mutant.name();
    for (const auto& [weakenings, outcome] : model::outcomes_of(row)) {
      EXPECT_EQ(outcome.starts_with("relaxed: "), mutants.empty()) << row.name;
      for (const std::string& weakening : weakenings)
        EXPECT_TRUE(std::any_of(mutants.begin(), mutants.end(),
                                [&](const Mutant& mutant) { return mutant.weakening() == weakening; }))
            << row.name << ": " << weakening;
      const std::size_t colon = outcome.find(": ");
      if (colon == std::string::npos) continue;
      const auto& known = model::reasons();
      EXPECT_NE(std::find(known.begin(), known.end(), outcome.substr(colon + 2)), known.end()) << outcome;
    }
  }
}

TEST(Tags, OrdersAreThoseOfTheTable) {
  model::OrderLog seen;
  for (const auto& scenarios :
       {model::tree_scenarios, model::range_scenarios, model::queue_scenarios, model::counter_scenarios,
        model::team_scenarios, model::task_scenarios, model::reduction_scenarios, model::parallel_scenarios,
        model::types_scenarios, model::rank_scenarios})
    for (const Scenario& scenario : scenarios()) {
      if (scenario.is_long || scenario.name.starts_with("all_")) continue;
      const auto program = scenario.make();
      // Only in few executions does a node below the root become EXPANDED, and is looked at again.
      const std::uint64_t most = scenario.name.starts_with("board_one_root") ? 20'000 : 300;
      seen.add(model::explore(*program, scenario.bounds, {}, {.most = most, .checks_steps = false}).orders);
    }
  model::OrderLog said;
  for (const TagRow& row : model::tag_rows())
    for (const auto& [use, order] : row.orders) said.add(row.tag, use, order);
  for (const TagRow& row : model::tag_rows())
    for (std::size_t use = 0; use < model::k_uses; ++use)
      EXPECT_EQ(seen.bits(row.tag, static_cast<model::Use>(use)),
                said.bits(row.tag, static_cast<model::Use>(use)))
          << row.name << " " << name_of(static_cast<model::Use>(use)) << ": bits of std::memory_order";
}

} // namespace

namespace model {
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name(); }
} // namespace model
} // namespace wstree
