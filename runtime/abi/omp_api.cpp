// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// omp_set_schedule and omp_get_schedule accept our kinds, too; omp_get_num_procs ignores our own pins.
#include "doors.h"
#include "export.h"
#include "loop_entry.h"
#include "process/request.h"
#include "process_limits.h"
#include "repeated_regions.h"
#include "resolve/runtime.h"
#include "thread_pin.h"

#include "wstree/wstree.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>

namespace {

namespace config = wstree::config;
using namespace wstree::abi;

constinit Real<void(int, int)> g_set{"omp_set_schedule"};
constinit Real<void(int*, int*)> g_get{"omp_get_schedule"};
constinit Real<int()> g_get_num_procs{"omp_get_num_procs"};

constinit Real<int()> g_get_num_threads{"omp_get_num_threads"};
constinit Real<int()> g_get_thread_num{"omp_get_thread_num"};

constexpr int k_static = 1;
constexpr int k_dynamic = 2;

/// The chunk that the program last asked for with monotonic:dynamic if that is a mark of ours; 0: none. The
/// runtime then gets dynamic without a modifier, which does the same in both runtimes; this word is the
/// answer when the program asks. relaxed: no thread reads anything through it.
constinit std::atomic<int> g_meant_monotonic{0};

config::OwnSchedule own_schedule(config::ScheduleKind kind, int chunk) noexcept {
  const int least = kind == config::ScheduleKind::wstree ? 1 : 0;
  return {kind, static_cast<std::uint64_t>(std::clamp(chunk, least, static_cast<int>(config::k_max_chunk)))};
}

bool is_meant_monotonic(int chunk) noexcept {
  return std::max(chunk, 1) == g_meant_monotonic.load(std::memory_order_relaxed);
}

void set_schedule(int kind, int chunk, const void* caller) noexcept {
  const auto set = g_set.find(caller);
  if (set == nullptr) return;
  note_set_schedule(caller);
  if (const auto own = own_kind(kind); own && activate())
    return set(k_sentinel_kind, marks().mark(own_schedule(*own, chunk)));
  if (kind == k_sentinel_kind && !marks().leave_to_program(chunk)) {
    g_meant_monotonic.store(std::max(chunk, 1), std::memory_order_relaxed);
    kind = k_dynamic;
  } else if (kind == k_dynamic && is_meant_monotonic(chunk)) {
    g_meant_monotonic.store(0, std::memory_order_relaxed);
  }
  set(kind, chunk);
}

void get_schedule(int* kind, int* chunk, const void* caller) noexcept {
  const auto get = g_get.find(caller);
  // A program without OpenMP may ask whether the function is there, and get ours.
  *kind = k_static;
  *chunk = 0;
  if (get == nullptr) return;
  get(kind, chunk);
  if (*kind == k_dynamic && is_meant_monotonic(*chunk)) {
    *kind = k_sentinel_kind;
  } else if (*kind == k_sentinel_kind) {
    const auto schedule = marks().meaning(*chunk);
    if (!schedule) return;
    *kind = omp_sched_wstree + static_cast<int>(schedule->kind);
    *chunk = static_cast<int>(schedule->chunk);
  }
}

/// The functions for the callers through each door; nullptr: not looked up yet. relaxed: each leads to code,
/// which the loader has mapped.
constinit std::array<std::atomic<void (*)(int, int)>, k_doors + 1> g_set_behind{};

[[gnu::noinline]] void set_schedule_slowly(unsigned door, int kind, int chunk, const void* returns) noexcept {
  const void* const caller = g_set.caller_at(door, returns);
  if (door != 0) g_set_behind[door].store(g_set.find(caller), std::memory_order_relaxed);
  set_schedule(kind, chunk, caller);
}

/// libgomp counts the CPUs of the calling thread's mask.
int num_procs(const void* caller) noexcept {
  const auto get = g_get_num_procs.find(caller);
  const wstree::place::Unpinned unpinned;
  if (get != nullptr) return get();
  // A program without OpenMP may ask whether the function is there, and get ours.
  return static_cast<int>(std::max(wstree::place::current_mask().count(), 1U));
}

/// The functions for the callers through each door, as above.
using Count = int (*)();
constinit std::array<std::atomic<Count>, k_doors + 1> g_num_threads_behind{}, g_thread_num_behind{};

/// Returns the runtime's answer; `otherwise` without one: a program without OpenMP may ask whether the
/// functions are there, and get ours.
[[gnu::noinline]] int count_slowly(Real<int()>& real, std::atomic<Count>& behind, unsigned door,
                                   int otherwise, const void* returns) noexcept {
  const Count get = real.find(real.caller_at(door, returns));
  if (door != 0) behind.store(get, std::memory_order_relaxed);
  return get != nullptr ? get() : otherwise;
}

} // namespace

