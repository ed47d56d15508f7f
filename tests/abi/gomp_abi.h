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
  k_schedule_static = 1,
  k_schedule_dynamic = 2,
  k_schedule_guided = 3,
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
GOMP_PLAIN(ordered_runtime)
#undef GOMP_PLAIN

#define GOMP_CHUNKED(name)                                                                                   \
  bool GOMP_loop_##name##_start(long, long, long, long, long*, long*);                                       \
  bool GOMP_loop_##name##_next(long*, long*);                                                                \
  bool GOMP_loop_ull_##name##_start(bool, Ull, Ull, Ull, Ull, Ull*, Ull*);                                   \
  bool GOMP_loop_ull_##name##_next(Ull*, Ull*);
GOMP_CHUNKED(static)
GOMP_CHUNKED(dynamic)
GOMP_CHUNKED(guided)
GOMP_CHUNKED(nonmonotonic_dynamic)
GOMP_CHUNKED(nonmonotonic_guided)
GOMP_CHUNKED(ordered_dynamic)
#undef GOMP_CHUNKED

bool GOMP_loop_start(long, long, long, long schedule, long chunk, long*, long*, std::uintptr_t* reductions,
                     void** memory);
bool GOMP_loop_ull_start(bool, Ull, Ull, Ull, long schedule, Ull chunk, Ull*, Ull*,
                         std::uintptr_t* reductions, void** memory);
bool GOMP_loop_ordered_start(long, long, long, long schedule, long chunk, long*, long*,
                             std::uintptr_t* reductions, void** memory);
void GOMP_loop_end();
void GOMP_loop_end_nowait();
bool GOMP_loop_end_cancel();

bool GOMP_loop_doacross_runtime_start(unsigned dimensions, long* counts, long*, long*);
bool GOMP_loop_ull_doacross_runtime_start(unsigned dimensions, Ull* counts, Ull*, Ull*);
void GOMP_doacross_wait(long, ...);
void GOMP_doacross_post(long*);
void GOMP_ordered_start();
void GOMP_ordered_end();

using Body = void(void*);
void GOMP_parallel(Body*, void*, unsigned threads, unsigned flags);
void GOMP_parallel_loop_runtime(Body*, void*, unsigned threads, long, long, long, unsigned flags);
void GOMP_parallel_loop_maybe_nonmonotonic_runtime(Body*, void*, unsigned threads, long, long, long,
                                                   unsigned flags);
void GOMP_parallel_loop_nonmonotonic_runtime(Body*, void*, unsigned threads, long, long, long,
                                             unsigned flags);
void GOMP_parallel_loop_nonmonotonic_dynamic(Body*, void*, unsigned threads, long, long, long, long chunk,
                                             unsigned flags);
void GOMP_parallel_loop_nonmonotonic_guided(Body*, void*, unsigned threads, long, long, long, long chunk,
                                            unsigned flags);
void GOMP_parallel_loop_dynamic(Body*, void*, unsigned threads, long, long, long, long chunk, unsigned flags);

// What compilers called before GCC 4.9: the encountering thread runs the body itself between start and end.
void GOMP_parallel_start(Body*, void*, unsigned threads);
void GOMP_parallel_end();
void GOMP_parallel_loop_static_start(Body*, void*, unsigned threads, long, long, long, long chunk);
void GOMP_parallel_loop_dynamic_start(Body*, void*, unsigned threads, long, long, long, long chunk);
void GOMP_parallel_loop_guided_start(Body*, void*, unsigned threads, long, long, long, long chunk);
void GOMP_parallel_loop_runtime_start(Body*, void*, unsigned threads, long, long, long);
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

inline bool start(std::int32_t kind, long chunk, long from, long to, long incr, long* first, long* end) {
  switch (kind) {
  case k_maybe_nonmonotonic:
    return GOMP_loop_maybe_nonmonotonic_runtime_start(from, to, incr, first, end);
  case k_nonmonotonic:
    return GOMP_loop_nonmonotonic_runtime_start(from, to, incr, first, end);
  case k_dynamic:
    return GOMP_loop_nonmonotonic_dynamic_start(from, to, incr, chunk, first, end);
  case k_guided:
    return GOMP_loop_nonmonotonic_guided_start(from, to, incr, chunk, first, end);
  default:
    return GOMP_loop_start(from, to, incr, schedule_of(kind), 0, first, end, nullptr, nullptr);
  }
}

inline bool start(std::int32_t kind, long chunk, bool up, Ull from, Ull to, Ull incr, Ull* first, Ull* end) {
  switch (kind) {
  case k_maybe_nonmonotonic:
    return GOMP_loop_ull_maybe_nonmonotonic_runtime_start(up, from, to, incr, first, end);
  case k_nonmonotonic:
    return GOMP_loop_ull_nonmonotonic_runtime_start(up, from, to, incr, first, end);
  case k_dynamic:
    return GOMP_loop_ull_nonmonotonic_dynamic_start(up, from, to, incr, static_cast<Ull>(chunk), first, end);
  case k_guided:
    return GOMP_loop_ull_nonmonotonic_guided_start(up, from, to, incr, static_cast<Ull>(chunk), first, end);
  default:
    return GOMP_loop_ull_start(up, from, to, incr, schedule_of(kind), 0, first, end, nullptr, nullptr);
  }
}

inline bool next(std::int32_t kind, long* first, long* end) {
  switch (kind) {
  case k_nonmonotonic:
  case k_general_nonmonotonic:
    return GOMP_loop_nonmonotonic_runtime_next(first, end);
  case k_dynamic:
    return GOMP_loop_nonmonotonic_dynamic_next(first, end);
  case k_guided:
    return GOMP_loop_nonmonotonic_guided_next(first, end);
  default:
    return GOMP_loop_maybe_nonmonotonic_runtime_next(first, end);
  }
}

inline bool next(std::int32_t kind, Ull* first, Ull* end) {
  switch (kind) {
  case k_nonmonotonic:
  case k_general_nonmonotonic:
    return GOMP_loop_ull_nonmonotonic_runtime_next(first, end);
  case k_dynamic:
    return GOMP_loop_ull_nonmonotonic_dynamic_next(first, end);
  case k_guided:
    return GOMP_loop_ull_nonmonotonic_guided_next(first, end);
  default:
    return GOMP_loop_ull_maybe_nonmonotonic_runtime_next(first, end);
  }
}

} // namespace gomp
