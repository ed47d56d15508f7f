// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taskloops: tasks that come late, early ends, loops that outlive the thread that met them, and cancellation.
#include "scenario.h"
#include "task_loop_program.h"

namespace wstree::model {
namespace {

constexpr Bounds k_narrow{.preemptions = 2, .stale = 1};
constexpr Bounds k_usual{.preemptions = 3, .stale = 1};

} // namespace

std::vector<Scenario> task_scenarios() {
  std::vector<Scenario> all;
  all.push_back({"helper_2x4", k_usual, task_loop({}), 1000});
  all.push_back({"helpers_3x3", k_narrow, task_loop({.iterations = 3, .tasks = {{0}, {1}, {2}}}), 1000});
  // One thread executes all tasks of which the others do not take theirs in time.
  all.push_back({"late_2x4", k_usual, task_loop({.tasks = {{1, 0}, {2}}}), 1000});
  // The thread that met the loop takes no part, as with `nogroup`.
  all.push_back({"outlives_3x3", k_usual, task_loop({.iterations = 3, .tasks = {{}, {0}, {1}}}), 1000});
  all.push_back({"outlives_one_2x3", k_usual, task_loop({.iterations = 3, .tasks = {{}, {1, 0}}}), 1000});
  // A thread that waits inside an iteration executes further tasks of the same loop.
  all.push_back({"inside_2x4", k_usual, task_loop({.tasks = {{0, 1}, {2}}, .are_inside = true}), 1000});
  all.push_back({"cancelled_2x4", k_usual, task_loop({.most = 1, .is_cancellable = true}), 1000});
  all.push_back({"cancelled_3x5", k_narrow,
                 task_loop({.iterations = 5, .tasks = {{0}, {1}, {2}}, .most = 1, .is_cancellable = true}),
                 1000});
  all.push_back({"discarded_2x4", k_usual, task_loop({.is_cancellable = true}), 1000});
  all.push_back({"timed_2x5", k_usual, task_loop({.iterations = 5, .batch = core::BatchMode::timed}), 1000});
  all.push_back(
      {"helpers_3x5_long", k_usual, task_loop({.iterations = 5, .tasks = {{0}, {1}, {2}}}), 100'000, true});
  all.push_back({"inside_3x4_long", k_narrow, task_loop({.tasks = {{0, 1}, {2}, {3}}, .are_inside = true}),
                 100'000, true});
  return all;
}

} // namespace wstree::model
