// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-stealing queues, with and without a lock.
#include "loop_program.h"
#include "queue_program.h"
#include "scenario.h"

namespace wstree::model {
namespace {

/// Arrays of two or four items at first, so that a few pushes make them grow.
using LockFree = core::ChaseLevQueue<ModelPlatform, 2>;
using LockFree4 = core::ChaseLevQueue<ModelPlatform, 4>;
using Locked = core::DuffyQueue<ModelPlatform, 2>;
using Locked4 = core::DuffyQueue<ModelPlatform, 4>;

/// A thief that is suspended before it has pushed what it has taken keeps that: a share at most.
LoopPlan plan(std::uint32_t members, std::vector<std::uint64_t> iterations) {
  LoopPlan made{.members = members, .iterations = std::move(iterations)};
  made.most_missing = made.iterations[0] / members + 1;
  return made;
}

LoopPlan cancelled(LoopPlan made) {
  made.cancelled_after = 1;
  return made;
}

template <class Queue, class Queue4>
void add_queue(std::vector<Scenario>& scenarios, const std::string& name) {
  const Bounds usual{.preemptions = 3, .stale = 2};
  const Bounds narrow{.preemptions = 2, .stale = 1};
  scenarios.push_back({name + "_push_pop_steal", usual, queue<Queue4>({.owner = "+-", .steals = 2}), 20'000});
  scenarios.push_back({name + "_two_items", usual, queue<Queue4>({.owner = "++--", .steals = 2}), 20'000});
  scenarios.push_back(
      {name + "_two_thieves", narrow, queue<Queue4>({.owner = "++-+--", .thieves = 2, .steals = 2}), 20'000});
  scenarios.push_back({name + "_three_items_two_thieves",
                       {.preemptions = 2, .stale = 2},
                       queue<Queue4>({.owner = "+++--", .thieves = 2}),
                       20'000});
  scenarios.push_back(
      {name + "_refilled_slot", usual, queue<Queue4>({.owner = "+-+-+-", .steals = 2}), 20'000});
  scenarios.push_back({name + "_growth", usual, queue<Queue>({.owner = "+++-", .steals = 2}), 20'000});
  scenarios.push_back({name + "_growth_two_thieves", narrow,
                       queue<Queue>({.owner = "++++-", .thieves = 2, .steals = 2}), 20'000});
  scenarios.push_back({name + "_wraps_around", narrow,
                       queue<Queue>({.owner = "++-++-++", .steals = 3, .patient = true}), 20'000});
  scenarios.push_back(
      {name + "_two_loops", narrow, queue<Queue4>({.owner = "++-", .steals = 1, .loops = 2}), 20'000});
  scenarios.push_back({name + "_patient", narrow,
                       queue<Queue4>({.owner = "++--", .thieves = 2, .steals = 1, .patient = true}), 20'000});
  scenarios.push_back({name + "_two_thieves_long",
                       {.preemptions = 3, .stale = 3},
                       queue<Queue>({.owner = "++-+--", .thieves = 2, .steals = 2}),
                       1'000'000,
                       true});
  scenarios.push_back({name + "_growth_long",
                       {.preemptions = 4, .stale = 3},
                       queue<Queue>({.owner = "++++--+-", .thieves = 1, .steals = 3}),
                       1'000'000,
                       true});
}

template <core::Model model> void add_loops(std::vector<Scenario>& scenarios, const std::string& name) {
  const Bounds narrow{.preemptions = 2, .stale = 1};
  scenarios.push_back({name + "_loop_2x4", narrow, loops<model>(plan(2, {4})), 10'000});
  scenarios.push_back(
      {name + "_loop_2x6", {.preemptions = 1, .stale = 1}, loops<model>(plan(2, {6})), 10'000});
  scenarios.push_back(
      {name + "_loop_3x3", {.preemptions = 1, .stale = 0}, loops<model>(plan(3, {3})), 10'000});
  scenarios.push_back({name + "_loop_two_loops_2x3", narrow, loops<model>(plan(2, {3, 3})), 10'000});
  scenarios.push_back({name + "_loop_cancelled_2x8",
                       {.preemptions = 1, .stale = 1},
                       loops<model>(cancelled(plan(2, {8, 4}))),
                       10'000});
  scenarios.push_back({name + "_loop_3x4_long", narrow, loops<model>(plan(3, {4})), 500'000, true});
  scenarios.push_back(
      {name + "_loop_2x6_long", {.preemptions = 3, .stale = 2}, loops<model>(plan(2, {6})), 500'000, true});
}

} // namespace

std::vector<Scenario> queue_scenarios() {
  std::vector<Scenario> scenarios;
  add_queue<LockFree, LockFree4>(scenarios, "queue");
  add_queue<Locked, Locked4>(scenarios, "queue_lock");
  add_loops<core::Model::queue>(scenarios, "queue");
  add_loops<core::Model::queue_lock>(scenarios, "queue_lock");
  const Bounds suspended{.preemptions = 1, .stale = 0, .suspensions = 1};
  scenarios.push_back({"queue_loop_suspended_2x4", suspended, loops<core::Model::queue>(plan(2, {4}))});
  scenarios.push_back({"queue_loop_suspended_3x3", suspended, loops<core::Model::queue>(plan(3, {3}))});
  // What a lock costs: a member that is suspended while it holds the lock stops the others for as long.
  scenarios.push_back({"queue_lock_loop_suspended_2x4",
                       {.preemptions = 2, .stale = 0, .suspensions = 1},
                       loops<core::Model::queue_lock>(plan(2, {4})),
                       0,
                       false,
                       "no end after"});
  return scenarios;
}

} // namespace wstree::model
