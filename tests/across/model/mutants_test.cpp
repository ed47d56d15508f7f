// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weakens one tag at a time and sees whether the scenarios notice. Prints a table of what it has run.
#include "engine/tags.h"
#include "mutants.h"
#include "scenario.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace wstree {
namespace {

using model::Fate;
using model::Group;
using model::Mutant;
using model::Scenario;

std::vector<Scenario> scenarios_of(Group group) {
  std::vector<Scenario> all;
  const bool with_lock = group == Group::queue_lock;
  switch (group) {
  case Group::tree:
    return model::tree_scenarios();
  case Group::range:
    return model::range_scenarios();
  case Group::counter:
    return model::counter_scenarios();
  case Group::queue:
  case Group::queue_lock:
    for (Scenario& scenario : model::queue_scenarios())
      if (scenario.name.starts_with("queue_lock") == with_lock) all.push_back(std::move(scenario));
    return all;
  case Group::loops:
    return model::team_scenarios();
  case Group::tasks:
    return model::task_scenarios();
  case Group::reduction:
    return model::reduction_scenarios();
  case Group::parallel:
    return model::parallel_scenarios();
  case Group::types:
    return model::types_scenarios();
  case Group::ranks:
    return model::rank_scenarios();
  }
  return all;
}

struct Verdict {
  bool killed = false;
  std::string scenario;
  std::string failure;
  std::uint64_t executions = 0;
};

/// `most`: executions of each scenario. What is wrong has to be seen in what members are handed or read, not
/// only by looking at the structure after every step.
Verdict judge(const Mutant& mutant, std::uint64_t most) {
  Verdict verdict;
  const std::string_view guard = model::guard_of(mutant);
  for (const Scenario& scenario : scenarios_of(mutant.row->group)) {
    const bool is_one_of_many = scenario.name.starts_with("all_");
    if (guard.empty() ? scenario.is_long || !scenario.fails.empty() || is_one_of_many
                      : scenario.name != guard)
      continue;
    const auto program = scenario.make();
    const model::Result result =
        model::explore(*program, scenario.bounds, mutant.mutation, {.most = most, .checks_steps = false});
    verdict.executions += result.executions;
    if (!result.failed) continue;
    verdict.killed = true;
    verdict.scenario = scenario.name;
    verdict.failure = result.failure;
    return verdict;
  }
  return verdict;
}

/// The lines of a Markdown table, printed when all is done.
class Table : public testing::Environment {
public:
  static inline std::vector<std::string> lines;
  void TearDown() override {
    if (lines.empty()) return;
    std::printf("| tag | site | weakened to | noticed by | executions | as |\n|---|---|---|---|---|---|\n");
    for (const std::string& line : lines) std::printf("%s\n", line.c_str());
  }
};
const auto* const k_table = testing::AddGlobalTestEnvironment(new Table);

class Mutants : public testing::TestWithParam<Mutant> {};

TEST_P(Mutants, AreNoticedOrHarmless) {
  const Mutant& mutant = GetParam();
  const bool expected = mutant.fate == Fate::killed;
  const Verdict verdict = judge(mutant, expected ? 1'000'000 : 2'000);
  Table::lines.push_back(
      "| " + std::string(mutant.row->name) + " | " + std::string(mutant.row->site) + " | " +
      (mutant.mutation.use ? std::string(name_of(*mutant.mutation.use)) + " " : std::string()) +
      std::string(name_of(mutant.mutation.mistake)) + " | " +
      (verdict.killed ? verdict.scenario : "nothing") + " | " + std::to_string(verdict.executions) + " | " +
      (verdict.killed ? verdict.failure : std::string(mutant.reason)) + " |");
  if (expected)
    EXPECT_TRUE(verdict.killed) << mutant.name() << " makes no scenario fail";
  else
    EXPECT_FALSE(verdict.killed) << mutant.name() << " is not as harmless as said: " << verdict.scenario
                                 << ": " << verdict.failure;
}

std::string name_of_mutant(const testing::TestParamInfo<Mutant>& info) { return info.param.name(); }

INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(model::mutants()), name_of_mutant);

TEST(Mutants, EveryTagHasARowAndEverySurvivorAReason) {
  std::ifstream source(WSTREE_TAGS);
  ASSERT_TRUE(source);
  const std::regex entry(R"(^\s*\w+,\s*// ([A-Z]\d+) )");
  std::size_t tags = 0;
  for (std::string line; std::getline(source, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, entry)) continue;
    const auto tag = static_cast<core::Tag>(tags++);
    const std::string code = match[1];
    EXPECT_TRUE(model::name_of_tag(tag).starts_with(code + " ")) << line;
  }
  EXPECT_EQ(tags, model::tag_rows().size());
  for (const model::TagRow& row : model::tag_rows())
    EXPECT_FALSE(row.relaxed == Fate::none && row.non_atomic == Fate::none && row.reason.empty()) << row.name;
  for (const Mutant& mutant : model::mutants())
    EXPECT_FALSE(mutant.fate == Fate::survives && mutant.reason.empty()) << mutant.name();
}

/// Scenarios of all groups, as they are declared.
std::vector<Scenario> all_scenarios() {
  std::vector<Scenario> all;
  for (const Group group :
       {Group::tree, Group::range, Group::queue, Group::queue_lock, Group::counter, Group::loops,
        Group::tasks, Group::reduction, Group::parallel, Group::types, Group::ranks})
    for (Scenario& scenario : scenarios_of(group)) all.push_back(std::move(scenario));
  return all;
}

TEST(Tags, OrdersAreThoseOfTheTable) {
  model::OrderLog seen;
  for (const Scenario& scenario : all_scenarios()) {
    if (scenario.is_long || scenario.name.starts_with("all_")) continue;
    const auto program = scenario.make();
    // Only in few executions does a node below the root become EXPANDED, and is looked at again.
    const std::uint64_t most = scenario.name.starts_with("board_one_root") ? 20'000 : 300;
    seen.add(model::explore(*program, scenario.bounds, {}, {.most = most, .checks_steps = false}).orders);
  }
  model::OrderLog said;
  for (const model::UseRow& row : model::use_rows())
    for (const auto& [use, order] : row.orders) said.add(row.tag, use, order);
  for (const model::TagRow& row : model::tag_rows())
    for (std::size_t use = 0; !scenarios_of(row.group).empty() && use < model::k_uses; ++use)
      EXPECT_EQ(seen.bits(row.tag, static_cast<model::Use>(use)),
                said.bits(row.tag, static_cast<model::Use>(use)))
          << row.name << " " << name_of(static_cast<model::Use>(use)) << ": bits of std::memory_order";
}

/// WSTREE_UPDATE_TAGS=1 writes the file.
TEST(Tags, TableIsUpToDate) {
  const std::string table = model::table_of_tags();
  if (std::getenv("WSTREE_UPDATE_TAGS") != nullptr) std::ofstream(WSTREE_TAGS_TABLE) << table;
  std::ifstream file(WSTREE_TAGS_TABLE);
  const std::string there{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(there, table);
}

} // namespace

namespace model {
void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name(); }
} // namespace model
} // namespace wstree
