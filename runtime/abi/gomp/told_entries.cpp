// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points of libgomp in which we have nothing to do but to tell a tool (ompt/libgomp.h): loops that only
// the runtime can serve, sections, and barriers. GCC 9 and later call GOMP_loop_dynamic_* and
// GOMP_loop_guided_* for loops that demand monotonic order; for earlier ones that was the rule.
//
// The last calls of an outlined function may be jumps: see code_behind().
//
// Not told: single (programs call no runtime function where it ends), and in which section a thread is
// (libgomp numbers them, OMPT wants their addresses).
#include "doors.h"
#include "export.h"
#include "gomp/dependent_loops.h"
#include "gomp/loops.h"

#include <cstdint>

namespace {

using namespace wstree::abi;
using namespace wstree::abi::gomp;
using ull = unsigned long long;

/// ..._start of loops with a schedule and a chunk.
template <class T, class... Up> class ToldStart {
public:
  constexpr explicit ToldStart(const char* name) noexcept : start_(name) {}

  [[gnu::always_inline]] bool start(Up... up, T start, T end, T increment, T chunk, T* first, T* past,
                                    const void* caller) noexcept {
    if (ompt::tool_listens(caller)) [[unlikely]] {
      const wstree::loop::HalfOpenLoop loop(up..., start, end, increment);
      return begin_told(*this, loop.iterations(), loop.increment(), first, past, caller, up..., start, end,
                        increment, chunk, first, past);
    }
    return begin(up..., start, end, increment, chunk, first, past, caller);
  }
  [[gnu::always_inline]] bool begin(Up... up, T start, T end, T increment, T chunk, T* first, T* past,
                                    const void* caller) noexcept {
    return start_.require(caller)(up..., start, end, increment, chunk, first, past);
  }

private:
  Real<bool(Up..., T, T, T, T, T*, T*)> start_;
};

/// The entry of loops with cross-iteration dependences.
template <class T> class ToldDoacrossStart {
public:
  constexpr explicit ToldDoacrossStart(const char* name) noexcept : start_(name) {}

  [[gnu::always_inline]] bool start(unsigned count, T* counts, T chunk, T* first, T* past,
                                    const void* caller) noexcept {
    if (ompt::tool_listens(caller)) [[unlikely]]
      return begin_told(*this, static_cast<std::uint64_t>(counts[0]), 1, first, past, caller, count, counts,
                        chunk, first, past);
    return begin(count, counts, chunk, first, past, caller);
  }
  [[gnu::always_inline]] bool begin(unsigned count, T* counts, T chunk, T* first, T* past,
                                    const void* caller) noexcept {
    return start_.require(caller)(count, counts, chunk, first, past);
  }

private:
  Real<bool(unsigned, T*, T, T*, T*)> start_;
};

template <class T> class ToldNext {
public:
  constexpr explicit ToldNext(const char* name) noexcept : next_(name) {}

  [[gnu::always_inline]] bool next(T* first, T* past, const void* caller) noexcept {
    const auto real = next_.require(caller);
    if (ompt::tool_listens(caller)) [[unlikely]]
      return told(real(first, past), first, past);
    return real(first, past);
  }

private:
  Real<bool(T*, T*)> next_;
};

constinit Real<unsigned(unsigned)> g_sections{"GOMP_sections_start"};
constinit Real<unsigned(unsigned, std::uintptr_t*, void**)> g_sections_with{"GOMP_sections2_start"};
constinit Real<void()> g_sections_end{"GOMP_sections_end"};
constinit Real<bool()> g_sections_end_cancel{"GOMP_sections_end_cancel"};
constinit Real<void()> g_sections_end_nowait{"GOMP_sections_end_nowait"};
constinit Real<void()> g_barrier{"GOMP_barrier"};
constinit Real<bool()> g_barrier_cancel{"GOMP_barrier_cancel"};

void begin_sections(unsigned count, const void* caller) noexcept {
  ompt::begin_work({ompt::k_work_sections, count}, caller);
}

/// Calls the runtime's function, in a barrier of `kind`.
template <class Result> [[gnu::noinline]] Result wait_told(Result (*real)(), int kind, const void* caller) {
  const ompt::ToldBarrier barrier(kind, caller);
  return real();
}
/// Serves a call of `code` that leaves sections and waits.
template <class Result>
[[gnu::always_inline]] inline Result end_sections(Real<Result()>& entry, const void* caller,
                                                  const void* code) {
  const auto real = entry.require(caller);
  if (!ompt::tool_listens(caller)) return real();
  ompt::end_work(code);
  return wait_told(real, ompt::k_barrier_of_loop, code);
}
[[gnu::always_inline]] inline void end_sections_nowait(const void* caller, const void* code) {
  if (ompt::tool_listens(caller)) [[unlikely]]
    ompt::end_work(code);
  g_sections_end_nowait.require(caller)();
}
/// GCC calls it for barriers in the source and for those at the end of static loops and of single.
template <class Result>
[[gnu::always_inline]] inline Result wait(Real<Result()>& entry, const void* caller, const void* code) {
  const auto real = entry.require(caller);
  if (!ompt::tool_listens(caller)) return real();
  return wait_told(real, ompt::k_barrier_of_unknown_cause, code);
}

} // namespace

