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

constexpr std::pair<const char*, Strategy> k_strategies[] = {
    {"find_max", Strategy::find_max},       {"predefined", Strategy::predefined},
    {"assign", Strategy::assign},           {"assign_top", Strategy::assign_top},
    {"random_walk", Strategy::random_walk}, {"random_all", Strategy::random_all}};
constexpr std::pair<const char*, BatchMode> k_batches[] = {{"fixed", BatchMode::fixed},
                                                           {"exponential", BatchMode::exponential},
                                                           {"random", BatchMode::random},
                                                           {"timed", BatchMode::timed}};

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

void add_exhaustive(std::vector<Scenario>& scenarios, const std::string& name, Strategy strategy,
                    BatchMode batch) {
  const Bounds all{.preemptions = 2, .stale = Bounds::k_unbounded, .patience = k_patience};
  Bounds suspended = all;
  suspended.preemptions = 1;
  suspended.suspensions = 1;
  Bounds unbounded = all;
  unbounded.preemptions = Bounds::k_unbounded;
  const auto add = [&](const char* size, const Bounds& bounds, std::uint32_t members, std::uint64_t n,
                       bool is_long) {
    scenarios.push_back({name + "_" + size + (is_long ? "_long" : ""), bounds,
                         loops<k_tree>(missing_a_batch(plan(members, {n}, strategy, batch))), 0, is_long});
  };
  // By default one row for each batch mode, and one for each strategy.
  const bool is_usual = strategy == Strategy::find_max;
  const bool is_row = is_usual || batch == BatchMode::fixed;
  add("2x3", all, 2, 3, !is_row);
  add("3x2", all, 3, 2, !is_row);
  add("2x6", all, 2, 6, !is_usual || batch == BatchMode::timed);
  add("suspended_2x4", suspended, 2, 4, !is_row);
  // A member has one unit of three or four: all batches are the same.
  if (batch != BatchMode::fixed) return;
  add("unbounded_2x3", unbounded, 2, 3, !is_usual);
  add("unbounded_2x4", unbounded, 2, 4, true);
  add("unbounded_2x5", unbounded, 2, 5, true);
  add("unbounded_3x2", unbounded, 3, 2, !is_usual);
  add("suspended_3x3", suspended, 3, 3, !is_usual);
  add("3x3", all, 3, 3, !is_usual);
  add("3x4", all, 3, 4, true);
}

/// For every strategy and every batch mode: two preemptions or any number, and all values that weak memory
/// may show.
void add_exhaustive(std::vector<Scenario>& scenarios) {
  for (const auto& [strategy_name, strategy] : k_strategies)
    for (const auto& [batch_name, batch] : k_batches)
      add_exhaustive(scenarios, "all_" + std::string(strategy_name) + "_" + batch_name, strategy, batch);
}

/// The searches of large teams.
void add_by_board(std::vector<Scenario>& scenarios) {
  const Bounds narrow{.preemptions = 2, .stale = 1, .patience = k_patience};
  const Bounds stale{.preemptions = 1, .stale = 3, .patience = k_patience};
  const Bounds suspended{.preemptions = 1, .stale = 1, .suspensions = 1, .patience = k_patience};
  const auto add = [&](const char* name, const Bounds& bounds, const LoopPlan& made, bool is_long = false) {
    scenarios.push_back({name, bounds, loops<k_tree>(by_board(made)), is_long ? 100'000U : 5'000U, is_long});
  };
  add("board_2x4", narrow, plan(2, {4}));
  add("board_2x6", narrow, plan(2, {6}));
  add("board_3x3", narrow, plan(3, {3}));
  add("board_stale_2x4", stale, plan(2, {4}));
  add("board_two_loops_2x3", narrow, plan(2, {3, 3}));
  add("board_other_roots_3x2", {.preemptions = 1, .stale = 1, .patience = k_patience}, plan(3, {2, 4}));
  add("board_one_root_3x4", narrow, one_root(plan(3, {4})));
  add("board_exponential_2x6", narrow, plan(2, {6}, Strategy::find_max, BatchMode::exponential));
  add("board_neighbours_3x4", {.preemptions = 1, .stale = 1, .patience = k_patience},
      neighbours(plan(3, {4})));
  add("board_suspended_2x4", suspended, plan(2, {4}));
  add("board_suspended_3x3", suspended, plan(3, {3}));
  add("board_suspended_two_loops_2x2", suspended, plan(2, {2, 2}));
  add("board_3x4_long", {.preemptions = 3, .stale = 1, .patience = k_patience}, plan(3, {4}), true);
}

