// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop entry points of GCC's libgomp. Here are only the names, and the end of a loop; loop_entry.h and
// loops.h decide.
//
// told_entries.cpp has the functions of loops that only the runtime can serve.
#include "doors.h"
#include "export.h"
#include "gomp/dependent_loops.h"
#include "gomp/general_start.h"
#include "gomp/loops.h"

#include <cstdint>

namespace {

using namespace wstree::abi;
using namespace wstree::abi::gomp;
using wstree::config::LoopKind;
using ull = unsigned long long;

constinit FallbackStarts<long> g_plain{"GOMP_loop_static_start", "GOMP_loop_dynamic_start",
                                       "GOMP_loop_guided_start"};
constinit FallbackStarts<ull, bool> g_ull_plain{"GOMP_loop_ull_static_start", "GOMP_loop_ull_dynamic_start",
                                                "GOMP_loop_ull_guided_start"};
constinit FallbackStarts<long> g_ordered{"GOMP_loop_ordered_static_start", "GOMP_loop_ordered_dynamic_start",
                                         "GOMP_loop_ordered_guided_start"};
constinit FallbackStarts<ull, bool> g_ull_ordered{"GOMP_loop_ull_ordered_static_start",
                                                  "GOMP_loop_ull_ordered_dynamic_start",
                                                  "GOMP_loop_ull_ordered_guided_start"};

constinit GeneralStart<long> g_general_start{"GOMP_loop_start", true};
constinit GeneralStart<long> g_general_ordered_start{"GOMP_loop_ordered_start", false};
constinit GeneralStart<ull, bool> g_ull_general_start{"GOMP_loop_ull_start", true};
constinit GeneralStart<ull, bool> g_ull_general_ordered_start{"GOMP_loop_ull_ordered_start", false};

constinit DoacrossStart<long> g_doacross_start{
    "GOMP_loop_doacross_runtime_start", "GOMP_loop_doacross_static_start", "GOMP_loop_doacross_dynamic_start",
    "GOMP_loop_doacross_guided_start"};
constinit DoacrossStart<ull> g_ull_doacross_start{
    "GOMP_loop_ull_doacross_runtime_start", "GOMP_loop_ull_doacross_static_start",
    "GOMP_loop_ull_doacross_dynamic_start", "GOMP_loop_ull_doacross_guided_start"};
constinit GeneralDoacrossStart<long> g_general_doacross_start{"GOMP_loop_doacross_start"};
constinit GeneralDoacrossStart<ull> g_ull_general_doacross_start{"GOMP_loop_ull_doacross_start"};

constinit Real<void()> g_end{"GOMP_loop_end"};
constinit Real<void()> g_end_nowait{"GOMP_loop_end_nowait"};
constinit Real<bool()> g_end_cancel{"GOMP_loop_end_cancel"};
constinit Real<void()> g_barrier{"GOMP_barrier"};
constinit Real<bool()> g_barrier_cancel{"GOMP_barrier_cancel"};

/// The side that served the calling thread's loop that is over.
enum class End { ours, ours_and_registered, not_ours };
End end_loop(const void* caller) noexcept {
  Frame* frame = t_frame;
  // The call has the same name for every kind of loop. It may be about a loop of a foreign region
  // inside ours.
  if (frame == nullptr || !frame->loop.is_open() || !frame->is_at(caller)) return End::not_ours;
  leave_loop(*frame);
  return frame->loop.is_registered() ? End::ours_and_registered : End::ours;
}

/// Ends the calling thread's loop, which the tool hears of: `code` has called.
[[gnu::noinline]] void end_told(const void* caller, const void* code) noexcept {
  ompt::end_work(code);
  const ompt::ToldBarrier barrier(ompt::k_barrier_of_loop, code);
  (end_loop(caller) == End::ours ? g_barrier : g_end).require(caller)();
}
[[gnu::noinline]] bool end_told_or_cancelled(const void* caller) noexcept {
  ompt::end_work(code_behind(caller));
  const ompt::ToldBarrier barrier(ompt::k_barrier_of_loop, code_behind(caller));
  return (end_loop(caller) == End::ours ? g_barrier_cancel : g_end_cancel).require(caller)();
}

template <unsigned door> WSTREE_SAME_CALLER inline void end_any() {
  const void* returns = WSTREE_CALLER;
  const void* caller = g_end.caller_at(door, code_behind(returns));
  if (ompt::tool_listens(caller)) [[unlikely]]
    return end_told(caller, code_behind(returns));
  (end_loop(caller) == End::ours ? g_barrier : g_end).require(caller)();
}
template <unsigned door> WSTREE_SAME_CALLER inline void end_any_nowait() {
  const void* returns = WSTREE_CALLER;
  const void* caller = g_end_nowait.caller_at(door, code_behind(returns));
  if (ompt::tool_listens(caller)) [[unlikely]]
    ompt::end_work(code_behind(returns));
  if (end_loop(caller) == End::ours) return;
  g_end_nowait.require(caller)();
}

} // namespace

