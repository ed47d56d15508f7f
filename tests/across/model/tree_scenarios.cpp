// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The work-stealing tree.
#include "loop_program.h"
#include "narrow_marks.h"
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
/// As a large team: no member looks at all roots.
LoopPlan by_board(LoopPlan made) {
  made.settings.scan_all = 0;
  return made;
}
LoopPlan missing_a_batch(LoopPlan made) {
  // Batches that follow the clock have no bound of their own.
  made.most_missing = made.settings.batch == BatchMode::timed ? made.iterations[0] : made.settings.limit;
  return made;
}

/// Operations that a member may execute while no member is handed anything and none leaves: it looks at
/// every node a few times and splits one, and a stale value makes it look again. A member that other
/// members could keep from getting ahead for ever would pass any bound.
constexpr std::uint32_t k_patience = 80;

void add_exhaustive(ScenarioList& list, const std::string& name, Strategy strategy, BatchMode batch) {
  constexpr std::uint32_t k_any = Bounds::k_unbounded;
  const auto add = [&](const char* size, const Bounds& bounds, std::uint32_t members, std::uint64_t n,
                       bool is_long) {
    list.add(name + "_" + size + (is_long ? "_long" : ""), bounds,
             loops<k_tree>(missing_a_batch(plan(members, {n}, strategy, batch))))
        .samples = 0;
  };
  const Bounds all = within(2, k_any, 0, k_patience);
  // By default one row for each batch mode, and one for each strategy.
  const bool is_usual = strategy == Strategy::find_max;
  const bool is_row = is_usual || batch == BatchMode::fixed;
  add("2x3", all, 2, 3, !is_row);
  add("3x2", all, 3, 2, !is_row);
  add("2x6", all, 2, 6, !is_usual || batch == BatchMode::timed);
  add("suspended_2x4", within(1, k_any, 1, k_patience), 2, 4, !is_row);
  // A member has one unit of three or four: all batches are the same.
  if (batch != BatchMode::fixed) return;
  add("unbounded_2x3", within(k_any, k_any, 0, k_patience), 2, 3, !is_usual);
  add("unbounded_2x4", within(k_any, k_any, 0, k_patience), 2, 4, true);
  add("unbounded_2x5", within(k_any, k_any, 0, k_patience), 2, 5, true);
  add("unbounded_3x2", within(k_any, k_any, 0, k_patience), 3, 2, !is_usual);
  add("suspended_3x3", within(1, k_any, 1, k_patience), 3, 3, !is_usual);
  add("3x3", all, 3, 3, !is_usual);
  add("3x4", all, 3, 4, true);
}

/// For every strategy and every batch mode: two preemptions or any number, and all values that weak memory
/// may show.
void add_exhaustive(ScenarioList& list) {
  for (const auto& [strategy_name, strategy] : k_strategies)
    for (const auto& [batch_name, batch] : k_batches)
      add_exhaustive(list, "all_" + std::string(strategy_name) + "_" + batch_name, strategy, batch);
}

/// The searches of large teams.
void add_by_board(ScenarioList& list) {
  const auto add = [&](const char* name, Bounds bounds, const LoopPlan& made) {
    bounds.patience = k_patience;
    list.add(std::string("board_") + name, bounds, loops<k_tree>(by_board(made)));
  };
  add("2x4", within(2, 1), plan(2, {4}));
  add("2x6", within(2, 1), plan(2, {6}));
  add("3x3", within(2, 1), plan(3, {3}));
  add("stale_2x4", within(1, 3), plan(2, {4}));
  add("two_loops_2x3", within(2, 1), plan(2, {3, 3}));
  add("other_roots_3x2", within(1, 1), plan(3, {2, 4}));
  add("one_root_3x4", within(2, 1), one_root(plan(3, {4})));
  add("exponential_2x6", within(2, 1), plan(2, {6}, Strategy::find_max, BatchMode::exponential));
  add("neighbours_3x4", within(1, 1), neighbours(plan(3, {4})));
  add("suspended_2x4", within(1, 1, 1), plan(2, {4}));
  add("suspended_3x3", within(1, 1, 1), plan(3, {3}));
  add("suspended_two_loops_2x2", within(1, 1, 1), plan(2, {2, 2}));
  add("3x4_long", within(3, 1), plan(3, {4}));
}

