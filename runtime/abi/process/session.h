// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the whole process shares: whether a schedule of ours was asked for, the options, and how to ask the
// OpenMP runtime.
#pragma once

#include "marked_schedule.h"
#include "options.h"
#include "recording.h"
#include "resolve/runtime.h"

#include "wstree/core/scheduler.h"

#include <atomic>
#include <cstdint>
#include <string_view>

namespace wstree::abi {

/// The schedule that stands for ours inside the OpenMP runtime: monotonic:dynamic, with a chunk of which the
/// table of marks knows what it means (marked_schedule.h). Both runtimes store it, hand it on to tasks and
/// regions, and read it back, and it is a valid schedule for loops that we do not get to see. (Not
/// monotonic:guided: when libomp shows its settings, or makes sure of them in the child of a fork, it fails
/// an assertion of its own about every guided OMP_SCHEDULE.)
inline constexpr int k_sentinel_kind = static_cast<int>(0x80000002U);
config::MarkTable& marks() noexcept;

/// Set as soon as anybody asks for a schedule of ours: by OMP_SCHEDULE or WSTREE_LOOPS at load time or by
/// omp_set_schedule. As long as it is not set, every entry point hands over to the runtime and nothing else
/// happens. relaxed everywhere: a thread that learns of it late goes to the runtime, as it did before; what
/// options say is ordered by session().
extern std::atomic<bool> g_active;
inline bool active() noexcept { return g_active.load(std::memory_order_relaxed); }

/// What schedule(runtime) loops of a task use.
struct TaskSchedule {
  bool ours = false;
  core::Model model = core::Model::tree;
  std::uint64_t chunk = 1; // in units, which are iterations; 0: none was given
  bool operator==(const TaskSchedule&) const = default;
};

/// The models are numbered as their kinds are (session.cpp makes sure of it).
constexpr core::Model model_of(config::ScheduleKind kind) noexcept { return static_cast<core::Model>(kind); }

struct Session {
  config::Options options;
  core::Settings settings;
  TaskSchedule named{true}; // of loops that say dynamic, guided or auto; in units of their chunk
  bool measured = false;    // loops are counted and timed
  bool recorded = false;    // and what their iterations cost is kept
  loop::Pace pace;          // of that
};

extern std::atomic<const Session*> g_session;
const Session& prepare_session() noexcept;

/// Reads the options and prepares the rest, once, at the first use; prints what there is to say about bad
/// values. Any thread.
inline const Session& session() noexcept {
  // acquire: pairs with the release in prepare_session(), so that the options are complete.
  const Session* ready = g_session.load(std::memory_order_acquire);
  return ready != nullptr ? *ready : prepare_session();
}

/// Asks for our schedules from the program's side; false in setuid programs, where the library does nothing.
bool activate() noexcept;

/// What the calling task's schedule(runtime) loops use. `caller`: see next_symbol().
TaskSchedule task_schedule(const void* caller) noexcept;

/// In which region the calling thread is, as the OpenMP runtime of the code at `caller` sees it. A process
/// may hold several runtimes, each with regions of its own.
struct Place {
  const void* runtime = nullptr; // tells runtimes apart; nullptr: any
  int level = -1;                // omp_get_level; -1 if it cannot be asked
};
extern constinit Next<int()> g_get_level;
inline Place runtime_place(const void* caller) noexcept { // at every loop
  const auto get = g_get_level.find(caller);
  if (get == nullptr) [[unlikely]]
    return {};
  return {reinterpret_cast<const void*>(get), get()};
}
int runtime_threads(const void* caller) noexcept; // omp_get_num_threads; -1 if it cannot be asked
int runtime_thread(const void* caller) noexcept;  // omp_get_thread_num; -1 if it cannot be asked

bool runtime_may_nest(const void* caller) noexcept; // a team inside this one may have several threads

double ns_per_tick() noexcept;

/// Called at load time, before the C library is ready (lifecycle.cpp).
void remember_request(std::string_view value, const config::ScheduleRequest& request) noexcept;
void remember_start(std::uint64_t ticks, std::uint64_t nanoseconds) noexcept;
void remember_secure() noexcept;

/// Largest team that a loop was served for; for the report.
void note_members(std::uint32_t members) noexcept;
/// Writes the statistics and profiles, if they were asked for and session() was ever used.
void report_at_exit() noexcept;

} // namespace wstree::abi
