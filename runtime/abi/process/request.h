// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule of ours that was asked for: by the environment at load time, or by the program
// with omp_set_schedule.
#pragma once

#include "marked_schedule.h"
#include "options.h"
#include "resolve/callers.h"

#include "wstree/core/scheduler.h"
#include "wstree/wstree.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wstree::abi {

/// The schedule that stands for ours inside the OpenMP runtime: monotonic:dynamic, with a chunk whose meaning
/// stands in the table of marks (marked_schedule.h). Both runtimes store it, hand it on to tasks and regions,
/// and read it back. It is a valid schedule for the loops that we do not see. (monotonic:guided would not do:
/// libomp fails an assertion of its own about every guided OMP_SCHEDULE when it shows its settings, or checks
/// them in the child of a fork.)
inline constexpr int k_sentinel_kind = static_cast<int>(0x80000002U);
config::MarkTable& marks() noexcept;

/// Returns whether a schedule of ours has been asked for: by OMP_SCHEDULE or WSTREE_LOOPS at load time, or by
/// omp_set_schedule. Until then every entry point hands over to the runtime and does nothing else. session()
/// orders the values of the options.
inline bool active() noexcept { return !is_idle(); }

/// Activates the library: the program asks for one of our schedules. Returns false in setuid programs, where
/// the library does nothing.
bool activate() noexcept;
/// True if the user wants a tool to hear of programs on libgomp (WSTREE_OMPT), and none has turned out to be
/// missing. relaxed everywhere: the constructor of the library sets it, before there are threads, and a
/// thread that learns late that it is over calls no tool.
extern std::atomic<bool> g_wants_tool;
inline bool wants_tool() noexcept { return g_wants_tool.load(std::memory_order_relaxed); }
inline void want_tool(bool wanted) noexcept { g_wants_tool.store(wanted, std::memory_order_relaxed); }

/// True if options or rules may have static loops executed piece by piece. relaxed: as g_wants_tool.
extern std::atomic<bool> g_wants_pieces;
inline bool wants_pieces() noexcept { return g_wants_pieces.load(std::memory_order_relaxed); }
inline void want_pieces() noexcept { g_wants_pieces.store(true, std::memory_order_relaxed); }

/// Returns whether another user's environment could steer this process (setuid programs): the library does
/// nothing then.
bool is_secure() noexcept;

/// The schedule of a task's schedule(runtime) loops.
struct TaskSchedule {
  bool ours = false;
  core::Model model = core::Model::tree;
  std::uint64_t chunk = 1; // in units, which are iterations; 0: none was given
  bool operator==(const TaskSchedule&) const = default;
};
/// Returns the schedule of the calling task's schedule(runtime) loops. `caller`: see Real.
TaskSchedule task_schedule(const void* caller) noexcept;

/// Returns the model of a kind, whose number it has (core/kinds.h).
constexpr core::Model model_of(config::ScheduleKind kind) noexcept { return static_cast<core::Model>(kind); }

static_assert(omp_sched_wsstatic - omp_sched_wstree + 1 == static_cast<int>(config::k_schedule_kinds));
/// Returns the kind that `number`, of omp_set_schedule, stands for (wstree.h); nullopt: none of ours.
constexpr std::optional<config::ScheduleKind> own_kind(int number) noexcept {
  if (number < omp_sched_wstree || number >= omp_sched_wstree + static_cast<int>(config::k_schedule_kinds))
    return std::nullopt;
  return static_cast<config::ScheduleKind>(number - omp_sched_wstree);
}

/// The loading thread stores its findings, before the C library is ready (lifecycle.cpp).
void remember_request(std::string_view value, const config::ScheduleRequest& request) noexcept;
void remember_secure() noexcept;

/// Returns the request in OMP_SCHEDULE.
const std::optional<config::ScheduleRequest>& environment_request() noexcept;
/// Reports the error in that value.
void report_request(config::LineSink lines) noexcept;

} // namespace wstree::abi