/// Members that believe the loop to be brief; all goes as expected, or nothing.
void add_brief(ScenarioList& list) {
  for (const bool is_expected : {true, false}) {
    const auto brief = [=](std::uint32_t members, std::vector<std::uint64_t> iterations) {
      LoopPlan made = plan(members, std::move(iterations), Strategy::find_max, BatchMode::timed);
      made.known = is_expected ? 1'000 : 1; // a look at the clock takes a hundred ticks
      made.most_missing = made.iterations[0];
      return made;
    };
    const auto add = [&](const char* name, Bounds bounds, const LoopPlan& made) {
      bounds.patience = 400;
      list.add(std::string(is_expected ? "brief_" : "brief_wrong_") + name, bounds, loops<k_tree>(made));
    };
    add("2x6", within(3, 1), brief(2, {6}));
    add("2x3", within(3, 1), brief(2, {3}));
    add("3x7", within(1, 1), brief(3, {7}));
    add("3x7_long", within(2, 1), brief(3, {7}));
    add("3x4", within(2, 1), brief(3, {4}));
    add("two_loops_2x5", within(2, 1), brief(2, {5, 5}));
    add("board_3x7", within(1, 1), by_board(brief(3, {7})));
    add("board_3x7_long", within(2, 1), by_board(brief(3, {7})));
    add("suspended_2x6", within(1, 1, 1), brief(2, {6}));
    add("cancelled_2x6", within(2, 1), cancelled(brief(2, {6, 4})));
  }
}

/// Marks of 2 bits go round after four loops. In the loops between, roots 1 and 2 have no units.
void add_rounds(ScenarioList& list) {
  using Narrow = test::WithMarks<ModelPlatform, test::NarrowMarks<2>>;
  // One member refreshes a root that another member owns already.
  list.add("round_2x2", within(2, 1), loops<k_tree, Narrow>(plan(2, {3, 3})));
  list.add("round_2x5", within(2, 0), loops<k_tree, Narrow>(plan(2, {3, 1, 1, 1, 3})));
  list.add("round_3x5", within(1, 0), loops<k_tree, Narrow>(plan(3, {4, 1, 2, 1, 4})));
  // In each loop a thief that is late comes upon what stands there from four loops ago.
  list.add("round_2x9", within(1, 0), loops<k_tree, Narrow>(plan(2, {3, 1, 1, 1, 3, 1, 1, 1, 3})));
}

/// Members without memory, and the last iteration begun early.
void add_poor(ScenarioList& list) {
  // Iteration n-1 looks long, so a member leaves its node for it. The other has no memory to split nodes, has
  // found nothing else, and is about to ask for that iteration.
  LoopPlan early = one_root(plan(2, {3}, Strategy::find_max, BatchMode::timed));
  early.settings.clocked = true;
  early.settings.shortest_target = 1;
  early.settings.longest_target = 2;
  early.has_memory = false;
  early.poor = 2;
  early.most_missing = 6;
  list.add("early_last_2x3", within(3, 1), loops<k_tree>(early));
  early.settings.roots = 0;
  early.iterations = {6};
  list.add("early_last_2x6", within(2, 1), loops<k_tree>(early));
  list.add("board_early_last_2x6", within(2, 1), loops<k_tree>(by_board(early)));
  // As before, and the member that has frozen the node is suspended before it hangs the children: the other
  // members cannot, and leave that to it.
  list.add("suspended_early_last_2x6", within(1, 1, 1, 400), loops<k_tree>(early));
  LoopPlan poor = few_nodes(plan(3, {6}), false);
  poor.pairs = 4;
  poor.poor = 5; // member 1 has nodes
  poor.most_missing = 6;
  list.add("suspended_poor_3x6", within(1, 1, 1, 400), loops<k_tree>(poor));
  poor.settings.strategy = Strategy::random_all;
  list.add("suspended_poor_random_all_3x6", within(1, 1, 1, 400), loops<k_tree>(poor));
}

} // namespace

