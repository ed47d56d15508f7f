// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-stealing ranges: as a schedule, and as the public types.
#include "loop_program.h"
#include "partition_program.h"
#include "range_program.h"
#include "scenario.h"

namespace wstree::model {
namespace {

constexpr auto k_range = core::Model::range;

/// A thief that is suspended before it shows what it has taken keeps that: a share at most.
LoopPlan plan(std::uint32_t members, std::vector<std::uint64_t> iterations) {
  LoopPlan made{.members = members, .iterations = std::move(iterations)};
  made.most_missing = made.iterations[0] / members + 1;
  return made;
}

LoopPlan exponential(LoopPlan made) {
  made.settings.batch = core::BatchMode::exponential;
  made.settings.limit = 4;
  return made;
}

LoopPlan cancelled(LoopPlan made) {
  made.cancelled_after = 1;
  return made;
}

} // namespace

std::vector<Scenario> range_scenarios() {
  ScenarioList list(5000);
  const auto add = [&](const char* name, const Bounds& bounds, const LoopPlan& made) {
    list.add(std::string("range_") + name, bounds, loops<k_range>(made));
  };
  const auto add_cell = [&](const char* name, const Bounds& bounds, const RangePlan& made) {
    list.add(std::string("range_cell_") + name, bounds, range(made));
  };
  const auto add_parts = [&](const char* name, const Bounds& bounds, const PartitionPlan& made) {
    list.add(std::string("partitions_") + name, bounds, partitions(made));
  };
  add_cell("drained", within(3, 2), {{{0, 4}}, 1, 2});
  add_cell("large", within(2, 2), {{{0, 9}}, 1, 2});
  add_cell("two_thieves", within(2, 1), {{{0, 4}}, 2, 1});
  // The owner opens a second range in the cell while thieves still hold a word, or a low, of the first one.
  add_cell("refilled_upwards", within(3, 2), {{{0, 3}, {10, 12}}, 2, 1});
  add_cell("refilled_downwards", within(5, 3), {{{20, 23}, {10, 12}}, 2, 1});
  add_cell("refilled_by_neighbours", within(2, 2), {{{4, 6}, {6, 8}, {2, 4}}, 2, 1});
  add("2x4", within(2, 1), plan(2, {4}));
  add("2x3", within(3, 2), plan(2, {3}));
  add("2x6", within(2, 1), plan(2, {6}));
  add("2x8_switches", within(3, 0), plan(2, {8}));
  add("2x8_stale", within(1, 3), plan(2, {8}));
  add("exponential_2x8", within(2, 1), exponential(plan(2, {8})));
  add("3x3", within(1, 1), plan(3, {3}));
  add("two_loops_2x3", within(2, 1), plan(2, {3, 3}));
  add("two_loops_2x5", within(1, 1), plan(2, {5, 4}));
  add("two_loops_3x2", within(1, 1), plan(3, {2, 2}));
  // Member 1 drains its share and reads the word of member 0, which drains its own, steals from member 2
  // and opens a new range in the same cell. Then member 1 goes on.
  add("refilled_3x6", within(2, 0), plan(3, {6}));
  add("cancelled_2x8", within(1, 2), cancelled(plan(2, {8, 4})));
  add("suspended_2x4", within(1, 1, 1), plan(2, {4}));
  add("suspended_3x4", within(1, 0, 1), plan(3, {4}));
  list.add("range_public_drained", within(3, 2), public_range({.size = 5, .steals = 2}));
  list.add("range_public_two_thieves", within(2, 1), public_range({.size = 6, .most = 2, .thieves = 2}));
  add_parts("2x5", within(2, 1), {.elements = 5, .takes = {k_all, k_all}});
  add_parts("2x8_chunks", within(2, 1), {.elements = 8, .takes = {k_all, k_all}, .chunk = 3});
  add_parts("stop_early_2x6", within(2, 1), {.elements = 6, .takes = {1, k_all}});
  add_parts("all_stop_early", within(2, 1), {.elements = 9, .takes = {2, 3}, .chunk = 2});
  add_parts("never_come_2x6", within(2, 1), {.elements = 6, .takes = {k_all, k_all}, .partitions = 4});
  add_parts("stop_early_3x6", within(1, 1), {.elements = 6, .takes = {1, k_all, 2}, .partitions = 4});
  add_parts("3x7_long", within(2, 1), {.elements = 7, .takes = {1, k_all, k_all}, .partitions = 4});
  add("2x12_long", within(2, 1), plan(2, {12}));
  add("stale_3x6_long", within(1, 2), plan(3, {6}));
  add_cell("refilled_long", within(4, 3), {{{20, 23}, {10, 13}}, 2, 1});
  add("2x8_long", within(3, 3), plan(2, {8}));
  add("3x4_long", within(2, 1), plan(3, {4}));
  add("refilled_3x9_long", within(2, 1), plan(3, {9}));
  add("two_loops_2x6_long", within(3, 2), plan(2, {6, 5}));
  return std::move(list).all();
}

} // namespace wstree::model
