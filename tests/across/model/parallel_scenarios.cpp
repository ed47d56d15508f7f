// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C++ library adds to the tree.
#include "parallel_program.h"
#include "scenario.h"

#include <memory>
#include <utility>

namespace wstree::model {
namespace {

template <class Made, class Plan> std::function<std::unique_ptr<Program>()> program(Plan plan) {
  return [plan] { return std::make_unique<Made>(plan); };
}

} // namespace

std::vector<Scenario> parallel_scenarios() {
  const Bounds usual{.preemptions = 3, .stale = 2};
  const Bounds wide{.preemptions = 4, .stale = 3};
  std::vector<Scenario> all{
      {"scan_2x3", usual, program<ScanProgram>(TilesPlan{2, 3}), 2000},
      {"scan_2x6", {.preemptions = 2, .stale = 1}, program<ScanProgram>(TilesPlan{2, 6}), 1000},
      {"scan_3x4", {.preemptions = 2, .stale = 1}, program<ScanProgram>(TilesPlan{3, 4}), 1000},
      {"ordered_2x3", usual, program<OrderedProgram>(TilesPlan{2, 3}), 2000},
      {"ordered_2x6", {.preemptions = 2, .stale = 1}, program<OrderedProgram>(TilesPlan{2, 6}), 1000},
      {"ordered_event_2x4", usual, program<OrderedProgram>(TilesPlan{2, 4, {2, 3}}), 1000},
      {"verdict_2x4", usual, program<VerdictProgram>(TilesPlan{2, 4, {1, 3}}), 1000},
      {"verdict_3x3",
       {.preemptions = 2, .stale = 2},
       program<VerdictProgram>(TilesPlan{3, 3, {0, 1, 2}}),
       1000},
      {"nest_2", usual, program<NestProgram>(NestPlan{2, 2}), 1000},
      {"nest_2_twice", usual, program<NestProgram>(NestPlan{2, 2, 2}), 1000},
      // Helpers knock at the door again and again while its member is about to close it.
      {"nest_3",
       {.preemptions = 2, .stale = 0, .steps = 100, .polls = true},
       program<NestProgram>(NestPlan{3, 3}),
       1000},
      {"scan_2x4_long", wide, program<ScanProgram>(TilesPlan{2, 4}), 100'000, true},
      {"scan_3x5_long", {.preemptions = 3, .stale = 2}, program<ScanProgram>(TilesPlan{3, 5}), 100'000, true},
      {"ordered_3x5_long",
       {.preemptions = 3, .stale = 2},
       program<OrderedProgram>(TilesPlan{3, 5}),
       100'000,
       true},
      {"verdict_3x5_long",
       {.preemptions = 3, .stale = 3},
       program<VerdictProgram>(TilesPlan{3, 5, {1, 2, 4}}),
       100'000,
       true},
      {"nest_3_long",
       {.preemptions = 2, .stale = 2, .steps = 140, .polls = true},
       program<NestProgram>(NestPlan{3, 3}),
       100'000,
       true},
  };
  return all;
}

} // namespace wstree::model
