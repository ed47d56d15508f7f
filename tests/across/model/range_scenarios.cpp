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
  const Bounds narrow{.preemptions = 2, .stale = 1};
  const Bounds stale{.preemptions = 2, .stale = 2};
  return {
      {"range_cell_drained", {.preemptions = 3, .stale = 2}, range({{{0, 4}}, 1, 2}), 10'000},
      {"range_cell_large", stale, range({{{0, 9}}, 1, 2}), 10'000},
      {"range_cell_two_thieves", {.preemptions = 2, .stale = 1}, range({{{0, 4}}, 2, 1}), 10'000},
      // The owner opens a second range in the cell while thieves still hold a word, or a low,
      // of the first one.
      {"range_cell_refilled_upwards",
       {.preemptions = 3, .stale = 2},
       range({{{0, 3}, {10, 12}}, 2, 1}),
       20'000},
      {"range_cell_refilled_downwards",
       {.preemptions = 5, .stale = 3},
       range({{{20, 23}, {10, 12}}, 2, 1}),
       20'000},
      {"range_cell_refilled_by_neighbours", stale, range({{{4, 6}, {6, 8}, {2, 4}}, 2, 1}), 20'000},
      {"range_2x4", narrow, loops<k_range>(plan(2, {4})), 10'000},
      {"range_2x3", {.preemptions = 3, .stale = 2}, loops<k_range>(plan(2, {3})), 10'000},
      {"range_2x6", narrow, loops<k_range>(plan(2, {6})), 10'000},
      {"range_2x8_switches", {.preemptions = 3, .stale = 0}, loops<k_range>(plan(2, {8})), 10'000},
      {"range_2x8_stale", {.preemptions = 1, .stale = 3}, loops<k_range>(plan(2, {8})), 10'000},
      {"range_exponential_2x8", narrow, loops<k_range>(exponential(plan(2, {8}))), 10'000},
      {"range_3x3", {.preemptions = 1, .stale = 1}, loops<k_range>(plan(3, {3})), 10'000},
      {"range_two_loops_2x3", narrow, loops<k_range>(plan(2, {3, 3})), 10'000},
      {"range_two_loops_2x5", {.preemptions = 1, .stale = 1}, loops<k_range>(plan(2, {5, 4})), 10'000},
      {"range_two_loops_3x2", {.preemptions = 1, .stale = 1}, loops<k_range>(plan(3, {2, 2})), 10'000},
      // Member 1 drains its share and reads the word of member 0, which drains its own, steals from member 2
      // and opens a new range in the same cell. Then member 1 goes on.
      {"range_refilled_3x6", {.preemptions = 2, .stale = 0}, loops<k_range>(plan(3, {6})), 50'000},
      {"range_cancelled_2x8",
       {.preemptions = 1, .stale = 2},
       loops<k_range>(cancelled(plan(2, {8, 4}))),
       10'000},
      {"range_suspended_2x4", {.preemptions = 1, .stale = 1, .suspensions = 1}, loops<k_range>(plan(2, {4}))},
      {"range_suspended_3x4", {.preemptions = 1, .stale = 0, .suspensions = 1}, loops<k_range>(plan(3, {4}))},
      {"range_public_drained",
       {.preemptions = 3, .stale = 2},
       public_range({.size = 5, .steals = 2}),
       10'000},
      {"range_public_two_thieves", narrow, public_range({.size = 6, .most = 2, .thieves = 2}), 10'000},
      {"partitions_2x5", narrow, partitions({.elements = 5, .takes = {k_all, k_all}}), 10'000},
      {"partitions_2x8_chunks", narrow, partitions({.elements = 8, .takes = {k_all, k_all}, .chunk = 3}),
       10'000},
      {"partitions_stop_early_2x6", narrow, partitions({.elements = 6, .takes = {1, k_all}}), 10'000},
      {"partitions_all_stop_early", narrow, partitions({.elements = 9, .takes = {2, 3}, .chunk = 2}), 10'000},
      {"partitions_never_come_2x6", narrow,
       partitions({.elements = 6, .takes = {k_all, k_all}, .partitions = 4}), 10'000},
      {"partitions_stop_early_3x6",
       {.preemptions = 1, .stale = 1},
       partitions({.elements = 6, .takes = {1, k_all, 2}, .partitions = 4}),
       10'000},
      {"partitions_3x7_long", narrow,
       partitions({.elements = 7, .takes = {1, k_all, k_all}, .partitions = 4}), 1'000'000, true},
      {"range_2x12_long", narrow, loops<k_range>(plan(2, {12})), 500'000, true},
      {"range_stale_3x6_long", {.preemptions = 1, .stale = 2}, loops<k_range>(plan(3, {6})), 500'000, true},
      {"range_cell_refilled_long",
       {.preemptions = 4, .stale = 3},
       range({{{20, 23}, {10, 13}}, 2, 1}),
       500'000,
       true},
      {"range_2x8_long", {.preemptions = 3, .stale = 3}, loops<k_range>(plan(2, {8})), 1'000'000, true},
      {"range_3x4_long", narrow, loops<k_range>(plan(3, {4})), 1'000'000, true},
      {"range_refilled_3x9_long",
       {.preemptions = 2, .stale = 1},
       loops<k_range>(plan(3, {9})),
       1'000'000,
       true},
      {"range_two_loops_2x6_long",
       {.preemptions = 3, .stale = 2},
       loops<k_range>(plan(2, {6, 5})),
       500'000,
       true},
  };
}

} // namespace wstree::model
