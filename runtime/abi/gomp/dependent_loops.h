// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of GCC's interface whose iterations depend on each other: only the runtime serves them.
#pragma once

#include "gomp/loops.h"

#include <cstdint>

namespace wstree::abi::gomp {

/// Notes a loop whose iterations depend on each other, so that we cannot serve it. Returns whether the
/// environment chose one of our schedules for it, and the fallback has to replace that.
bool dependent_loop_needs_fallback(config::LoopKind kind, const void* caller) noexcept;

/// Loops with cross-iteration dependences: an array of trip counts instead of bounds, of which the first one
/// is that of the loop that threads share.
template <class T> class DoacrossStart {
public:
  constexpr DoacrossStart(const char* name, const char* fixed, const char* dynamic,
                          const char* guided) noexcept
      : start_(name), instead_{Instead{fixed}, Instead{dynamic}, Instead{guided}} {}

  [[gnu::always_inline]] bool start(unsigned count, T* counts, T* first, T* past,
                                    const void* caller) noexcept {
    if (!active()) return start_.require(caller)(count, counts, first, past);
    if (ompt::tool_listens(caller)) [[unlikely]]
      return begin_told(*this, static_cast<std::uint64_t>(counts[0]), 1, first, past, caller, count, counts,
                        first, past);
    return begin(count, counts, first, past, caller);
  }
  /// Starts the loop in an active process, without telling a tool.
  [[gnu::always_inline]] bool begin(unsigned count, T* counts, T* first, T* past,
                                    const void* caller) noexcept {
    if (dependent_loop_needs_fallback(config::LoopKind::runtime, caller)) {
      return instead_[fallback().kind - k_static].require(caller)(
          count, counts, static_cast<T>(fallback().chunk), first, past);
    }
    return start_.require(caller)(count, counts, first, past);
  }

private:
  using Instead = Real<bool(unsigned, T*, T, T*, T*)>;
  Real<bool(unsigned, T*, T*, T*)> start_;
  Instead instead_[3];
};

/// The entry with the schedule as an argument; see GeneralStart.
template <class T> class GeneralDoacrossStart {
public:
  constexpr explicit GeneralDoacrossStart(const char* name) noexcept : start_(name, true) {}

  [[gnu::always_inline]] bool start(unsigned count, T* counts, long schedule, T chunk, T* first, T* past,
                                    std::uintptr_t* reductions, void** memory, const void* caller) noexcept {
    if (!active())
      return start_.require(caller)(count, counts, schedule, chunk, first, past, reductions, memory);
    if (ompt::tool_listens(caller)) [[unlikely]]
      return begin_told(*this, static_cast<std::uint64_t>(counts[0]), 1, first, past, caller, count, counts,
                        schedule, chunk, first, past, reductions, memory);
    return begin(count, counts, schedule, chunk, first, past, reductions, memory, caller);
  }
  /// Starts the loop in an active process, without telling a tool.
  [[gnu::always_inline]] bool begin(unsigned count, T* counts, long schedule, T chunk, T* first, T* past,
                                    std::uintptr_t* reductions, void** memory, const void* caller) noexcept {
    if (dependent_loop_needs_fallback(kind_of(schedule), caller)) use_fallback(schedule, chunk, fallback());
    return start_.require(caller)(count, counts, schedule, chunk, first, past, reductions, memory);
  }

private:
  Real<bool(unsigned, T*, long, T, T*, T*, std::uintptr_t*, void**)> start_;
};

} // namespace wstree::abi::gomp
