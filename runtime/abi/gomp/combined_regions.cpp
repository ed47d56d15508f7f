// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel regions of GCC's libgomp that consist of a loop. The loop is already started: the outlined
// function begins with ..._next. If we serve that loop, the runtime opens a plain region, and the wrapper
// starts the loop in each member.
#include "export.h"
#include "gomp/region.h"

#include <algorithm>
#include <cstdint>

namespace wstree::abi::gomp {

Fallback own_schedule(const CombinedLoop& loop) noexcept {
  const long chunk = static_cast<long>(loop.units.size);
  switch (loop.kind) {
  case LoopKind::dynamic:
    return {k_dynamic, chunk};
  case LoopKind::guided:
    return {k_guided, chunk};
  case LoopKind::runtime:
  case LoopKind::auto_:
  case LoopKind::static_:
  case LoopKind::taskloop:
  case LoopKind::proven:
    break;
  }
  return fallback(loop.bounds);
}

} // namespace wstree::abi::gomp

namespace {

using namespace wstree::abi;
using namespace wstree::abi::gomp;
namespace config = wstree::config;

constinit Real<void(Outlined, void*, unsigned, unsigned)> g_parallel{"GOMP_parallel"};

/// GOMP_parallel_loop_... with the arguments Chunk... (nothing or long) between the bounds and the flags.
template <class... Chunk> class CombinedEntry {
public:
  constexpr CombinedEntry(const char* name, LoopKind kind, bool stealable) noexcept
      : real_(name), kind_(kind), stealable_(stealable) {}

  using Function = void(Outlined, void*, unsigned, long, long, long, Chunk..., unsigned);
  /// The runtime's function.
  Function* real(const void* caller) noexcept { return real_.require(caller); }
  Function* require_when_idle(const void* code, const void* caller) noexcept {
    return real_.require_when_idle(code, caller);
  }

  /// `told`: a tool hears of it.
  template <bool told>
  void fork(Outlined function, void* data, unsigned threads, long start, long end, long increment,
            Chunk... chunk, unsigned flags, const void* caller) {
    Region region{nullptr, function, data, caller};
    const wstree::loop::HalfOpenLoop bounds(start, end, increment);
    const ompt::Construct construct{ompt::k_work_loop, bounds.iterations(), bounds.increment()};
    const bool asks = kind_ == LoopKind::runtime;
    const TaskSchedule schedule = asks ? task_schedule(caller) : session().named;
    config::Ruling ruling = ruling_of(caller, nullptr, t_label);
    if (has_hint()) [[unlikely]] { // the loop is this one
      config::Ruling hint = take_hint();
      hint.overlay(ruling);
      ruling = hint;
    }
    threads = ruled_threads(threads, ruling);
    const LoopForm form{kind_, stealable_ && bounds.countable()};
    const std::uint64_t whole = ruling.cuts_chunks() ? 1 : size_of(chunk...);
    const CombinedLoop loop{kind_, bounds, units_of(form, bounds.iterations(), whole),
                            choose_schedule(kind_, schedule, ruling)};
    const auto plain = g_parallel.find(caller);
    if (loop.as.schedule.ours && form.stealable && plain != nullptr) {
      region.loop = loop;
      return fork_as<told>(region, threads, construct,
                           [=](Outlined wrapper, void* shared) { plain(wrapper, shared, threads, flags); });
    }
    const Fallback instead = asks && schedule.ours ? fallback(bounds) : Fallback{};
    const auto forced = instead.kind != k_runtime ? g_instead[instead.kind - k_static].find(caller) : nullptr;
    if (forced != nullptr) {
      return fork_as<told>(region, threads, construct, [=](Outlined wrapper, void* shared) {
        forced(wrapper, shared, threads, start, end, increment, instead.chunk, flags);
      });
    }
    const auto real = real_.require(caller);
    fork_as<told>(region, threads, construct, [=](Outlined wrapper, void* shared) {
      real(wrapper, shared, threads, start, end, increment, chunk..., flags);
    });
  }

private:
  static std::uint64_t size_of(long chunk = 1) noexcept {
    return static_cast<std::uint64_t>(std::max(chunk, 1L));
  }

  using Chunked = Real<void(Outlined, void*, unsigned, long, long, long, long, unsigned)>;
  static inline constinit Chunked g_instead[3] = {Chunked{"GOMP_parallel_loop_static"},
                                                  Chunked{"GOMP_parallel_loop_dynamic"},
                                                  Chunked{"GOMP_parallel_loop_guided"}};
  Real<Function> real_;
  LoopKind kind_;
  bool stealable_;
};

constinit CombinedEntry<> g_maybe_runtime{"GOMP_parallel_loop_maybe_nonmonotonic_runtime", LoopKind::runtime,
                                          true};
constinit CombinedEntry<> g_nonmonotonic_runtime{"GOMP_parallel_loop_nonmonotonic_runtime", LoopKind::runtime,
                                                 true};
constinit CombinedEntry<> g_monotonic_runtime{"GOMP_parallel_loop_runtime", LoopKind::runtime, false};
constinit CombinedEntry<long> g_dynamic{"GOMP_parallel_loop_nonmonotonic_dynamic", LoopKind::dynamic, true};
constinit CombinedEntry<long> g_guided{"GOMP_parallel_loop_nonmonotonic_guided", LoopKind::guided, true};
constinit CombinedEntry<long> g_monotonic_dynamic{"GOMP_parallel_loop_dynamic", LoopKind::dynamic, false};
constinit CombinedEntry<long> g_monotonic_guided{"GOMP_parallel_loop_guided", LoopKind::guided, false};

template <auto& entry, class... Chunk>
WSTREE_SAME_CALLER inline void fork_plain(Outlined function, void* data, unsigned threads, long start,
                                          long end, long increment, Chunk... chunk, unsigned flags) {
  const void* caller = code_about(reinterpret_cast<const void*>(function), WSTREE_CALLER);
  entry.real(caller)(function, data, threads, start, end, increment, chunk..., flags);
}
template <auto& entry, bool told, class... Chunk>
WSTREE_SAME_CALLER inline void fork_wrapped(Outlined function, void* data, unsigned threads, long start,
                                            long end, long increment, Chunk... chunk, unsigned flags) {
  const void* caller = code_about(reinterpret_cast<const void*>(function), WSTREE_CALLER);
  entry.template fork<told>(function, data, threads, start, end, increment, chunk..., flags, caller);
}
/// All of an exported function.
template <auto& entry, class... Chunk>
[[gnu::always_inline]] inline void enter(Outlined function, void* data, unsigned threads, long start,
                                         long end, long increment, Chunk... chunk, unsigned flags) {
  if (!active()) return hand_over<entry>(function, data, threads, start, end, increment, chunk..., flags);
  if (ompt::tool_listens(WSTREE_CALLER)) [[unlikely]]
    return fork_wrapped<entry, true, Chunk...>(function, data, threads, start, end, increment, chunk...,
                                               flags);
  fork_wrapped<entry, false, Chunk...>(function, data, threads, start, end, increment, chunk..., flags);
}
/// Enters a combined region whose loop only the runtime can serve, but of which a tool may want to hear.
template <auto& entry, class... Chunk>
[[gnu::always_inline]] inline void enter_unserved(Outlined function, void* data, unsigned threads, long start,
                                                  long end, long increment, Chunk... chunk, unsigned flags) {
  if (!active()) return hand_over<entry>(function, data, threads, start, end, increment, chunk..., flags);
  if (!ompt::tool_listens(WSTREE_CALLER))
    return fork_plain<entry, Chunk...>(function, data, threads, start, end, increment, chunk..., flags);
  fork_wrapped<entry, true, Chunk...>(function, data, threads, start, end, increment, chunk..., flags);
}

} // namespace