std::vector<Scenario> tree_scenarios() {
  ScenarioList list(2000);
  const auto add = [&](const std::string& name, const Bounds& bounds, const LoopPlan& made) -> Scenario& {
    return list.add(name, bounds, loops<k_tree>(made));
  };
  // Small scenarios of find_max, and of fixed batches, are not here: all_* explores them with more values
  // that are stale.
  for (const auto& [name, strategy] : {k_strategies[0], k_strategies[1], k_strategies[5]}) {
    const std::string prefix = name;
    add(prefix + "_2x4", within(3, 1), plan(2, {4}, strategy));
    add(prefix + "_two_loops_2x3", within(2, 1), plan(2, {3, 3}, strategy));
    add(prefix + "_2x4_long", within(4, 3), plan(2, {4}, strategy));
    add(prefix + "_3x4_long", within(3, 1), plan(3, {4}, strategy));
    if (strategy == Strategy::find_max) continue;
    add(prefix + "_3x3", within(2, 1), plan(3, {3}, strategy));
    add(prefix + "_exponential_2x6", within(2, 1), plan(2, {6}, strategy, BatchMode::exponential));
    add(prefix + "_suspended_3x3", within(1, 1, 1), plan(3, {3}, strategy));
  }
  add_exhaustive(list);
  add_by_board(list);
  add_brief(list);
  add_rounds(list);
  add_poor(list);
  add("cancelled_2x6", within(2, 1), cancelled(plan(2, {6, 4})));
  add("cancelled_3x5", within(1, 1), cancelled(plan(3, {5, 4})));
  add("two_loops_3x2", within(2, 1), plan(3, {2, 3}));
  add("random_ends_2x5", within(2, 1), plan(2, {5}, Strategy::random_all, BatchMode::random));
  add("one_root_2x4", within(3, 1), one_root(plan(2, {4})));
  add("one_root_3x4", within(2, 1), one_root(plan(3, {4})));
  add("few_nodes_3x4", within(2, 1), few_nodes(plan(3, {4}), true));
  add("no_memory_3x4", within(2, 1), few_nodes(plan(3, {4}), false));
  add("neighbours_3x4", within(2, 1), neighbours(plan(3, {4})));
  add("neighbours_one_root_3x4", within(2, 1), neighbours(one_root(plan(3, {4}))));
  add("neighbours_stale_3x4", within(1, 2), neighbours(one_root(plan(3, {4}))));
  add("neighbours_two_loops_3x3", within(1, 1), neighbours(plan(3, {3, 3})));
  LoopPlan timed = plan(2, {9}, Strategy::find_max, BatchMode::timed);
  timed.most_missing = 9;
  add("timed_2x9", within(2, 1), timed);
  // The owner has taken a unit, and is suspended in most executions; two thieves want the only other one.
  add("two_thieves_one_iteration", within(1, 1, 1, k_patience), one_root(plan(3, {3})));
  add("two_thieves_one_iteration_long", within(2, 2, 1, k_patience), one_root(plan(3, {3})));
  add("suspended_two_loops_2x2", within(1, 1, 1), plan(2, {2, 2}));
  add("suspended_one_root_3x4_long", within(2, 1, 1), one_root(plan(3, {4})));
  // A member writes again what a loop's arena holds while another member still reads it.
  LoopPlan early_reuse = plan(2, {6, 6});
  early_reuse.reuses_early = true;
  add("reused_under_a_reader_2x6", within(2, 1), early_reuse).fails = "a data race";
  // The search of everything, without leaving out what comes to a state again.
  const auto add_whole = [&](const std::string& name, const Bounds& bounds, const LoopPlan& made) {
    Scenario& made_whole = add("whole_" + name, bounds, made);
    made_whole.is_whole = true, made_whole.samples = 0;
  };
  add_whole("2x4_long", within(3, 2), plan(2, {4}));
  add_whole("two_loops_2x3_long", within(3, 2), plan(2, {3, 3}));
  for (const auto& [name, strategy] : k_strategies)
    add_whole(std::string(name) + "_3x3_long", within(3, 3), plan(3, {3}, strategy));
  return std::move(list).all();
}

} // namespace wstree::model
