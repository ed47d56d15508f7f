// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C++ library adds to the tree.
#include "parallel_program.h"
#include "scenario.h"

namespace wstree::model {
namespace {

template <class Made, class Plan> std::function<std::unique_ptr<Program>()> program(Plan plan) {
  return [plan] { return std::make_unique<Made>(plan); };
}

} // namespace

std::vector<Scenario> parallel_scenarios() {
  ScenarioList list(1000);
  const auto scan = [&](const char* name, const Bounds& bounds, const TilesPlan& plan) {
    list.add(std::string("scan_") + name, bounds, program<ScanProgram>(plan));
  };
  const auto ordered = [&](const char* name, const Bounds& bounds, const TilesPlan& plan) {
    list.add(std::string("ordered_") + name, bounds, program<OrderedProgram>(plan));
  };
  scan("2x3", within(3, 2), {2, 3});
  scan("2x6", within(2, 1), {2, 6});
  scan("3x4", within(2, 1), {3, 4});
  ordered("2x3", within(3, 2), {2, 3});
  ordered("2x6", within(2, 1), {2, 6});
  ordered("event_2x4", within(3, 2), {2, 4, {2, 3}});
  list.add("verdict_2x4", within(3, 2), program<VerdictProgram>(TilesPlan{2, 4, {1, 3}}));
  list.add("verdict_3x3", within(2, 2), program<VerdictProgram>(TilesPlan{3, 3, {0, 1, 2}}));
  list.add("nest_2", within(3, 2), program<NestProgram>(NestPlan{2, 2}));
  list.add("nest_2_twice", within(3, 2), program<NestProgram>(NestPlan{2, 2, 2}));
  // Helpers knock at the door again and again while its member is about to close it.
  list.add("nest_3", {.preemptions = 2, .stale = 0, .steps = 100, .polls = true},
           program<NestProgram>(NestPlan{3, 3}));
  scan("2x4_long", within(4, 3), {2, 4});
  scan("3x5_long", within(3, 2), {3, 5});
  ordered("3x5_long", within(3, 2), {3, 5});
  list.add("verdict_3x5_long", within(3, 3), program<VerdictProgram>(TilesPlan{3, 5, {1, 2, 4}}));
  list.add("nest_3_long", {.preemptions = 2, .stale = 2, .steps = 140, .polls = true},
           program<NestProgram>(NestPlan{3, 3}));
  return std::move(list).all();
}

} // namespace wstree::model
