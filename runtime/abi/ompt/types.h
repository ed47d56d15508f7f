// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of OMPT (OpenMP 5.2, chapter 19) that this library uses and defines.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::abi::ompt {

union Data {
  std::uint64_t value;
  void* pointer;
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);
struct StartResult {
  int (*initialize)(Lookup, int initial_device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};
using StartTool = StartResult*(unsigned version, const char* runtime);

/// The places at which a task has left the program's code and come back to it.
struct TaskFrame {
  Data exit;
  Data enter;
  int exit_flags;
  int enter_flags;
};
inline constexpr int k_frame_of_runtime = 0x20; // and its address is a frame pointer

using SetCallback = int (*)(int event, Function);
using GetCallback = int (*)(int event, Function*);
using GetTaskInfo = int (*)(int ancestor, int* flags, Data** task, void** frame, Data** parallel,
                            int* thread);

// Results of set_callback: of which events a tool is told.
inline constexpr int k_set_error = 0;
inline constexpr int k_set_never = 1;
inline constexpr int k_set_sometimes = 3;
inline constexpr int k_set_sometimes_paired = 4; // both ends of a scope are told, or neither
inline constexpr int k_set_always = 5;

// Events.
inline constexpr int k_events = 64; // their numbers are smaller
inline constexpr int k_thread_begin = 1;
inline constexpr int k_thread_end = 2;
inline constexpr int k_parallel_begin = 3;
inline constexpr int k_parallel_end = 4;
inline constexpr int k_implicit_task = 7;
inline constexpr int k_sync_region_wait = 16;
inline constexpr int k_mutex_released = 17;
inline constexpr int k_work = 20;
inline constexpr int k_sync_region = 23;
inline constexpr int k_cancel = 30;
inline constexpr int k_dispatch = 32;
inline constexpr int k_last_event = 38;

using ThreadBegin = void (*)(int kind, Data* thread);
using ThreadEnd = void (*)(Data* thread);
using ImplicitTask = void (*)(int endpoint, Data* parallel, Data* task, unsigned members, unsigned index,
                              int flags);

using ParallelBegin = void (*)(Data* task, const void* frame, Data* parallel, unsigned threads, int flags,
                               const void* code);
using ParallelEnd = void (*)(Data* parallel, Data* task, int flags, const void* code);
using SyncRegion = void (*)(int kind, int endpoint, Data* parallel, Data* task, const void* code);
using Work = void (*)(int kind, int endpoint, Data* parallel, Data* task, std::uint64_t count,
                      const void* code);
using Released = void (*)(int kind, std::uint64_t mutex, const void* code);
using Cancel = void (*)(Data* task, int flags, const void* code);
using Dispatch = void (*)(Data* parallel, Data* task, int kind, Data instance);

inline constexpr int k_begin = 1; // endpoints
inline constexpr int k_end = 2;
inline constexpr int k_initial_thread = 1; // kinds of threads
inline constexpr int k_worker = 2;
inline constexpr int k_initial_task = 1; // flags of tasks
inline constexpr int k_implicit = 2;
inline constexpr int k_team_by_runtime = static_cast<int>(0x80000002U); // flags of a region
inline constexpr int k_work_loop = 1;                                   // kinds of work
inline constexpr int k_work_sections = 2;
inline constexpr int k_work_loop_static = 10;
inline constexpr int k_work_loop_dynamic = 11;
inline constexpr int k_work_loop_guided = 12;
inline constexpr int k_work_loop_other = 13;
inline constexpr int k_barrier_of_unknown_cause = 4; // kinds of sync regions
inline constexpr int k_barrier_of_loop = 8;
inline constexpr int k_barrier_of_region = 9;
inline constexpr int k_dispatch_chunk = 3;

/// The iterations that the instance of a dispatch event points to.
struct Chunk {
  std::uint64_t start;
  std::uint64_t iterations;
};
/// Returns the iterations from `first` to `last`, both inclusive, in steps of `step`.
inline Chunk chunk_of(std::uint64_t first, std::uint64_t last, std::uint64_t step) noexcept {
  const bool up = static_cast<std::int64_t>(step) > 0;
  return {up ? first : last, up ? (last - first) / step + 1 : (first - last) / (0 - step) + 1};
}

/// The functions that a tool has registered with a runtime.
class Callbacks {
public:
  /// Returns the callback for `event`; nullptr: none.
  template <class Callback> Callback of(int event) const noexcept {
    return reinterpret_cast<Callback>(
        registered_[static_cast<std::size_t>(event)].load(std::memory_order_relaxed));
  }
  void set(int event, Function function) noexcept {
    registered_[static_cast<std::size_t>(event)].store(function, std::memory_order_relaxed);
  }
  void clear() noexcept {
    for (auto& each : registered_) each.store(nullptr, std::memory_order_relaxed);
  }

private:
  // relaxed: the tool's functions do not depend on earlier writes of its threads; the runtime promises
  // no more.
  std::array<std::atomic<Function>, k_events> registered_{};
};

} // namespace wstree::abi::ompt
