// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread's state: its region, its member and team, and its loop.
#pragma once

#include "kept_team.h"
#include "label.h"
#include "loop_state.h"
#include "member.h"
#include "process/session.h"
#include "resolve/elf_object.h"
#include "resolve/omp_queries.h"
#include "static_loops.h"
#include "statistics.h"
#include "task_choice.h"

#include "wstree/core/platform.h"
#include "wstree/core/prior.h"

#include <cstdint>
#include <utility>

namespace wstree::abi {

using Member = loop::Member<Platform>;

/// The program's values of a loop's variable, modulo 2^64. The library hands out units. A unit is a chunk if
/// the loop has a chunk of its own, and an iteration otherwise.
struct Bounds {
  std::uint64_t lower;  // value in the first iteration
  std::uint64_t end;    // upper bound of the last chunk, inclusive or exclusive as the interface has it
  std::uint64_t step;   // from one iteration to the next
  std::uint64_t stride; // from one unit to the next
  std::uint64_t unit;   // iterations in a unit; the last one may have fewer
  std::uint64_t iterations;
};
struct PieceAnswers;

/// One entry of a thread's stack of regions, in memory that the thread keeps for that: see lend_frame().
struct Frame {
  enum class Kind : std::uint8_t {
    base,       // outside of any region that we saw opening; the thread is alone
    serialised, // in a region that the compiled code serialises; the thread is alone
    team,       // a member of a region whose loops we may serve
    unserved    // a member of a region whose loops the runtime serves
  };
  /// The source of the schedule of the region's schedule(runtime) loops.
  enum class ScheduleOf : std::uint8_t {
    region,      // by `schedule`, which the region had at the fork
    task,        // by the schedule that the task has when the loop begins
    changed_task // as task, and the member, or a task that it executes, has set one in the region; `schedule`
                 // is the schedule with which all tasks began, or on which they agree since
  };

  /// Member `index` of `members` of the region at `here`. A region without a team has nothing that its
  /// members could share a loop through: the runtime serves its loops.
  Frame(Team* team, const Team::Opening& opening, std::uint32_t index, std::uint32_t members,
        Place here) noexcept
      : member(team, opening, index, members), place(here),
        kind(members == 1 || team != nullptr ? Kind::team : Kind::unserved) {}
  /// A frame without a team, of one of the other kinds.
  Frame(Place here, Kind other) noexcept
      : member(nullptr, 0, 1), place(here), kind(other),
        schedule_of(other == Kind::unserved ? ScheduleOf::region : ScheduleOf::task) {}

  bool may_serve() const noexcept { return kind != Kind::unserved; }
  bool is_alone() const noexcept { return kind == Kind::base || kind == Kind::serialised; }

  /// Returns whether code at `caller` is in the region of this frame, and not in one that was opened out of
  /// our sight.
  [[gnu::always_inline]] bool is_at(const void* caller) const noexcept {
    const Place here = runtime_place(caller);
    if (here.level != place.level) return false;
    if (here.runtime == place.runtime) [[likely]]
      return true;
    return place.runtime == nullptr;
  }

  /// Puts this frame on top of the calling thread's other frames.
  void push() noexcept;

