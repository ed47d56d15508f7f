// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of GCC's interface. They differ from LLVM's: each kind of schedule has functions of its own,
// upper bounds are exclusive, and the program ends each loop by a call. We answer that call for our loops,
// because libgomp must not hear of the end of a loop whose start it never saw.
//
// The calls of the runtime are the last thing that an entry does, and are inlined into it, so that they are
// jumps and a runtime with tools (libomp has these functions too) tells those where the program calls.
//
// Each entry exists for long and, with a direction in front, for unsigned long long. Up... stands for that
// direction: nothing or bool.
#pragma once

#include "canonical_loop.h"
#include "export.h"
#include "gomp/chunks.h"
#include "loop_entry.h"
#include "ompt/libgomp.h"
#include "resolve/runtime.h"

#include <algorithm>
#include <cstdint>

namespace wstree::abi::gomp {

// The `schedule` argument of GOMP_loop_start and of its relatives.
inline constexpr long k_runtime = 0;
inline constexpr long k_static = 1;
inline constexpr long k_dynamic = 2;
inline constexpr long k_guided = 3;
inline constexpr long k_nonmonotonic_runtime = 4;
inline constexpr long k_monotonic = 1L << 31;

/// The schedule in WSTREE_FALLBACK in libgomp's terms: it has no trapezoidal one, and its auto is static.
struct Fallback {
  long kind = k_runtime; // k_static, k_dynamic or k_guided
  long chunk = 0;        // 0: none
};
Fallback fallback() noexcept;
/// Returns the fallback for a loop whose bounds are known: no chunk beyond its end, and dynamic with the
/// chunk 1 if it is wide. With any other schedule libgomp gives wide loops chunks without end, or a wrong
/// chunk. A static fallback stays static unless libgomp miscounts the loop: libgomp waits for ever if members
/// run ahead of each other through ordered loops of which only some are static.
Fallback fallback(const loop::HalfOpenLoop& loop) noexcept;
/// Replaces the arguments of a loop that leaves its schedule to the environment.
template <class T>
[[gnu::always_inline]] inline void use_fallback(long& schedule, T& chunk, const Fallback& instead) noexcept {
  schedule = instead.kind | (schedule & k_monotonic);
  chunk = static_cast<T>(instead.chunk);
}

/// Returns whether libgomp would read our mark as the schedule of a loop that it executes: libgomp goes by
/// the member's own schedule, which may be one of ours although the region began with another one. Then the
/// chunk has to be 1, because the mark's chunk may overflow as chunks of wide loops do. The kind has to stay,
/// for the sake of members that have not set their schedule.
bool runtime_reads_mark(const void* caller) noexcept;
inline constexpr Fallback k_as_marked{k_dynamic, 1};

/// Returns the kind of loops for a `schedule` argument. Static loops count as auto loops without steals.
config::LoopKind kind_of(long schedule) noexcept;
bool is_stealable(long schedule) noexcept;

inline void set_bounds(Frame& frame, const loop::HalfOpenLoop& loop, std::uint64_t unit) noexcept {
  abi::set_bounds(frame, loop.start(), loop.end(), loop.increment(), loop.iterations(), unit);
}

/// enter_loop() for a loop of this interface, with a chunk of at least 1.
inline Server enter(config::LoopKind kind, bool stealable, const loop::HalfOpenLoop& loop,
                    std::uint64_t chunk, const void* caller) noexcept {
  const LoopForm form{kind, stealable && loop.countable()};
  const Units units = units_of(form, loop.iterations(), chunk);
  const Server server = enter_loop(form, units.count, loop.iterations(), nullptr, caller);
  if (server == Server::ours) [[likely]]
    set_bounds(*t_frame, loop, units.size);
  else if (server == Server::ours_cut) {
    set_bounds(*t_frame, loop, 1);
    return Server::ours;
  }
  return server;
}
/// Returns the size of a chunk; 1 for a chunk that is not positive, which compilers reject anyway.
template <class T> constexpr std::uint64_t size_of_chunk(T chunk) noexcept {
  return chunk > 0 ? static_cast<std::uint64_t>(chunk) : 1;
}

/// Returns the result `got` of a call for a chunk, after the tool has heard of the chunk. `first` is a null
/// pointer where the program cuts the loop itself.
template <class T> bool told(bool got, const T* first, const T* past) noexcept {
  if (got && first != nullptr)
    ompt::tell_iterations(static_cast<std::uint64_t>(*first), static_cast<std::uint64_t>(*past));
  return got;
}
/// start.begin(arguments..., caller), told to a tool.
template <class Start, class T, class... Arguments>
[[gnu::noinline]] bool begin_told(Start& start, std::uint64_t iterations, std::uint64_t step, T* first,
                                  T* past, const void* caller, Arguments... arguments) noexcept {
  ompt::begin_work({ompt::k_work_loop, iterations, step}, caller);
  return told(start.begin(arguments..., caller), first, past);
}

/// start(up, start, end, increment, first, past) of static, dynamic and guided loops with a chunk before the
/// last two arguments: libgomp's own way to run a loop with a schedule of our choice.
template <class T, class... Up> class FallbackStarts {
public:
  constexpr FallbackStarts(const char* fixed, const char* dynamic, const char* guided) noexcept
      : starts_{Start{fixed}, Start{dynamic}, Start{guided}} {}

  [[gnu::always_inline]] bool start(const Fallback& instead, Up... up, T start, T end, T increment, T* first,
                                    T* past, const void* caller) noexcept {
    const auto real = starts_[instead.kind - k_static].require(caller);
    return real(up..., start, end, increment, static_cast<T>(instead.chunk), first, past);
  }

private:
  using Start = Real<bool(Up..., T, T, T, T, T*, T*)>;
  Start starts_[3];
};

/// ..._next of any kind.
template <class T> class NextEntry {
public:
  constexpr explicit NextEntry(const char* name) noexcept : next_(name) {}

  [[gnu::always_inline]] bool next(T* first, T* past, const void* caller) noexcept {
    Frame* frame = t_frame;
    if (frame == nullptr || !frame->loop.is_served()) [[unlikely]]
      return next_elsewhere(first, past, caller);
    core::Range range;
    if (!frame->member.next_quickly(range)) return hand_out(*frame, first, past);
    tell(*frame, range, first, past);
    return true;
  }

private:
  /// Returns the next chunk in seldom cases, and in a process that has not asked for the library: a tool
  /// listens, the loop was put aside, or the runtime serves it.
  WSTREE_SAME_CALLER bool next_elsewhere(T* first, T* past, const void* caller) noexcept {
    Frame* frame = t_frame;
    if (ompt::tool_listens(caller)) [[unlikely]]
      return next_told(first, past, caller);
    if (frame != nullptr && asks_about_served_loop(*frame, caller))
      return hand_out_told(*frame, first, past, caller);
    return next_.require(caller)(first, past);
  }
  [[gnu::noinline]] bool next_told(T* first, T* past, const void* caller) noexcept {
    Frame* frame = t_frame;
    const bool ours = frame != nullptr && asks_about_served_loop(*frame, caller);
    return told(ours ? hand_out(*frame, first, past) : next_.require(caller)(first, past), first, past);
  }

  Real<bool(T*, T*)> next_;
};

/// ..._start of loops that leave their schedule to the environment. Not `stealable`: they demand an order.
template <class T, class... Up> class RuntimeStart {
public:
  constexpr RuntimeStart(const char* name, FallbackStarts<T, Up...>& instead, bool stealable) noexcept
      : start_(name), instead_(instead), stealable_(stealable) {}

  // For hand_over().
  auto require_when_idle(const void* code, const void* caller) noexcept {
    return start_.require_when_idle(code, caller);
  }
  [[gnu::always_inline]] bool start(Up... up, T start, T end, T increment, T* first, T* past,
                                    const void* caller) noexcept {
    if (ompt::tool_listens(caller)) [[unlikely]] {
      const loop::HalfOpenLoop loop(up..., start, end, increment);
      return begin_told(*this, loop.iterations(), loop.increment(), first, past, caller, up..., start, end,
                        increment, first, past);
    }
    return begin(up..., start, end, increment, first, past, caller);
  }
  /// Starts the loop in an active process; no tool hears of it.
  [[gnu::always_inline]] bool begin(Up... up, T start, T end, T increment, T* first, T* past,
                                    const void* caller) noexcept {
    const loop::HalfOpenLoop loop(up..., start, end, increment);
    Fallback instead = k_as_marked;
    switch (enter(config::LoopKind::runtime, stealable_, loop, 1, caller)) {
    case Server::ours:
    case Server::ours_cut: // which enter() does not return
      return hand_out_first(first, past, caller);
    case Server::fallback:
      instead = fallback(loop);
      break;
    case Server::runtime:
      if (!runtime_reads_mark(caller)) [[likely]]
        return start_.require(caller)(up..., start, end, increment, first, past);
      break;
    }
    return instead_.start(instead, up..., start, end, increment, first, past, caller);
  }

private:
  Real<bool(Up..., T, T, T, T*, T*)> start_;
  FallbackStarts<T, Up...>& instead_;
  bool stealable_;
};

/// ..._start of loops with dynamic or guided in their source, with a chunk.
template <class T, class... Up> class NamedStart {
public:
  constexpr NamedStart(const char* name, config::LoopKind kind) noexcept : start_(name), kind_(kind) {}

  // For hand_over().
  auto require_when_idle(const void* code, const void* caller) noexcept {
    return start_.require_when_idle(code, caller);
  }
  [[gnu::always_inline]] bool start(Up... up, T start, T end, T increment, T chunk, T* first, T* past,
                                    const void* caller) noexcept {
    if (ompt::tool_listens(caller)) [[unlikely]] {
      const loop::HalfOpenLoop loop(up..., start, end, increment);
      return begin_told(*this, loop.iterations(), loop.increment(), first, past, caller, up..., start, end,
                        increment, chunk, first, past);
    }
    return begin(up..., start, end, increment, chunk, first, past, caller);
  }
  /// Starts the loop in an active process; no tool hears of it.
  [[gnu::always_inline]] bool begin(Up... up, T start, T end, T increment, T chunk, T* first, T* past,
                                    const void* caller) noexcept {
    if (enter(kind_, true, loop::HalfOpenLoop(up..., start, end, increment), size_of_chunk(chunk), caller) ==
        Server::ours)
      return hand_out_first(first, past, caller);
    return start_.require(caller)(up..., start, end, increment, chunk, first, past);
  }

private:
  Real<bool(Up..., T, T, T, T, T*, T*)> start_;
  config::LoopKind kind_;
};

/// Tells the runtime of a loop whose iterations we hand out. For both types of loop variables this calls the
/// function for long, with bounds that are never read: libgomp's other function wants to write a first chunk,
/// through a null pointer.
void register_loop(long schedule, std::uintptr_t* reductions, void** memory, const void* caller) noexcept;
/// Tells the runtime of a loop whose iterations it hands out itself, from the first chunk on.
void register_loop(long start, long end, long increment, long schedule, long chunk,
                   std::uintptr_t* reductions, void** memory, const void* caller) noexcept;

} // namespace wstree::abi::gomp
