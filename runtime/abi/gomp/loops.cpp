// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gomp/loops.h"

#include "gomp/dependent_loops.h"

namespace wstree::abi::gomp {

Fallback fallback() noexcept {
  const config::Fallback chosen = fallback_of(true);
  const long chunk = static_cast<long>(chosen.chunk);
  switch (chosen.kind) {
  case config::FallbackKind::static_:
    return {k_static, chunk};
  case config::FallbackKind::dynamic:
    return {k_dynamic, std::max(chunk, 1L)};
  case config::FallbackKind::auto_:
    return {k_static, 0};
  case config::FallbackKind::guided:
  case config::FallbackKind::trapezoidal:
    break;
  }
  return {k_guided, std::max(chunk, 1L)};
}

Fallback fallback(const loop::HalfOpenLoop& loop) noexcept {
  Fallback instead = fallback();
  if (loop.is_wide()) {
    if (instead.kind == k_static && loop.has_whole_steps()) return {k_static, 0};
    return {k_dynamic, 1};
  }
  if (loop.iterations() != 0) instead.chunk = std::min(instead.chunk, static_cast<long>(loop.iterations()));
  return instead;
}

config::LoopKind kind_of(long schedule) noexcept {
  switch (schedule & ~k_monotonic) {
  case k_static:
    return config::LoopKind::auto_;
  case k_dynamic:
    return config::LoopKind::dynamic;
  case k_guided:
    return config::LoopKind::guided;
  default:
    return config::LoopKind::runtime;
  }
}

bool is_stealable(long schedule) noexcept {
  return schedule == k_runtime || schedule == k_nonmonotonic_runtime || schedule == k_dynamic ||
         schedule == k_guided;
}

void register_loop(long schedule, std::uintptr_t* reductions, void** memory, const void* caller) noexcept {
  register_loop(0, 1, 1, schedule, 1, reductions, memory, caller);
}

void register_loop(long start, long end, long increment, long schedule, long chunk,
                   std::uintptr_t* reductions, void** memory, const void* caller) noexcept {
  static constinit Real<bool(long, long, long, long, long, long*, long*, std::uintptr_t*, void**)> real{
      "GOMP_loop_start", true};
  real.require(caller)(start, end, increment, schedule, chunk, nullptr, nullptr, reductions, memory);
}

bool runtime_reads_mark(const void* caller) noexcept {
  return !runtime_is_llvms(caller) && task_schedule(caller).ours;
}

bool dependent_loop_needs_fallback(config::LoopKind kind, const void* caller) noexcept {
  return enter_loop({kind, false}, 0, 0, nullptr, caller) == Server::fallback;
}

} // namespace wstree::abi::gomp
