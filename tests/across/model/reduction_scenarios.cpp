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
void add_every_mode(ScenarioList& list) {
  for (const auto& [strategy_name, strategy] : k_strategies)
    for (const auto& [batch_name, batch] : k_batches) {
      const std::string prefix = std::string("all_") + strategy_name + "_" + batch_name;
      const auto add = [&](const char* size, const ReductionModelPlan& plan, bool is_long) {
        list.add(prefix + size + (is_long ? "_long" : ""), within(2, Bounds::k_unbounded, 0, 80),
                 reductions(plan))
            .samples = 0;
      };
      // By default one row for each batch mode, and one for each strategy.
      const bool is_usual = strategy == Strategy::find_max;
      const bool is_row = is_usual || batch == BatchMode::fixed;
      add("_2x3", reduction_plan(2, {3}, strategy, batch), !is_row);
      add("_3x2", reduction_plan(3, {2}, strategy, batch), !is_row);
      add("_one_root_2x4", from_one_root(reduction_plan(2, {4}, strategy, batch)),
          !is_usual || batch == BatchMode::timed);
    }
}

} // namespace

std::vector<Scenario> reduction_scenarios() {
  ScenarioList list(2000);
  const auto add = [&](const char* name, const Bounds& bounds, const ReductionModelPlan& plan) {
    list.add(name, bounds, reductions(plan));
  };
  const Bounds unbounded = within(Bounds::k_unbounded, Bounds::k_unbounded, 0, 80);
  add("find_max_2x4", within(3, 1), reduction_plan(2, {4}));
  add_every_mode(list);
  add("unbounded_2x3", unbounded, reduction_plan(2, {3}));
  add("unbounded_one_root_2x3_long", unbounded, from_one_root(reduction_plan(2, {3})));
  add("one_root_2x4", within(3, 1), from_one_root(reduction_plan(2, {4})));
  add("one_root_3x4", within(1, 1), from_one_root(reduction_plan(3, {4})));
  add("3x3", within(2, 1), reduction_plan(3, {3}));
  add("two_2x3", within(2, 1), reduction_plan(2, {3, 3}));
  add("both_ends_2x6", within(2, 1), reduction_plan(2, {6}, Strategy::find_max, BatchMode::random));
  add("suspended_2x4", within(1, 1, 1), reduction_plan(2, {4}));
  add("suspended_3x3", within(1, 1, 1), reduction_plan(3, {3}));
  ReductionModelPlan failing = reduction_plan(2, {5, 3});
  failing.fails_after = 2;
  add("failing_2x5", within(2, 1), failing);
  // No nodes to begin with: chunks of them are allocated, or there is no memory.
  list.add("few_nodes_3x4", within(1, 1), reductions<ModelPlatform, 0>(reduction_plan(3, {4})));
  ReductionModelPlan poor = from_one_root(reduction_plan(3, {4}));
  poor.has_memory = false;
  list.add("no_memory_3x4", within(1, 1), reductions<ModelPlatform, 0>(poor));
  // There are nodes, but no room for their values.
  add("no_cells_3x4", within(1, 1), poor);
  // Marks of 3 bits go round after eight reductions, and roots are cleared every second time.
  using Narrow = test::WithMarks<ModelPlatform, test::NarrowMarks<3>>;
  list.add("round_2x9", within(1, 0), reductions<Narrow>(reduction_plan(2, {3, 1, 1, 1, 3, 1, 1, 1, 3})));
  add("one_root_3x4_long", within(3, 2), from_one_root(reduction_plan(3, {4})));
  add("find_max_3x5_long", within(3, 1), reduction_plan(3, {5}));
  return std::move(list).all();
}

} // namespace wstree::model
