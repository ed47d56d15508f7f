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

template <class Queue, class Queue4> void add_queue(ScenarioList& list, const std::string& prefix) {
  const auto add = [&](const char* name, const Bounds& bounds, const QueuePlan& plan) {
    list.add(prefix + name, bounds, queue<Queue4>(plan));
  };
  const auto add_small = [&](const char* name, const Bounds& bounds, const QueuePlan& plan) {
    list.add(prefix + name, bounds, queue<Queue>(plan));
  };
  add("_push_pop_steal", within(3, 2), {.owner = "+-", .steals = 2});
  add("_two_items", within(3, 2), {.owner = "++--", .steals = 2});
  add("_two_thieves", within(2, 1), {.owner = "++-+--", .thieves = 2, .steals = 2});
  add("_three_items_two_thieves", within(2, 2), {.owner = "+++--", .thieves = 2});
  add("_refilled_slot", within(3, 2), {.owner = "+-+-+-", .steals = 2});
  add_small("_growth", within(3, 2), {.owner = "+++-", .steals = 2});
  add_small("_growth_two_thieves", within(2, 1), {.owner = "++++-", .thieves = 2, .steals = 2});
  add_small("_wraps_around", within(2, 1), {.owner = "++-++-++", .steals = 3, .patient = true});
  add("_two_loops", within(2, 1), {.owner = "++-", .steals = 1, .loops = 2});
  add("_patient", within(2, 1), {.owner = "++--", .thieves = 2, .steals = 1, .patient = true});
  add_small("_two_thieves_long", within(3, 3), {.owner = "++-+--", .thieves = 2, .steals = 2});
  add_small("_growth_long", within(4, 3), {.owner = "++++--+-", .thieves = 1, .steals = 3});
}

template <core::Model model> void add_loops(ScenarioList& list, const std::string& name) {
  list.add(name + "_loop_2x4", within(2, 1), loops<model>(plan(2, {4})));
  list.add(name + "_loop_2x6", within(1, 1), loops<model>(plan(2, {6})));
  list.add(name + "_loop_3x3", within(1, 0), loops<model>(plan(3, {3})));
  list.add(name + "_loop_two_loops_2x3", within(2, 1), loops<model>(plan(2, {3, 3})));
  list.add(name + "_loop_cancelled_2x8", within(1, 1), loops<model>(cancelled(plan(2, {8, 4}))));
  list.add(name + "_loop_3x4_long", within(2, 1), loops<model>(plan(3, {4})));
  list.add(name + "_loop_2x6_long", within(3, 2), loops<model>(plan(2, {6})));
}

} // namespace

std::vector<Scenario> queue_scenarios() {
  ScenarioList list(5000);
  add_queue<LockFree, LockFree4>(list, "queue");
  add_queue<Locked, Locked4>(list, "queue_lock");
  add_loops<core::Model::queue>(list, "queue");
  add_loops<core::Model::queue_lock>(list, "queue_lock");
  list.add("queue_loop_suspended_2x4", within(1, 0, 1), loops<core::Model::queue>(plan(2, {4})));
  list.add("queue_loop_suspended_3x3", within(1, 0, 1), loops<core::Model::queue>(plan(3, {3})));
  // What a lock costs: a member that is suspended while it holds the lock stops the others for as long.
  list.add("queue_lock_loop_suspended_2x4", within(2, 0, 1), loops<core::Model::queue_lock>(plan(2, {4})))
      .fails = "no end after";
  return std::move(list).all();
}

} // namespace wstree::model