namespace wstree::abi::gomp {

template <unsigned door> void end_sections_at() {
  const void* code = code_behind(WSTREE_CALLER);
  end_sections(g_sections_end, g_sections_end.caller_at(door, code), code);
}
template <unsigned door> void end_sections_nowait_at() {
  const void* code = code_behind(WSTREE_CALLER);
  end_sections_nowait(g_sections_end_nowait.caller_at(door, code), code);
}
template <unsigned door> void wait_at() {
  const void* code = code_behind(WSTREE_CALLER);
  wait(g_barrier, g_barrier.caller_at(door, code), code);
}
WSTREE_DOORS(end_sections_at)
WSTREE_DOORS(end_sections_nowait_at)
WSTREE_DOORS(wait_at)

} // namespace wstree::abi::gomp

extern "C" {

#define WSTREE_TOLD_NEXT(kind)                                                                               \
  static constinit ToldNext<long> g_##kind##_next{"GOMP_loop_" #kind "_next"};                               \
  static constinit ToldNext<ull> g_ull_##kind##_next{"GOMP_loop_ull_" #kind "_next"};                        \
  WSTREE_EXPORT bool GOMP_loop_##kind##_next(long* first, long* past) {                                      \
    return g_##kind##_next.next(first, past, WSTREE_CALLER);                                                 \
  }                                                                                                          \
  WSTREE_EXPORT bool GOMP_loop_ull_##kind##_next(ull* first, ull* past) {                                    \
    return g_ull_##kind##_next.next(first, past, WSTREE_CALLER);                                             \
  }
WSTREE_TOLD_NEXT(static)
WSTREE_TOLD_NEXT(dynamic)
WSTREE_TOLD_NEXT(guided)
WSTREE_TOLD_NEXT(runtime)
WSTREE_TOLD_NEXT(ordered_static)
WSTREE_TOLD_NEXT(ordered_dynamic)
WSTREE_TOLD_NEXT(ordered_guided)
WSTREE_TOLD_NEXT(ordered_runtime)

#define WSTREE_TOLD_START(kind)                                                                              \
  static constinit ToldStart<long> g_##kind##_start{"GOMP_loop_" #kind "_start"};                            \
  static constinit ToldStart<ull, bool> g_ull_##kind##_start{"GOMP_loop_ull_" #kind "_start"};               \
  WSTREE_EXPORT bool GOMP_loop_##kind##_start(long start, long end, long increment, long chunk, long* first, \
                                              long* past) {                                                  \
    return g_##kind##_start.start(start, end, increment, chunk, first, past, WSTREE_CALLER);                 \
  }                                                                                                          \
  WSTREE_EXPORT bool GOMP_loop_ull_##kind##_start(bool up, ull start, ull end, ull increment, ull chunk,     \
                                                  ull* first, ull* past) {                                   \
    return g_ull_##kind##_start.start(up, start, end, increment, chunk, first, past, WSTREE_CALLER);         \
  }
WSTREE_TOLD_START(static)
WSTREE_TOLD_START(dynamic)
WSTREE_TOLD_START(guided)
WSTREE_TOLD_START(ordered_static)
WSTREE_TOLD_START(ordered_dynamic)
WSTREE_TOLD_START(ordered_guided)

#define WSTREE_TOLD_DOACROSS(kind)                                                                           \
  static constinit ToldDoacrossStart<long> g_doacross_##kind##_start{"GOMP_loop_doacross_" #kind "_start"};  \
  static constinit ToldDoacrossStart<ull> g_ull_doacross_##kind##_start{"GOMP_loop_ull_doacross_" #kind      \
                                                                        "_start"};                           \
  WSTREE_EXPORT bool GOMP_loop_doacross_##kind##_start(unsigned count, long* counts, long chunk,             \
                                                       long* first, long* past) {                            \
    return g_doacross_##kind##_start.start(count, counts, chunk, first, past, WSTREE_CALLER);                \
  }                                                                                                          \
  WSTREE_EXPORT bool GOMP_loop_ull_doacross_##kind##_start(unsigned count, ull* counts, ull chunk,           \
                                                           ull* first, ull* past) {                          \
    return g_ull_doacross_##kind##_start.start(count, counts, chunk, first, past, WSTREE_CALLER);            \
  }
WSTREE_TOLD_DOACROSS(static)
WSTREE_TOLD_DOACROSS(dynamic)
WSTREE_TOLD_DOACROSS(guided)

WSTREE_EXPORT unsigned GOMP_sections_start(unsigned count) {
  const void* caller = WSTREE_CALLER;
  if (ompt::tool_listens(caller)) [[unlikely]]
    begin_sections(count, caller);
  return g_sections.require(caller)(count);
}
WSTREE_EXPORT unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
  const void* caller = WSTREE_CALLER;
  if (ompt::tool_listens(caller)) [[unlikely]]
    begin_sections(count, caller);
  return g_sections_with.require(caller)(count, reductions, memory);
}
WSTREE_EXPORT void GOMP_sections_end() {
  const void* code = code_behind(WSTREE_CALLER);
  end_sections(g_sections_end, g_sections_end.caller_at(0, code), code);
}
WSTREE_EXPORT bool GOMP_sections_end_cancel() {
  const void* code = code_behind(WSTREE_CALLER);
  return end_sections(g_sections_end_cancel, code, code);
}
WSTREE_EXPORT void GOMP_sections_end_nowait() {
  const void* code = code_behind(WSTREE_CALLER);
  end_sections_nowait(g_sections_end_nowait.caller_at(0, code), code);
}

WSTREE_EXPORT void GOMP_barrier() {
  const void* code = code_behind(WSTREE_CALLER);
  wait(g_barrier, g_barrier.caller_at(0, code), code);
}
WSTREE_EXPORT bool GOMP_barrier_cancel() {
  const void* code = code_behind(WSTREE_CALLER);
  return wait(g_barrier_cancel, code, code);
}
}