namespace wstree::abi {

template <unsigned door> void set_schedule_at(int kind, int chunk) {
  constexpr int k_last_standard = 4;
  // Kinds of ours, and those with a modifier, are other numbers.
  if (!active() && static_cast<unsigned>(kind) <= k_last_standard) [[likely]]
    if (const auto set = g_set_behind[door].load(std::memory_order_relaxed)) [[likely]]
      return set(kind, chunk);
  set_schedule_slowly(door, kind, chunk, WSTREE_CALLER);
}
template <unsigned door> void set_schedule_from(const int* kind, const int* chunk) {
  set_schedule_at<door>(*kind, *chunk);
}
template <unsigned door> void get_schedule_at(int* kind, int* chunk) {
  get_schedule(kind, chunk, g_get.caller_at(door, WSTREE_CALLER));
}
template <unsigned door> int num_procs_at() {
  return num_procs(g_get_num_procs.caller_at(door, WSTREE_CALLER));
}

/// A function that is executed piece by piece asks which part it has to do. All other calls get the runtime's
/// answer, those from inside of the loop too. `returns`: the return address of the question.
[[gnu::always_inline]] inline int num_threads(unsigned door, const void* returns) noexcept {
  const Frame* frame = t_frame;
  if (frame != nullptr && frame->answers != nullptr && frame->answers->after_count == returns)
    return frame->answers->count;
  if (const Count get = g_num_threads_behind[door].load(std::memory_order_relaxed)) [[likely]]
    return get();
  return count_slowly(g_get_num_threads, g_num_threads_behind[door], door, 1, returns);
}
[[gnu::always_inline]] inline int thread_num(unsigned door, const void* returns) noexcept {
  const Frame* frame = t_frame;
  if (frame != nullptr && frame->answers != nullptr && frame->answers->after_number == returns)
    return frame->answers->number;
  if (const Count get = g_thread_num_behind[door].load(std::memory_order_relaxed)) [[likely]]
    return get();
  return count_slowly(g_get_thread_num, g_thread_num_behind[door], door, 0, returns);
}
template <unsigned door> int num_threads_at() { return num_threads(door, WSTREE_CALLER); }
template <unsigned door> int thread_num_at() { return thread_num(door, WSTREE_CALLER); }

WSTREE_DOORS(set_schedule_at)
WSTREE_DOORS(set_schedule_from)
WSTREE_DOORS(get_schedule_at)
WSTREE_DOORS(num_procs_at)
WSTREE_DOORS(num_threads_at)
WSTREE_DOORS(thread_num_at)

} // namespace wstree::abi

extern "C" {

WSTREE_EXPORT void omp_set_schedule(int kind, int chunk) {
  set_schedule_slowly(0, kind, chunk, WSTREE_CALLER);
}
WSTREE_EXPORT void omp_get_schedule(int* kind, int* chunk) {
  get_schedule(kind, chunk, g_get.caller_at(0, WSTREE_CALLER));
}
// Fortran
WSTREE_EXPORT void omp_set_schedule_(const int* kind, const int* chunk) {
  set_schedule_slowly(0, *kind, *chunk, WSTREE_CALLER);
}
WSTREE_EXPORT void omp_get_schedule_(int* kind, int* chunk) {
  get_schedule(kind, chunk, g_get.caller_at(0, WSTREE_CALLER));
}
// Fortran with integers of 8 bytes (libgomp only); chunks beyond int are cut to it there as well
WSTREE_EXPORT void omp_set_schedule_8_(const int* kind, const std::int64_t* chunk) {
  constexpr std::int64_t k_most = std::numeric_limits<int>::max();
  set_schedule_slowly(0, *kind, static_cast<int>(std::clamp<std::int64_t>(*chunk, -k_most, k_most)),
                      WSTREE_CALLER);
}
WSTREE_EXPORT void omp_get_schedule_8_(int* kind, std::int64_t* chunk) {
  int short_chunk = 0;
  get_schedule(kind, &short_chunk, g_get.caller_at(0, WSTREE_CALLER));
  *chunk = short_chunk;
}

WSTREE_EXPORT int omp_get_num_threads() { return num_threads(0, WSTREE_CALLER); }
WSTREE_EXPORT int omp_get_thread_num() { return thread_num(0, WSTREE_CALLER); }

WSTREE_EXPORT int omp_get_num_procs() { return num_procs(g_get_num_procs.caller_at(0, WSTREE_CALLER)); }
WSTREE_EXPORT int omp_get_num_procs_() {
  return num_procs(g_get_num_procs.caller_at(0, WSTREE_CALLER));
} // Fortran
}
