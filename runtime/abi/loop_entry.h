// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decision which side serves a loop. The thread makes it at the entry, for good, by the same rules for
// every interface.
#pragma once

#include "frame.h"
#include "options.h"

#include <cstdint>

namespace wstree::abi {

/// The properties of a loop that decide which side serves it, besides the thread's region.
struct LoopForm {
  config::LoopKind kind;
  bool stealable; // no order, no dependences between iterations, and no more of them than can be counted
};

/// The units to hand out: their number, and the iterations in each. If a loop has dynamic or guided with a
/// chunk, we hand out whole chunks at the places where OpenMP has them: each batch consists of chunks that a
/// thread could have got one by one.
struct Units {
  std::uint64_t count;
  std::uint64_t size;
};
inline Units units_of(LoopForm form, std::uint64_t iterations, std::uint64_t chunk) noexcept {
  if (chunk <= 1 || form.kind == config::LoopKind::runtime || iterations == 0) [[likely]]
    return {iterations, 1};
  return {(iterations - 1) / chunk + 1, chunk};
}

enum class Server : std::uint8_t {
  ours,
  ours_cut, // and rules let threads share the chunks of the source: in units of one iteration
  runtime,  // with the program's schedule
  fallback  // the runtime, with the schedule in WSTREE_FALLBACK where the environment chose one of ours
};

/// Returns the schedule in place of ours for Server::fallback. A loop is `countable` if its iterations are
/// fewer than 2^63.
config::Fallback fallback_of(bool countable) noexcept;

/// The schedule and the settings by which a loop is served.
struct ServedAs {
  TaskSchedule schedule; // not ours: we do not serve it
  const core::Settings* settings;
};
/// Returns the schedule of a ruling that names one; without a chunk, as OMP_SCHEDULE reads it.
inline TaskSchedule schedule_of(config::Ruling ruling) noexcept {
  const std::uint64_t none = ruling.kind() == config::ScheduleKind::wsstatic ? 0 : 1;
  return {true, model_of(ruling.kind()), ruling.chunk() != 0 ? ruling.chunk() : none};
}
inline const core::Settings& settings_of(config::Ruling ruling, const Session& process) noexcept {
  return ruling.history() == false ? process.without_history : process.settings;
}
/// Returns whether options and rules have the library serve loops of `kind`, if their schedule is ours.
inline bool is_wanted(config::LoopKind kind, config::Ruling ruling, const Session& process) noexcept {
  return !ruling.is_left_to_runtime() && ruling.loops(process.options.loops).has(kind);
}
/// Returns the schedule and the settings for a loop of `kind` whose `schedule` is ours, or is not. Does not
/// decide whether the loop can be served. `ruling`: of the loop; none without rules.
inline ServedAs choose_schedule(config::LoopKind kind, TaskSchedule schedule,
                                config::Ruling ruling) noexcept {
  const Session& process = session();
  if (!is_wanted(kind, ruling, process)) return {{}, &process.settings};
  if (kind != config::LoopKind::runtime) schedule = process.named;
  return {ruling.names_schedule() ? schedule_of(ruling) : schedule, &settings_of(ruling, process)};
}
inline config::Ruling ruling_of(const void* caller, const char* source,
                                const observe::Label* label) noexcept {
  Rules* rules = session().rules;
  return rules != nullptr ? rules->of(caller, source, label) : config::Ruling{};
}

/// Returns the site at which the statistics count a loop that `model` shares out. A thread mostly asks again
/// for the site that it asked for last.
observe::LoopSite* loop_site(config::LoopKind kind, core::Model model, const char* source,
                             const observe::Label* label, const void* caller) noexcept;

/// The calling thread is about to set the schedule of a task, perhaps of its own as a member of a team. The
/// team goes by the schedule that it began with until all members have set theirs.
void note_set_schedule(const void* caller) noexcept;

/// Enters a loop that its threads ask for one by one, in both interfaces. Starts a loop of `iterations`,
/// which are so many `units`, in the calling thread's frame if we may serve it; then set_bounds() has to
/// follow. Otherwise prepares the frame for a loop of the runtime. Rules, hints, statistics and tools are
/// facts that it reads; mostly there are none. All members of a team get the same answer, because they decide
/// by the same facts, including the task's schedule (OpenMP 5.2, section 11.5.3, demands that for
/// run-sched-var). `source` is the location text of the compiler or nullptr. The arguments fit into
/// registers, because a short loop costs little besides this call.
Server enter_loop(LoopForm form, std::uint64_t units, std::uint64_t iterations, const char* source,
                  const void* caller) noexcept;

/// Starts a loop as enter_loop() does, but by the decision of the thread that forked the team. Returns false
/// if there is no memory, for all members alike.
bool begin_loop(Frame& frame, config::LoopKind kind, std::uint64_t units, const ServedAs& as,
                const void* caller) noexcept;

/// Does so for a region whose members take pieces of a static loop, or each its share if it `is_whole`. The
/// costs of pieces are remembered under `place`, and statistics count the loop at `caller`.
bool begin_pieces(Frame& frame, std::uint64_t units, const ServedAs& as, bool is_whole, const void* caller,
                  const void* place) noexcept;

/// Sets the program's values for the iterations of the loop that the library has begun in `frame`.
inline void set_bounds(Frame& frame, std::uint64_t lower, std::uint64_t end, std::uint64_t step,
                       std::uint64_t iterations, std::uint64_t unit) noexcept {
  frame.bounds = {lower, end, step, step * unit, unit, iterations};
}

} // namespace wstree::abi
