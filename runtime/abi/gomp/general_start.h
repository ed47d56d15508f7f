// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GOMP_loop_start and its relatives.
#pragma once

#include "gomp/loops.h"

#include <cstdint>

namespace wstree::abi::gomp {

/// The forms with the schedule as an argument, for loops with reductions over tasks, and for those that need
/// memory that the team shares (lastprivate(conditional:)). libgomp registers such a loop even when we serve
/// it: it keeps the reductions there.
template <class T, class... Up> class GeneralStart {
public:
  /// Not every runtime has these. Not `stealable`: ordered loops.
  constexpr GeneralStart(const char* name, bool stealable) noexcept
      : start_(name, true), stealable_(stealable) {}

  [[gnu::always_inline]] bool start(Up... up, T start, T end, T increment, long schedule, T chunk, T* first,
                                    T* past, std::uintptr_t* reductions, void** memory,
                                    const void* caller) noexcept {
    const auto real = start_.require(caller);
    if (!active())
      return real(up..., start, end, increment, schedule, chunk, first, past, reductions, memory);
    if (ompt::tool_listens(caller)) [[unlikely]] {
      const loop::HalfOpenLoop loop(up..., start, end, increment);
      return begin_told(*this, loop.iterations(), loop.increment(), first, past, caller, up..., start, end,
                        increment, schedule, chunk, first, past, reductions, memory);
    }
    return begin(up..., start, end, increment, schedule, chunk, first, past, reductions, memory, caller);
  }
  /// Starts the loop in an active process, without telling a tool.
  [[gnu::always_inline]] bool begin(Up... up, T start, T end, T increment, long schedule, T chunk, T* first,
                                    T* past, std::uintptr_t* reductions, void** memory,
                                    const void* caller) noexcept {
    const loop::HalfOpenLoop loop(up..., start, end, increment);
    if (first == nullptr) {
      // The program asks the runtime for the pieces, and the runtime has our mark for the schedule.
      if (kind_of(schedule) == config::LoopKind::runtime && task_schedule(caller).ours)
        use_fallback(schedule, chunk, fallback(loop));
    } else {
      const bool stealable = stealable_ && is_stealable(schedule) && memory == nullptr;
      switch (enter(kind_of(schedule), stealable, loop, size_of_chunk(chunk), caller)) {
      case Server::ours:
      case Server::ours_cut: // which enter() does not return
        register_loop(schedule, reductions, memory, caller);
        t_frame->loop.note_registered();
        return hand_out_first(first, past, caller);
      case Server::fallback:
        use_fallback(schedule, chunk, fallback(loop));
        break;
      case Server::runtime:
        if (kind_of(schedule) == config::LoopKind::runtime && runtime_reads_mark(caller)) [[unlikely]]
          use_fallback(schedule, chunk, k_as_marked);
        break;
      }
    }
    return start_.require(caller)(up..., start, end, increment, schedule, chunk, first, past, reductions,
                                  memory);
  }

private:
  Real<bool(Up..., T, T, T, long, T, T*, T*, std::uintptr_t*, void**)> start_;
  bool stealable_;
};

} // namespace wstree::abi::gomp
