// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The work-stealing tree.
#include "loop_program.h"
#include "scenario.h"

namespace wstree::model {
namespace {

using core::BatchMode;
using core::Strategy;
constexpr auto k_tree = core::Model::tree;

LoopPlan plan(std::uint32_t members, std::vector<std::uint64_t> iterations,
              Strategy strategy = Strategy::find_max, BatchMode batch = BatchMode::fixed) {
  LoopPlan made{.members = members, .iterations = std::move(iterations)};
  made.settings.strategy = strategy;
  made.settings.batch = batch;
  made.settings.limit = batch == BatchMode::fixed ? 1 : 4;
  return made;
}

LoopPlan few_nodes(LoopPlan made, bool has_memory) {
  made.pairs = 0;
  made.has_memory = has_memory;
  return made;
}

LoopPlan cancelled(LoopPlan made) {
  made.cancelled_after = 1;
  return made;
}

LoopPlan neighbours(LoopPlan made) {
  made.are_neighbours = true;
  return made;
}

LoopPlan one_root(LoopPlan made) {
  made.settings.roots = 1;
  return made;
}

} // namespace

std::vector<Scenario> tree_scenarios() {
  const Bounds narrow{.preemptions = 2, .stale = 1};
  const Bounds usual{.preemptions = 3, .stale = 1};
  const Bounds wide{.preemptions = 4, .stale = 3};
  const Bounds suspended{.preemptions = 1, .stale = 1, .suspensions = 1};
  std::vector<Scenario> scenarios;
  const std::pair<const char*, Strategy> strategies[] = {{"find_max", Strategy::find_max},
                                                         {"predefined", Strategy::predefined},
                                                         {"random_all", Strategy::random_all}};
  for (const auto& [name, strategy] : strategies) {
    const std::string prefix = name;
    scenarios.push_back({prefix + "_2x4", usual, loops<k_tree>(plan(2, {4}, strategy)), 5000});
    scenarios.push_back({prefix + "_3x3", narrow, loops<k_tree>(plan(3, {3}, strategy)), 5000});
    scenarios.push_back({prefix + "_two_loops_2x3", narrow, loops<k_tree>(plan(2, {3, 3}, strategy)), 5000});
    scenarios.push_back({prefix + "_exponential_2x6", narrow,
                         loops<k_tree>(plan(2, {6}, strategy, BatchMode::exponential)), 5000});
    scenarios.push_back({prefix + "_suspended_2x4", suspended, loops<k_tree>(plan(2, {4}, strategy))});
    scenarios.push_back({prefix + "_suspended_3x3", suspended, loops<k_tree>(plan(3, {3}, strategy))});
    scenarios.push_back({prefix + "_2x4_long", wide, loops<k_tree>(plan(2, {4}, strategy)), 500'000, true});
    scenarios.push_back({prefix + "_3x4_long", usual, loops<k_tree>(plan(3, {4}, strategy)), 500'000, true});
  }
  scenarios.push_back({"stale_2x4", {.preemptions = 2, .stale = 3}, loops<k_tree>(plan(2, {4})), 5000});
  scenarios.push_back({"cancelled_2x6", narrow, loops<k_tree>(cancelled(plan(2, {6, 4}))), 5000});
  scenarios.push_back(
      {"cancelled_3x5", {.preemptions = 1, .stale = 1}, loops<k_tree>(cancelled(plan(3, {5, 4}))), 5000});
  scenarios.push_back({"two_loops_3x2", narrow, loops<k_tree>(plan(3, {2, 3})), 5000});
  scenarios.push_back({"random_ends_2x5", narrow,
                       loops<k_tree>(plan(2, {5}, Strategy::random_all, BatchMode::random)), 5000});
  scenarios.push_back({"one_root_2x4", usual, loops<k_tree>(one_root(plan(2, {4}))), 5000});
  scenarios.push_back({"one_root_3x4", narrow, loops<k_tree>(one_root(plan(3, {4}))), 5000});
  scenarios.push_back({"few_nodes_3x4", narrow, loops<k_tree>(few_nodes(plan(3, {4}), true)), 5000});
  scenarios.push_back({"no_memory_3x4", narrow, loops<k_tree>(few_nodes(plan(3, {4}), false)), 5000});
  scenarios.push_back({"neighbours_3x4", narrow, loops<k_tree>(neighbours(plan(3, {4}))), 20'000});
  scenarios.push_back(
      {"neighbours_one_root_3x4", narrow, loops<k_tree>(neighbours(one_root(plan(3, {4})))), 20'000});
  scenarios.push_back({"neighbours_stale_3x4",
                       {.preemptions = 1, .stale = 2},
                       loops<k_tree>(neighbours(one_root(plan(3, {4})))),
                       20'000});
  scenarios.push_back({"neighbours_two_loops_3x3",
                       {.preemptions = 1, .stale = 1},
                       loops<k_tree>(neighbours(plan(3, {3, 3}))),
                       20'000});
  LoopPlan timed = plan(2, {9}, Strategy::find_max, BatchMode::timed);
  timed.most_missing = 9;
  scenarios.push_back({"timed_2x9", narrow, loops<k_tree>(timed), 5000});
  scenarios.push_back({"suspended_two_loops_2x2", suspended, loops<k_tree>(plan(2, {2, 2}))});
  scenarios.push_back({"suspended_one_root_3x4_long",
                       {.preemptions = 2, .stale = 1, .suspensions = 1},
                       loops<k_tree>(one_root(plan(3, {4}))),
                       0,
                       true});
  return scenarios;
}

} // namespace wstree::model
