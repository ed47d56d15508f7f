// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop and region entries of GCC's OpenMP runtime, as the compiler calls them. Programs that call them
// directly can use bounds, strides and orders of calls that one compiler's version makes no code for.
//
// Bounds are half-open and neither normalised nor widened: end - incr may lie before start. Loops over
// unsigned long and pointers use the entries with "ull", whose first argument says whether the loop goes up.
#pragma once

#include <cstdint>

namespace gomp {

using Ull = unsigned long long;

/// The schedule argument of GOMP_loop_start and its kin.
enum Schedule : long {
  k_schedule_runtime = 0,
  k_schedule_dynamic = 2,
  k_schedule_nonmonotonic_runtime = 4, ///< the number of auto, which never gets here
  k_schedule_monotonic = 1l << 31      ///< a flag
};

extern "C" {
#define GOMP_PLAIN(name)                                                                                     \
  bool GOMP_loop_##name##_start(long, long, long, long*, long*);                                             \
  bool GOMP_loop_##name##_next(long*, long*);                                                                \
  bool GOMP_loop_ull_##name##_start(bool, Ull, Ull, Ull, Ull*, Ull*);                                        \
  bool GOMP_loop_ull_##name##_next(Ull*, Ull*);
GOMP_PLAIN(runtime)
GOMP_PLAIN(maybe_nonmonotonic_runtime)
GOMP_PLAIN(nonmonotonic_runtime)
#undef GOMP_PLAIN

#define GOMP_CHUNKED(name)                                                                                   \
  bool GOMP_loop_##name##_start(long, long, long, long, long*, long*);                                       \
  bool GOMP_loop_##name##_next(long*, long*);                                                                \
  bool GOMP_loop_ull_##name##_start(bool, Ull, Ull, Ull, Ull, Ull*, Ull*);                                   \
  bool GOMP_loop_ull_##name##_next(Ull*, Ull*);
GOMP_CHUNKED(dynamic)
GOMP_CHUNKED(nonmonotonic_dynamic)
GOMP_CHUNKED(nonmonotonic_guided)
#undef GOMP_CHUNKED

bool GOMP_loop_start(long, long, long, long schedule, long chunk, long*, long*, std::uintptr_t* reductions,
                     void** memory);
bool GOMP_loop_ull_start(bool, Ull, Ull, Ull, long schedule, Ull chunk, Ull*, Ull*,
                         std::uintptr_t* reductions, void** memory);
void GOMP_loop_end();
void GOMP_loop_end_nowait();
bool GOMP_loop_end_cancel();

using Body = void(void*);
void GOMP_parallel(Body*, void*, unsigned threads, unsigned flags);
void GOMP_parallel_loop_dynamic(Body*, void*, unsigned threads, long, long, long, long chunk, unsigned flags);

// What compilers called before GCC 4.9: the encountering thread runs the body itself between start and end.
void GOMP_parallel_start(Body*, void*, unsigned threads);
void GOMP_parallel_end();
}

/// Ways to write a loop that the tree may serve. Those behind the first four have a chunk and are served only
/// if WSTREE_LOOPS names them.
enum Kind : std::int32_t {
  k_maybe_nonmonotonic, ///< schedule(runtime)
  k_nonmonotonic,       ///< schedule(nonmonotonic: runtime)
  k_general,            ///< schedule(runtime) with a task reduction: GOMP_loop_start
  k_general_nonmonotonic,
  k_dynamic,
  k_guided
};
constexpr std::int32_t k_usual_kind = k_maybe_nonmonotonic;
constexpr std::int32_t k_kinds[] = {k_maybe_nonmonotonic, k_general, k_nonmonotonic, k_general_nonmonotonic};
constexpr int k_room_for_the_end =
    1; ///< bounds are half-open, so the last value of the type cannot be in a loop

inline long schedule_of(std::int32_t kind) {
  return kind == k_general ? k_schedule_runtime : k_schedule_nonmonotonic_runtime;
}

// By the type of the loop variable; `up` counts for unsigned long only.
#define GOMP_WALK(T, name, ...)                                                                              \
  inline bool start(std::int32_t kind, long chunk, [[maybe_unused]] bool up, T from, T to, T incr, T* first, \
                    T* end) {                                                                                \
    if (kind == k_maybe_nonmonotonic)                                                                        \
      return name##maybe_nonmonotonic_runtime_start(__VA_ARGS__ from, to, incr, first, end);                 \
    if (kind == k_nonmonotonic)                                                                              \
      return name##nonmonotonic_runtime_start(__VA_ARGS__ from, to, incr, first, end);                       \
    const T size = static_cast<T>(chunk);                                                                    \
    if (kind == k_dynamic)                                                                                   \
      return name##nonmonotonic_dynamic_start(__VA_ARGS__ from, to, incr, size, first, end);                 \
    if (kind == k_guided)                                                                                    \
      return name##nonmonotonic_guided_start(__VA_ARGS__ from, to, incr, size, first, end);                  \
    return name##start(__VA_ARGS__ from, to, incr, schedule_of(kind), 0, first, end, nullptr, nullptr);      \
  }                                                                                                          \
  inline bool next(std::int32_t kind, T* first, T* end) {                                                    \
    if (kind == k_dynamic) return name##nonmonotonic_dynamic_next(first, end);                               \
    if (kind == k_guided) return name##nonmonotonic_guided_next(first, end);                                 \
    if (kind == k_maybe_nonmonotonic || kind == k_general)                                                   \
      return name##maybe_nonmonotonic_runtime_next(first, end);                                              \
    return name##nonmonotonic_runtime_next(first, end);                                                      \
  }
GOMP_WALK(long, GOMP_loop_, )
GOMP_WALK(Ull, GOMP_loop_ull_, up, )
#undef GOMP_WALK

} // namespace gomp
