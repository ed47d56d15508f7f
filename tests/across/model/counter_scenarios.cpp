// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that are handed out from one counter.
#include "loop_program.h"
#include "scenario.h"

namespace wstree::model {
namespace {

template <core::Model model> void add(std::vector<Scenario>& scenarios, const std::string& name) {
  const auto plan = [](std::uint32_t members, std::vector<std::uint64_t> iterations) {
    return loops<model>(LoopPlan{.members = members, .iterations = std::move(iterations)});
  };
  const Bounds all{.preemptions = 7, .stale = 7};
  const Bounds suspended{.preemptions = 2, .stale = 2, .suspensions = 1};
  scenarios.push_back({name + "_2x4", all, plan(2, {4})});
  scenarios.push_back({name + "_3x3", {.preemptions = 3, .stale = 2}, plan(3, {3}), 5000});
  scenarios.push_back({name + "_two_loops_2x3", {.preemptions = 5, .stale = 3}, plan(2, {3, 3}), 5000});
  scenarios.push_back({name + "_suspended_3x3", suspended, plan(3, {3})});
  scenarios.push_back({name + "_suspended_two_loops_2x3", suspended, plan(2, {3, 2})});
  LoopPlan cancelled{.members = 2, .iterations = {8, 3}};
  cancelled.cancelled_after = 1;
  scenarios.push_back(
      {name + "_cancelled_2x8", {.preemptions = 4, .stale = 3}, loops<model>(cancelled), 5000});
  // A member of guided looks and takes in two steps:
  // both bounds at once give more than 50 million executions.
  const bool two_steps = model == core::Model::guided;
  if (two_steps)
    scenarios.push_back(
        {name + "_stale_4x6_long", {.preemptions = 2, .stale = 2}, plan(4, {6}), 500'000, true});
  const Bounds wide{.preemptions = two_steps ? 3U : 4U, .stale = two_steps ? 1U : 2U};
  scenarios.push_back({name + "_4x6_long", wide, plan(4, {6}), 500'000, true});
}

/// wsstatic, where nothing is shared: a member that is late or left out stops no other member, and no other
/// member does its share.
void add_static(std::vector<Scenario>& scenarios) {
  const auto plan = [](std::uint32_t members, std::vector<std::uint64_t> iterations, std::uint64_t chunk,
                       std::uint32_t cancelled_after = 0) {
    LoopPlan made{.members = members, .iterations = std::move(iterations), .smallest = chunk};
    made.cancelled_after = cancelled_after;
    return loops<core::Model::static_>(made);
  };
  const Bounds all{.preemptions = 7, .stale = 7, .suspensions = 1};
  scenarios.push_back({"static_blocks_3x7", all, plan(3, {7}, 0)});
  scenarios.push_back({"static_chunks_3x8", all, plan(3, {8}, 2)});
  scenarios.push_back({"static_fewer_than_members_4x2", all, plan(4, {2, 1}, 0)});
  scenarios.push_back({"static_two_loops_2x5", all, plan(2, {5, 4}, 1)});
  scenarios.push_back({"static_cancelled_3x9", all, plan(3, {9, 4}, 1, 1)});
}

} // namespace

std::vector<Scenario> counter_scenarios() {
  std::vector<Scenario> scenarios;
  add<core::Model::fixed>(scenarios, "fixed");
  add<core::Model::guided>(scenarios, "guided");
  add<core::Model::factoring>(scenarios, "factoring");
  add<core::Model::trapezoid>(scenarios, "trapezoid");
  add_static(scenarios);
  return scenarios;
}

} // namespace wstree::model
