// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taskloops: tasks that come late, early ends, loops that outlive the thread that met them, and cancellation.
#include "scenario.h"
#include "task_loop_program.h"

namespace wstree::model {
std::vector<Scenario> task_scenarios() {
  ScenarioList list(1000);
  const auto add = [&](const char* name, const Bounds& bounds, const TaskLoopPlan& plan) {
    list.add(name, bounds, task_loop(plan));
  };
  add("helper_2x4", within(3, 1), {});
  add("helpers_3x3", within(2, 1), {.iterations = 3, .tasks = {{0}, {1}, {2}}});
  // One thread executes all tasks of which the others do not take theirs in time.
  add("late_2x4", within(3, 1), {.tasks = {{1, 0}, {2}}});
  // The thread that met the loop takes no part, as with `nogroup`.
  add("outlives_3x3", within(3, 1), {.iterations = 3, .tasks = {{}, {0}, {1}}});
  add("outlives_one_2x3", within(3, 1), {.iterations = 3, .tasks = {{}, {1, 0}}});
  // A thread that waits inside an iteration executes further tasks of the same loop.
  add("inside_2x4", within(3, 1), {.tasks = {{0, 1}, {2}}, .are_inside = true});
  add("cancelled_2x4", within(3, 1), {.most = 1, .is_cancellable = true});
  add("cancelled_3x5", within(2, 1),
      {.iterations = 5, .tasks = {{0}, {1}, {2}}, .most = 1, .is_cancellable = true});
  add("discarded_2x4", within(3, 1), {.is_cancellable = true});
  add("timed_2x5", within(3, 1), {.iterations = 5, .batch = core::BatchMode::timed});
  add("helpers_3x5_long", within(3, 1), {.iterations = 5, .tasks = {{0}, {1}, {2}}});
  add("inside_3x4_long", within(2, 1), {.tasks = {{0, 1}, {2}, {3}}, .are_inside = true});
  return std::move(list).all();
}

} // namespace wstree::model