namespace wstree::abi::gomp {

template <unsigned door> void end_loop_at() { end_any<door>(); }
template <unsigned door> void end_loop_nowait_at() { end_any_nowait<door>(); }
WSTREE_DOORS(end_loop_at)
WSTREE_DOORS(end_loop_nowait_at)

} // namespace wstree::abi::gomp

extern "C" {

// Loops that leave their schedule to the environment, for both types of loop variables.
#define WSTREE_RUNTIME_START(kind, fallbacks, stealable)                                                     \
  static constinit RuntimeStart<long> g_##kind##_start{"GOMP_loop_" #kind "_start", g_##fallbacks,           \
                                                       stealable};                                           \
  static constinit RuntimeStart<ull, bool> g_ull_##kind##_start{"GOMP_loop_ull_" #kind "_start",             \
                                                                g_ull_##fallbacks, stealable};               \
  WSTREE_SAME_CALLER static inline bool start_##kind(long start, long end, long increment, long* first,      \
                                                     long* past) {                                           \
    return g_##kind##_start.start(start, end, increment, first, past, WSTREE_CALLER);                        \
  }                                                                                                          \
  WSTREE_EXPORT bool GOMP_loop_##kind##_start(long start, long end, long increment, long* first,             \
                                              long* past) {                                                  \
    if (!active()) return hand_over<g_##kind##_start>(start, end, increment, first, past);                   \
    return start_##kind(start, end, increment, first, past);                                                 \
  }                                                                                                          \
  WSTREE_SAME_CALLER static inline bool start_ull_##kind(bool up, ull start, ull end, ull increment,         \
                                                         ull* first, ull* past) {                            \
    return g_ull_##kind##_start.start(up, start, end, increment, first, past, WSTREE_CALLER);                \
  }                                                                                                          \
  WSTREE_EXPORT bool GOMP_loop_ull_##kind##_start(bool up, ull start, ull end, ull increment, ull* first,    \
                                                  ull* past) {                                               \
    if (!active()) return hand_over<g_ull_##kind##_start>(up, start, end, increment, first, past);           \
    return start_ull_##kind(up, start, end, increment, first, past);                                         \
  }
WSTREE_RUNTIME_START(maybe_nonmonotonic_runtime, plain, true)
WSTREE_RUNTIME_START(nonmonotonic_runtime, plain, true)
WSTREE_RUNTIME_START(runtime, plain, false)
WSTREE_RUNTIME_START(ordered_runtime, ordered, false)

// Loops with dynamic or guided in their source.
#define WSTREE_NAMED_START(kind, loop_kind)                                                                  \
  static constinit NamedStart<long> g_##kind##_start{"GOMP_loop_" #kind "_start", loop_kind};                \
  static constinit NamedStart<ull, bool> g_ull_##kind##_start{"GOMP_loop_ull_" #kind "_start", loop_kind};   \
  WSTREE_SAME_CALLER static inline bool start_##kind(long start, long end, long increment, long chunk,       \
                                                     long* first, long* past) {                              \
    return g_##kind##_start.start(start, end, increment, chunk, first, past, WSTREE_CALLER);                 \
  }                                                                                                          \
  WSTREE_EXPORT bool GOMP_loop_##kind##_start(long start, long end, long increment, long chunk, long* first, \
                                              long* past) {                                                  \
    if (!active()) return hand_over<g_##kind##_start>(start, end, increment, chunk, first, past);            \
    return start_##kind(start, end, increment, chunk, first, past);                                          \
  }                                                                                                          \
  WSTREE_SAME_CALLER static inline bool start_ull_##kind(bool up, ull start, ull end, ull increment,         \
                                                         ull chunk, ull* first, ull* past) {                 \
    return g_ull_##kind##_start.start(up, start, end, increment, chunk, first, past, WSTREE_CALLER);         \
  }                                                                                                          \
  WSTREE_EXPORT bool GOMP_loop_ull_##kind##_start(bool up, ull start, ull end, ull increment, ull chunk,     \
                                                  ull* first, ull* past) {                                   \
    if (!active()) return hand_over<g_ull_##kind##_start>(up, start, end, increment, chunk, first, past);    \
    return start_ull_##kind(up, start, end, increment, chunk, first, past);                                  \
  }