/// Members that believe the loop to be brief; all goes as expected, or nothing.
void add_brief(std::vector<Scenario>& scenarios) {
  const Bounds usual{.preemptions = 3, .stale = 1, .patience = 400};
  const Bounds narrow{.preemptions = 2, .stale = 1, .patience = 400};
  const Bounds few{.preemptions = 1, .stale = 1, .patience = 400};
  const Bounds suspended{.preemptions = 1, .stale = 1, .suspensions = 1, .patience = 400};
  for (const bool is_expected : {true, false}) {
    const std::string name = is_expected ? "brief" : "brief_wrong";
    const auto brief = [=](std::uint32_t members, std::vector<std::uint64_t> iterations) {
      LoopPlan made = plan(members, std::move(iterations), Strategy::find_max, BatchMode::timed);
      made.known = is_expected ? 1'000 : 1; // a look at the clock takes a hundred ticks
      made.most_missing = made.iterations[0];
      return made;
    };
    scenarios.push_back({name + "_2x6", usual, loops<k_tree>(brief(2, {6})), 1000});
    scenarios.push_back({name + "_2x3", usual, loops<k_tree>(brief(2, {3})), 1000});
    scenarios.push_back({name + "_3x7", few, loops<k_tree>(brief(3, {7})), 1000});
    scenarios.push_back({name + "_3x7_long", narrow, loops<k_tree>(brief(3, {7})), 1000, true});
    scenarios.push_back({name + "_3x4", narrow, loops<k_tree>(brief(3, {4})), 1000});
    scenarios.push_back({name + "_two_loops_2x5", narrow, loops<k_tree>(brief(2, {5, 5})), 1000});
    scenarios.push_back({name + "_board_3x7", few, loops<k_tree>(by_board(brief(3, {7}))), 1000});
    scenarios.push_back(
        {name + "_board_3x7_long", narrow, loops<k_tree>(by_board(brief(3, {7}))), 1000, true});
    scenarios.push_back({name + "_suspended_2x6", suspended, loops<k_tree>(brief(2, {6}))});
    scenarios.push_back({name + "_cancelled_2x6", narrow, loops<k_tree>(cancelled(brief(2, {6, 4}))), 1000});
  }
}

} // namespace

