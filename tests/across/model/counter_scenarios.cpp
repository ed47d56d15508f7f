// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that are handed out from one counter.
#include "loop_program.h"
#include "scenario.h"

namespace wstree::model {
namespace {

template <core::Model model> void add(ScenarioList& list, const std::string& name) {
  const auto plan = [](std::uint32_t members, std::vector<std::uint64_t> iterations,
                       std::uint32_t cancelled_after = 0) {
    return loops<model>({.members = members, .iterations = iterations, .cancelled_after = cancelled_after});
  };
  list.add(name + "_2x4", within(7, 7), plan(2, {4})).samples = 0;
  list.add(name + "_3x3", within(3, 2), plan(3, {3}));
  list.add(name + "_two_loops_2x3", within(5, 3), plan(2, {3, 3}));
  list.add(name + "_suspended_3x3", within(2, 2, 1), plan(3, {3}));
  list.add(name + "_suspended_two_loops_2x3", within(2, 2, 1), plan(2, {3, 2}));
  list.add(name + "_cancelled_2x8", within(4, 3), plan(2, {8, 3}, 1));
  // A member of guided looks and takes in two steps:
  // both bounds at once give more than 50 million executions.
  const bool two_steps = model == core::Model::guided;
  if (two_steps) list.add(name + "_stale_4x6_long", within(2, 2), plan(4, {6}));
  list.add(name + "_4x6_long", two_steps ? within(3, 1) : within(4, 2), plan(4, {6}));
}

/// wsstatic, where nothing is shared: a member that is late or left out stops no other member, and no other
/// member does its share.
void add_static(ScenarioList& list) {
  const auto add = [&](const char* name, std::uint32_t members, std::vector<std::uint64_t> iterations,
                       std::uint64_t chunk, std::uint32_t cancelled_after = 0) {
    list.add(name, within(7, 7, 1),
             loops<core::Model::static_>({.members = members,
                                          .iterations = std::move(iterations),
                                          .smallest = chunk,
                                          .cancelled_after = cancelled_after}));
  };
  add("static_blocks_3x7", 3, {7}, 0);
  add("static_chunks_3x8", 3, {8}, 2);
  add("static_fewer_than_members_4x2", 4, {2, 1}, 0);
  add("static_two_loops_2x5", 2, {5, 4}, 1);
  add("static_cancelled_3x9", 3, {9, 4}, 1, 1);
}

} // namespace

std::vector<Scenario> counter_scenarios() {
  ScenarioList list(5000);
  add<core::Model::fixed>(list, "fixed");
  add<core::Model::guided>(list, "guided");
  add<core::Model::factoring>(list, "factoring");
  add<core::Model::trapezoid>(list, "trapezoid");
  add_static(list);
  return std::move(list).all();
}

} // namespace wstree::model
