// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions on the tree, with an operator that does not commute.
#include "narrow_marks.h"
#include "reduction_program.h"
#include "scenario.h"

#include <functional>
#include <memory>
#include <utility>

namespace wstree::model {
namespace {

using core::BatchMode;
using core::Strategy;

ReductionModelPlan reduction_plan(std::uint32_t members, std::vector<std::uint64_t> elements,
                                  Strategy strategy = Strategy::find_max,
                                  BatchMode batch = BatchMode::fixed) {
  ReductionModelPlan made{.members = members, .elements = std::move(elements)};
  made.settings.strategy = strategy;
  made.settings.batch = batch;
  made.settings.limit = batch == BatchMode::fixed ? 1 : 4;
  return made;
}

ReductionModelPlan from_one_root(ReductionModelPlan made) {
  made.settings.roots = 1;
  return made;
}

/// For every strategy and batch mode, with all values that weak memory may show.
void add_every_mode(std::vector<Scenario>& scenarios) {
  constexpr std::pair<const char*, Strategy> strategies[] = {
      {"find_max", Strategy::find_max},       {"predefined", Strategy::predefined},
      {"assign", Strategy::assign},           {"assign_top", Strategy::assign_top},
      {"random_walk", Strategy::random_walk}, {"random_all", Strategy::random_all}};
  constexpr std::pair<const char*, BatchMode> batches[] = {{"fixed", BatchMode::fixed},
                                                           {"exponential", BatchMode::exponential},
                                                           {"random", BatchMode::random},
                                                           {"timed", BatchMode::timed}};
  const Bounds all{.preemptions = 2, .stale = Bounds::k_unbounded, .patience = 80};
  for (const auto& [strategy_name, strategy] : strategies)
    for (const auto& [batch_name, batch] : batches) {
      // By default one row for each batch mode, and one for each strategy.
      const bool is_usual = strategy == Strategy::find_max;
      const auto add = [&](const char* size, const ReductionModelPlan& plan, bool is_long) {
        scenarios.push_back(
            {"all_" + std::string(strategy_name) + "_" + batch_name + size + (is_long ? "_long" : ""), all,
             reductions(plan), 0, is_long});
      };
      const bool is_row = is_usual || batch == BatchMode::fixed;
      add("_2x3", reduction_plan(2, {3}, strategy, batch), !is_row);
      add("_3x2", reduction_plan(3, {2}, strategy, batch), !is_row);
      add("_one_root_2x4", from_one_root(reduction_plan(2, {4}, strategy, batch)),
          !is_usual || batch == BatchMode::timed);
    }
}

} // namespace

std::vector<Scenario> reduction_scenarios() {
  const Bounds narrow{.preemptions = 2, .stale = 1};
  const Bounds few{.preemptions = 1, .stale = 1};
  const Bounds usual{.preemptions = 3, .stale = 1};
  const Bounds suspended{.preemptions = 1, .stale = 1, .suspensions = 1};
  const Bounds unbounded{.preemptions = Bounds::k_unbounded, .stale = Bounds::k_unbounded, .patience = 80};
  std::vector<Scenario> scenarios;
  scenarios.push_back({"find_max_2x4", usual, reductions(reduction_plan(2, {4})), 5000});
  add_every_mode(scenarios);
  scenarios.push_back({"unbounded_2x3", unbounded, reductions(reduction_plan(2, {3}))});
  scenarios.push_back(
      {"unbounded_one_root_2x3_long", unbounded, reductions(from_one_root(reduction_plan(2, {3}))), 0, true});
  scenarios.push_back({"one_root_2x4", usual, reductions(from_one_root(reduction_plan(2, {4}))), 5000});
  scenarios.push_back({"one_root_3x4", few, reductions(from_one_root(reduction_plan(3, {4}))), 5000});
  scenarios.push_back({"3x3", narrow, reductions(reduction_plan(3, {3})), 5000});
  scenarios.push_back({"two_2x3", narrow, reductions(reduction_plan(2, {3, 3})), 5000});
  scenarios.push_back({"both_ends_2x6", narrow,
                       reductions(reduction_plan(2, {6}, Strategy::find_max, BatchMode::random)), 5000});
  scenarios.push_back({"suspended_2x4", suspended, reductions(reduction_plan(2, {4}))});
  scenarios.push_back({"suspended_3x3", suspended, reductions(reduction_plan(3, {3}))});
  ReductionModelPlan failing = reduction_plan(2, {5, 3});
  failing.fails_after = 2;
  scenarios.push_back({"failing_2x5", narrow, reductions(failing), 5000});
  // No nodes to begin with: chunks of them are allocated, or there is no memory.
  scenarios.push_back({"few_nodes_3x4", few, reductions<ModelPlatform, 0>(reduction_plan(3, {4})), 5000});
  ReductionModelPlan poor = from_one_root(reduction_plan(3, {4}));
  poor.has_memory = false;
  scenarios.push_back({"no_memory_3x4", few, reductions<ModelPlatform, 0>(poor), 5000});
  // There are nodes, but no room for their values.
  scenarios.push_back({"no_cells_3x4", few, reductions(poor), 5000});
  // Marks of 3 bits go round after eight reductions, and roots are cleared every second time.
  using Narrow = test::WithMarks<ModelPlatform, test::NarrowMarks<3>>;
  scenarios.push_back({"round_2x9",
                       {.preemptions = 1, .stale = 0},
                       reductions<Narrow>(reduction_plan(2, {3, 1, 1, 1, 3, 1, 1, 1, 3})),
                       5000});
  scenarios.push_back({"one_root_3x4_long",
                       {.preemptions = 3, .stale = 2},
                       reductions(from_one_root(reduction_plan(3, {4}))),
                       100'000,
                       true});
  scenarios.push_back({"find_max_3x5_long", usual, reductions(reduction_plan(3, {5})), 100'000, true});
  return scenarios;
}

} // namespace wstree::model
