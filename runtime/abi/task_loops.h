// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Taskloops: the runtime creates the tasks, one for each member of the team at most, and these share the
// iterations through a tree. So every clause about tasks, and every wait, is the runtime's.
#pragma once

#include "kept_team.h"
#include "loop_entry.h"
#include "loop_site.h"
#include "task_choice.h"
#include "task_loop.h"

#include <cstdint>

namespace wstree::abi {

/// A loop's data for its tasks.
struct TaskLoopFacts {
  std::uint64_t lower; // value of the loop variable in the first iteration
  std::uint64_t step;  // from one iteration to the next
  const void* body;    // the program's function for a piece
  const void* caller;
  bool tells_last = false;  // the task has to mark the last piece
  bool cancellable = false; // the program may cancel taskgroups
  observe::LoopSite* site = nullptr;
  std::uint64_t began = 0;

  std::uint64_t at(std::uint64_t iteration) const noexcept { return lower + iteration * step; }
};
using TaskLoop = loop::TaskLoop<Platform, TaskLoopFacts>;

/// The time from where a thread meets a loop to where it goes on, for the choice between the tree and the
/// tasks of the runtime.
class TaskTimer {
public:
  TaskTimer() = default;
  TaskTimer(const TaskTimer&) = delete;
  TaskTimer& operator=(const TaskTimer&) = delete;
  ~TaskTimer() {
    if (caller_ != nullptr) learn();
  }

  /// Chooses the way of a loop that is `as` served, and times it from now on if either way is possible.
  loop::TaskChoice::Way start(const void* caller, std::uint64_t iterations, const ServedAs& as) noexcept;

private:
  void learn() noexcept;

  const void* caller_ = nullptr; // nullptr: nothing is timed
  std::uint64_t iterations_ = 0;
  std::uint64_t since_ = 0;
  loop::TaskChoice::Way way_{};
};

/// Starts a loop that the calling thread has met, if we serve it; nullptr: the runtime does. TaskLoop::size()
/// tasks, of which number i has part(i), then call share_task_loop(). `waits`: the thread waits for them
/// before it goes on. `source`: the location text of the compiler, or nullptr.
///
/// A runtime that is asked to cancel may discard tasks. So the thread that waits ends such a loop, by
/// end_task_loop(), and a loop that nothing waits for is not served. The last task ends all others.
///
/// `timer`: set if the runtime would make one task for each thread, and so may be faster in a brief loop:
/// both ways are timed then. The timer's life ends where the thread goes on.
TaskLoop* begin_task_loop(TaskLoopFacts facts, std::uint64_t iterations, bool waits, const char* source,
                          TaskTimer* timer) noexcept;
/// Counts the loop and gives its memory back.
void end_task_loop(TaskLoop& loop) noexcept;
/// Returns the calling thread's prior of the loop's code location. nullptr: this loop needs no estimate.
core::Prior* prior_of(const TaskLoop& loop) noexcept;
/// The task of `part` takes no more of its loop.
void leave_task_loop(TaskLoop::Part& part) noexcept;

/// Does the work of the task of `part`: calls run(first, past, last) for iterations [first, past) until none
/// are left for it. `is_cancelled()`: returns whether its taskgroup is.
template <class Run, class Cancelled>
void share_task_loop(TaskLoop::Part& part, Run&& run, Cancelled&& is_cancelled) {
  const bool cancellable = part.loop->facts().cancellable;
  part.loop->take_part(part, prior_of(*part.loop), run, [&] { return cancellable && is_cancelled(); });
  leave_task_loop(part);
}

} // namespace wstree::abi