extern "C" {

WSTREE_EXPORT void GOMP_parallel_loop_maybe_nonmonotonic_runtime(Outlined function, void* data,
                                                                 unsigned threads, long start, long end,
                                                                 long increment, unsigned flags) {
  enter<g_maybe_runtime>(function, data, threads, start, end, increment, flags);
}
WSTREE_EXPORT void GOMP_parallel_loop_nonmonotonic_runtime(Outlined function, void* data, unsigned threads,
                                                           long start, long end, long increment,
                                                           unsigned flags) {
  enter<g_nonmonotonic_runtime>(function, data, threads, start, end, increment, flags);
}
WSTREE_EXPORT void GOMP_parallel_loop_runtime(Outlined function, void* data, unsigned threads, long start,
                                              long end, long increment, unsigned flags) {
  enter<g_monotonic_runtime>(function, data, threads, start, end, increment, flags);
}
WSTREE_EXPORT void GOMP_parallel_loop_nonmonotonic_dynamic(Outlined function, void* data, unsigned threads,
                                                           long start, long end, long increment, long chunk,
                                                           unsigned flags) {
  enter<g_dynamic, long>(function, data, threads, start, end, increment, chunk, flags);
}
WSTREE_EXPORT void GOMP_parallel_loop_nonmonotonic_guided(Outlined function, void* data, unsigned threads,
                                                          long start, long end, long increment, long chunk,
                                                          unsigned flags) {
  enter<g_guided, long>(function, data, threads, start, end, increment, chunk, flags);
}
WSTREE_EXPORT void GOMP_parallel_loop_dynamic(Outlined function, void* data, unsigned threads, long start,
                                              long end, long increment, long chunk, unsigned flags) {
  enter_unserved<g_monotonic_dynamic, long>(function, data, threads, start, end, increment, chunk, flags);
}
WSTREE_EXPORT void GOMP_parallel_loop_guided(Outlined function, void* data, unsigned threads, long start,
                                             long end, long increment, long chunk, unsigned flags) {
  enter_unserved<g_monotonic_guided, long>(function, data, threads, start, end, increment, chunk, flags);
}
}