WSTREE_NAMED_START(nonmonotonic_dynamic, LoopKind::dynamic)
WSTREE_NAMED_START(nonmonotonic_guided, LoopKind::guided)

// The next chunk of these loops.
#define WSTREE_NEXT(kind, T)                                                                                 \
  static constinit NextEntry<T> g_##kind##_next{"GOMP_loop_" #kind "_next"};                                 \
  WSTREE_EXPORT bool GOMP_loop_##kind##_next(T* first, T* past) {                                            \
    return g_##kind##_next.next(first, past, WSTREE_CALLER);                                                 \
  }
WSTREE_NEXT(maybe_nonmonotonic_runtime, long)
WSTREE_NEXT(nonmonotonic_runtime, long)
WSTREE_NEXT(nonmonotonic_dynamic, long)
WSTREE_NEXT(nonmonotonic_guided, long)
WSTREE_NEXT(ull_maybe_nonmonotonic_runtime, ull)
WSTREE_NEXT(ull_nonmonotonic_runtime, ull)
WSTREE_NEXT(ull_nonmonotonic_dynamic, ull)
WSTREE_NEXT(ull_nonmonotonic_guided, ull)

WSTREE_EXPORT bool GOMP_loop_start(long start, long end, long increment, long schedule, long chunk,
                                   long* first, long* past, std::uintptr_t* reductions, void** memory) {
  return g_general_start.start(start, end, increment, schedule, chunk, first, past, reductions, memory,
                               WSTREE_CALLER);
}
WSTREE_EXPORT bool GOMP_loop_ordered_start(long start, long end, long increment, long schedule, long chunk,
                                           long* first, long* past, std::uintptr_t* reductions,
                                           void** memory) {
  return g_general_ordered_start.start(start, end, increment, schedule, chunk, first, past, reductions,
                                       memory, WSTREE_CALLER);
}
WSTREE_EXPORT bool GOMP_loop_ull_start(bool up, ull start, ull end, ull increment, long schedule, ull chunk,
                                       ull* first, ull* past, std::uintptr_t* reductions, void** memory) {
  return g_ull_general_start.start(up, start, end, increment, schedule, chunk, first, past, reductions,
                                   memory, WSTREE_CALLER);
}
WSTREE_EXPORT bool GOMP_loop_ull_ordered_start(bool up, ull start, ull end, ull increment, long schedule,
                                               ull chunk, ull* first, ull* past, std::uintptr_t* reductions,
                                               void** memory) {
  return g_ull_general_ordered_start.start(up, start, end, increment, schedule, chunk, first, past,
                                           reductions, memory, WSTREE_CALLER);
}

WSTREE_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned count, long* counts, long* first, long* past) {
  return g_doacross_start.start(count, counts, first, past, WSTREE_CALLER);
}
WSTREE_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned count, ull* counts, ull* first, ull* past) {
  return g_ull_doacross_start.start(count, counts, first, past, WSTREE_CALLER);
}
WSTREE_EXPORT bool GOMP_loop_doacross_start(unsigned count, long* counts, long schedule, long chunk,
                                            long* first, long* past, std::uintptr_t* reductions,
                                            void** memory) {
  return g_general_doacross_start.start(count, counts, schedule, chunk, first, past, reductions, memory,
                                        WSTREE_CALLER);
}
WSTREE_EXPORT bool GOMP_loop_ull_doacross_start(unsigned count, ull* counts, long schedule, ull chunk,
                                                ull* first, ull* past, std::uintptr_t* reductions,
                                                void** memory) {
  return g_ull_general_doacross_start.start(count, counts, schedule, chunk, first, past, reductions, memory,
                                            WSTREE_CALLER);
}

WSTREE_SAME_CALLER static inline bool end_any_cancel() {
  const void* caller = WSTREE_CALLER;
  if (ompt::tool_listens(caller)) [[unlikely]]
    return end_told_or_cancelled(caller);
  return (end_loop(caller) == End::ours ? g_barrier_cancel : g_end_cancel).require(caller)();
}

/// Only libgomp's own starts advance its chain of work shares. A loop that it never saw leaves the chain as
/// it was in all threads: of the loop's end only the team's barrier is left to do.
WSTREE_EXPORT void GOMP_loop_end() {
  if (!active()) return hand_over<g_end>();
  end_any<0>();
}
WSTREE_EXPORT void GOMP_loop_end_nowait() {
  if (!active()) return hand_over<g_end_nowait>();
  end_any_nowait<0>();
}
/// Returns whether the region was cancelled.
WSTREE_EXPORT bool GOMP_loop_end_cancel() {
  if (!active()) return hand_over<g_end_cancel>();
  return end_any_cancel();
}
}