std::vector<Scenario> tree_scenarios() {
  const Bounds narrow{.preemptions = 2, .stale = 1};
  const Bounds usual{.preemptions = 3, .stale = 1};
  const Bounds wide{.preemptions = 4, .stale = 3};
  const Bounds suspended{.preemptions = 1, .stale = 1, .suspensions = 1};
  std::vector<Scenario> scenarios;
  add_exhaustive(scenarios);
  add_by_board(scenarios);
  add_brief(scenarios);
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
  scenarios.push_back({"neighbours_3x4", narrow, loops<k_tree>(neighbours(plan(3, {4}))), 5000});
  scenarios.push_back(
      {"neighbours_one_root_3x4", narrow, loops<k_tree>(neighbours(one_root(plan(3, {4})))), 5000});
  scenarios.push_back({"neighbours_stale_3x4",
                       {.preemptions = 1, .stale = 2},
                       loops<k_tree>(neighbours(one_root(plan(3, {4})))),
                       5000});
  scenarios.push_back({"neighbours_two_loops_3x3",
                       {.preemptions = 1, .stale = 1},
                       loops<k_tree>(neighbours(plan(3, {3, 3}))),
                       5000});
  LoopPlan timed = plan(2, {9}, Strategy::find_max, BatchMode::timed);
  timed.most_missing = 9;
  scenarios.push_back({"timed_2x9", narrow, loops<k_tree>(timed), 5000});
  // Iteration n-1 looks long, so a member leaves its node for it. The other has no memory to split nodes, has
  // found nothing else, and is about to ask for that iteration.
  LoopPlan early = one_root(plan(2, {3}, Strategy::find_max, BatchMode::timed));
  early.settings.clocked = true;
  early.settings.shortest_target = 1;
  early.settings.longest_target = 2;
  early.has_memory = false;
  early.poor = 2;
  early.most_missing = 6;
  scenarios.push_back({"early_last_2x3", usual, loops<k_tree>(early), 5000});
  early.settings.roots = 0;
  early.iterations = {6};
  scenarios.push_back({"early_last_2x6", narrow, loops<k_tree>(early), 5000});
  scenarios.push_back({"board_early_last_2x6", narrow, loops<k_tree>(by_board(early)), 5000});
  // As before, and the member that has frozen the node is suspended before it hangs the children: the other
  // members cannot, and leave that to it.
  Bounds in_vain = suspended;
  in_vain.patience = 400;
  scenarios.push_back({"suspended_early_last_2x6", in_vain, loops<k_tree>(early)});
  LoopPlan poor = few_nodes(plan(3, {6}), false);
  poor.pairs = 4;
  poor.poor = 5; // member 1 has nodes
  poor.most_missing = 6;
  scenarios.push_back({"suspended_poor_3x6", in_vain, loops<k_tree>(poor)});
  poor.settings.strategy = Strategy::random_all;
  scenarios.push_back({"suspended_poor_random_all_3x6", in_vain, loops<k_tree>(poor)});
  // The owner has taken a unit, and is suspended in most executions; two thieves want the only other one.
  Bounds thieves{.preemptions = 1, .stale = 1, .suspensions = 1, .patience = k_patience};
  scenarios.push_back({"two_thieves_one_iteration", thieves, loops<k_tree>(one_root(plan(3, {3})))});
  thieves.preemptions = thieves.stale = 2;
  scenarios.push_back(
      {"two_thieves_one_iteration_long", thieves, loops<k_tree>(one_root(plan(3, {3}))), 0, true});
  // The search of everything, without leaving out what comes to a state again.
  const Bounds whole{.preemptions = 3, .stale = 2};
  scenarios.push_back({"whole_2x4_long", whole, loops<k_tree>(plan(2, {4})), 0, true, {}, true});
  scenarios.push_back({"whole_two_loops_2x3_long", whole, loops<k_tree>(plan(2, {3, 3})), 0, true, {}, true});
  for (const auto& [name, strategy] : k_strategies)
    scenarios.push_back({"whole_" + std::string(name) + "_3x3_long",
                         {.preemptions = 3, .stale = 3},
                         loops<k_tree>(plan(3, {3}, strategy)),
                         0,
                         true,
                         {},
                         true});
  // Marks of 2 bits go round after four loops. In the loops between, roots 1 and 2 have no units.
  using Narrow = test::WithMarks<ModelPlatform, test::NarrowMarks<2>>;
  // One member refreshes a root that another member owns already.
  scenarios.push_back(
      {"round_2x2", {.preemptions = 2, .stale = 1}, loops<k_tree, Narrow>(plan(2, {3, 3})), 5000});
  scenarios.push_back(
      {"round_2x5", {.preemptions = 2, .stale = 0}, loops<k_tree, Narrow>(plan(2, {3, 1, 1, 1, 3})), 5000});
  scenarios.push_back(
      {"round_3x5", {.preemptions = 1, .stale = 0}, loops<k_tree, Narrow>(plan(3, {4, 1, 2, 1, 4})), 5000});
  // In each loop a thief that is late comes upon what stands there from four loops ago.
  scenarios.push_back({"round_2x9",
                       {.preemptions = 1, .stale = 0},
                       loops<k_tree, Narrow>(plan(2, {3, 1, 1, 1, 3, 1, 1, 1, 3})),
                       5000});
  // A member writes again what a loop's arena holds while another member still reads it.
  LoopPlan early_reuse = plan(2, {6, 6});
  early_reuse.reuses_early = true;
  scenarios.push_back(
      {"reused_under_a_reader_2x6", narrow, loops<k_tree>(early_reuse), 0, false, "a data race"});
  scenarios.push_back({"suspended_two_loops_2x2", suspended, loops<k_tree>(plan(2, {2, 2}))});
  scenarios.push_back({"suspended_one_root_3x4_long",
                       {.preemptions = 2, .stale = 1, .suspensions = 1},
                       loops<k_tree>(one_root(plan(3, {4}))),
                       0,
                       true});
  return scenarios;
}

} // namespace wstree::model