  Frame* outer; // since push()
  Member member;
  Place place;
  Kind kind;
  ScheduleOf schedule_of = ScheduleOf::region;
  bool in_parallel = false; // inside a team of more than one, here or further out
  LoopState loop;
  std::uint32_t ruled = 0;   // loops on whose rulings the team has agreed
  std::uint16_t missing = 0; // open serialised regions inside for which there was no memory
  std::uint16_t work = 0;    // in a loop that a tool hears of: the kind of work that the tool is told
  const observe::Label* label = nullptr; // label of the loop that the thread has met last
  config::Ruling hint;                   // hint of the region's opener about the next loop
  TaskSchedule schedule;                 // see ScheduleOf
  Bounds bounds;                         // bounds of the served loop
  observe::LoopSite* site = nullptr;     // site of the served loop in the statistics
  loop::Recording* recording = nullptr;  // memory that a member alone lends to the served loop
  const void* outlined = nullptr;        // the function of the program that a member of a region executes
  const void* code = nullptr;            // in a loop that a tool hears of: where it was last asked for
  loop::StaticLoops<Platform> statics;   // loops that the runtime cuts, unless we do
  PieceAnswers* answers = nullptr; // while the member executes a piece of a region: see repeated_regions.h
};

/// The calling thread's innermost frame; nullptr if it never met a served region or loop.
extern constinit thread_local Frame* t_frame __attribute__((tls_model("initial-exec")));
inline void Frame::push() noexcept {
  outer = t_frame;
  t_frame = this;
}

/// Returns the code of the program that called us, if it would go on at `caller` after the call: an outlined
/// function that ends with the call has become a jump, and the thread goes on in our wrapper.
inline const void* code_behind(const void* caller) noexcept {
  return is_own_code(caller) && t_frame != nullptr && t_frame->outlined != nullptr ? t_frame->outlined
                                                                                   : caller;
}

/// The label of the calling thread's next loop, set by wstree_label(), or by the thread that opened
/// the region. nullptr: no label was set. In a process that neither measures loops nor has rules it
/// stays nullptr.
extern constinit thread_local const observe::Label* t_label __attribute__((tls_model("initial-exec")));
inline const observe::Label* take_label() noexcept { return std::exchange(t_label, nullptr); }

/// The hint of wstree_hint() for the first loop of the next region that the calling thread opens. Members get
/// it from their region and not from a call of their own, so that they agree.
extern constinit thread_local config::Ruling t_hint __attribute__((tls_model("initial-exec")));
inline bool has_hint() noexcept { return t_hint != config::Ruling{}; }
inline config::Ruling take_hint() noexcept { return std::exchange(t_hint, {}); }

/// Unused memory of the calling thread for frames, linked through Frame::outer.
extern constinit thread_local Frame* t_spare_frames __attribute__((tls_model("initial-exec")));
Frame* make_spare_frame() noexcept;
/// Returns memory for a frame of the calling thread, which has little stack perhaps; nullptr: there is none.
inline Frame* lend_frame() noexcept {
  Frame* spare = t_spare_frames;
  if (spare == nullptr) [[unlikely]]
    return make_spare_frame();
  t_spare_frames = spare->outer;
  return spare;
}
inline void give_back_frame(Frame* frame) noexcept {
  frame->outer = t_spare_frames;
  t_spare_frames = frame;
}

Frame* make_base_frame() noexcept;
/// t_frame, or a new one for code outside of any region. nullptr: no memory.
inline Frame* innermost_frame() noexcept { return t_frame != nullptr ? t_frame : make_base_frame(); }

/// The thread enters a serialised region at `here`: puts a frame on top of the others. Without memory only
/// counts the region.
void push_alone(Place here) noexcept;
/// Undoes the latest push_alone(), if there was one.
void pop_alone() noexcept;

/// The member of `frame` has entered a loop with `chunk`: records the times of its iterations.
void record_loop(Frame& frame, const loop::Pace& pace, std::uint64_t units, std::uint64_t chunk) noexcept;

/// A thread's knowledge of taskloops: the costs of those that it takes part in, and for those that it meets,
/// the times of both ways.
struct TaskMemory {
  core::Priors priors;
  loop::TaskChoices choices;
};
/// Returns the calling thread's memory of taskloops; nullptr: there is no memory for it.
TaskMemory* own_task_memory() noexcept;

/// Returns the track of the calling thread's events; nullptr: no memory, or too many threads.
loop::Track* own_track() noexcept;

void leave_watched_work(Frame& frame) noexcept;
/// The member of `frame` takes no more of its loop, finished or not.
inline void leave_work(Frame& frame) noexcept {
  if (frame.loop.is_watched()) [[unlikely]]
    leave_watched_work(frame);
  else
    frame.member.leave();
}
/// Leaves the member's work, and ends its loop.
inline void leave_loop(Frame& frame) noexcept {
  frame.loop.end();
  leave_work(frame);
}

/// Returns whether the calling thread is in the region of `frame`, and no longer in a foreign one inside it.
bool is_back_in_served_loop(Frame& frame, const void* caller) noexcept;
/// Returns whether the calling thread asks for iterations of its served loop.
inline bool asks_about_served_loop(Frame& frame, const void* caller) noexcept {
  if (frame.loop.is_served()) [[likely]]
    return true;
  return frame.loop.takes_long_way() && is_back_in_served_loop(frame, caller);
}

} // namespace wstree::abi
