// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel regions of GCC's libgomp: who is in a team with whom. As in kmpc/regions.cpp, we tell the runtime
// to run a wrapper instead of the program's outlined function.
//
// In a combined region the loop is already started: the outlined function begins with ..._next. If we serve
// that loop, the runtime opens a plain region, and the wrapper starts the loop in each member.
#include "export.h"
#include "gomp/loops.h"
#include "region_placement.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace {

using namespace wstree::abi;
using namespace wstree::abi::gomp;
using wstree::config::LoopKind;
namespace config = wstree::config;
using Outlined = void (*)(void*);

constinit Real<void(Outlined, void*, unsigned, unsigned)> g_parallel{"GOMP_parallel"};
constinit Real<unsigned(Outlined, void*, unsigned, unsigned)> g_parallel_reductions{
    "GOMP_parallel_reductions", true};

struct CombinedLoop {
  LoopKind kind;
  wstree::loop::HalfOpenLoop bounds;
  Units units;
  ServedAs as;
};

/// On the stack of the thread that forks, and outlives the region. Aligned, because every member fetches it
/// from there.
struct alignas(wstree::core::k_line_pair) Region {
  void* reductions; // libgomp takes it from the first word of what GOMP_parallel_reductions is given
  Outlined function;
  void* data;
  const void* caller;
  KeptTeam* team = nullptr;
  const Terms* terms = nullptr;
  std::uint64_t base = 0;             // number of the first loop
  std::optional<CombinedLoop> loop{}; // the loop of a combined region, if we serve it
};

/// The schedule that the runtime uses if it has to serve the loop.
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
    break;
  }
  return fallback();
}

/// How many threads the region asks for. One thread means that the program does not want a team.
unsigned ruled_threads(unsigned asked, config::Ruling ruling) noexcept {
  return asked == 1 || ruling.threads() == 0 ? asked : static_cast<unsigned>(ruling.threads());
}

void start_combined_loop(Frame& frame, const CombinedLoop& loop, const void* caller) noexcept {
  const auto& bounds = loop.bounds;
  if (frame.may_serve() && begin_loop(frame, loop.kind, loop.units.count, loop.as, caller))
    return set_bounds(frame, bounds, loop.units);
  // No memory: every member comes here.
  const Fallback schedule = own_schedule(loop);
  register_loop(static_cast<long>(bounds.start()), static_cast<long>(bounds.end()),
                static_cast<long>(bounds.increment()), schedule.kind, schedule.chunk, nullptr, nullptr,
                caller);
}

/// Every member runs this instead of the outlined function.
void wrap_member(void* data) {
  const Region& region = *static_cast<const Region*>(data);
  const int members = runtime_threads(region.caller);
  const int number = runtime_thread(region.caller);
  ServedMember member(static_cast<std::uint32_t>(std::max(number, 0)), members, region.team, *region.terms,
                      region.base);
  Frame& frame = member.frame();
  if (number < 0) frame.kind = Frame::Kind::unserved; // the runtime cannot be asked
  frame.schedule_of = Frame::ScheduleOf::task; // libgomp looks at the task's schedule whenever a loop starts
  if (region.loop) start_combined_loop(frame, *region.loop, region.caller);
  region.function(region.data);
}

/// Forks through `fork(wrapper, region)`.
template <class Fork> auto fork_region(Region& region, Fork&& fork) {
  const ServedRegion served(region.caller, TaskSchedule{});
  region.team = served.team();
  region.terms = &served.terms();
  region.base = served.base();
  return fork(wrap_member, static_cast<void*>(&region));
}

/// GOMP_parallel in a process with rules or with a tool.
[[gnu::noinline]] void fork_attended(Region& region, unsigned threads, unsigned flags) {
  threads = ruled_threads(threads, ruling_of(region.caller, nullptr, t_label));
  const ompt::OpenCall call(region.caller);
  const auto real = g_parallel.require(region.caller);
  fork_region(region, [&](Outlined wrapper, void* shared) { real(wrapper, shared, threads, flags); });
}

/// GOMP_parallel_loop_... with the arguments Chunk... (nothing or long) between the bounds and the flags.
template <class... Chunk> class CombinedEntry {
public:
  constexpr CombinedEntry(const char* name, LoopKind kind, bool stealable) noexcept
      : real_(name), kind_(kind), stealable_(stealable) {}

  using Function = void(Outlined, void*, unsigned, long, long, long, Chunk..., unsigned);
  /// The runtime's function.
  Function* real(const void* caller) noexcept { return real_.require(caller); }

  void fork(Outlined function, void* data, unsigned threads, long start, long end, long increment,
            Chunk... chunk, unsigned flags, const void* caller) {
    Region region{nullptr, function, data, caller};
    const wstree::loop::HalfOpenLoop bounds(start, end, increment);
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
    const CombinedLoop loop{kind_, bounds, units_of(form, bounds.iterations(), size_of(chunk...)),
                            choose_schedule(kind_, schedule, ruling)};
    const auto plain = g_parallel.find(caller);
    if (loop.as.schedule.ours && form.stealable && plain != nullptr) {
      region.loop = loop;
      return fork_region(region,
                         [&](Outlined wrapper, void* shared) { plain(wrapper, shared, threads, flags); });
    }
    const Fallback instead = asks && schedule.ours ? fallback() : Fallback{};
    const auto forced = instead.kind != k_runtime ? g_instead[instead.kind - k_static].find(caller) : nullptr;
    if (forced != nullptr) {
      return fork_region(region, [&](Outlined wrapper, void* shared) {
        forced(wrapper, shared, threads, start, end, increment, instead.chunk, flags);
      });
    }
    const auto real = real_.require(caller);
    fork_region(region, [&](Outlined wrapper, void* shared) {
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

template <auto& entry, class... Chunk>
WSTREE_SAME_CALLER inline void fork_plain(Outlined function, void* data, unsigned threads, long start,
                                          long end, long increment, Chunk... chunk, unsigned flags) {
  entry.real(WSTREE_CALLER)(function, data, threads, start, end, increment, chunk..., flags);
}
template <auto& entry, class... Chunk>
WSTREE_SAME_CALLER inline void fork_wrapped(Outlined function, void* data, unsigned threads, long start,
                                            long end, long increment, Chunk... chunk, unsigned flags) {
  entry.fork(function, data, threads, start, end, increment, chunk..., flags, WSTREE_CALLER);
}
/// All of an exported function.
template <auto& entry, class... Chunk>
[[gnu::always_inline]] inline void enter(Outlined function, void* data, unsigned threads, long start,
                                         long end, long increment, Chunk... chunk, unsigned flags) {
  if (!active())
    return fork_plain<entry, Chunk...>(function, data, threads, start, end, increment, chunk..., flags);
  fork_wrapped<entry, Chunk...>(function, data, threads, start, end, increment, chunk..., flags);
}

} // namespace

extern "C" {

WSTREE_EXPORT void GOMP_parallel(Outlined function, void* data, unsigned threads, unsigned flags) {
  const void* caller = WSTREE_CALLER;
  const auto real = g_parallel.require(caller);
  if (!active()) return real(function, data, threads, flags);
  Region region{nullptr, function, data, caller};
  if (session().attends_regions()) [[unlikely]]
    return fork_attended(region, threads, flags);
  fork_region(region, [&](Outlined wrapper, void* shared) { real(wrapper, shared, threads, flags); });
}

/// With reductions over tasks. Returns the number of threads, over which the caller then reduces.
WSTREE_EXPORT unsigned GOMP_parallel_reductions(Outlined function, void* data, unsigned threads,
                                                unsigned flags) {
  const void* caller = WSTREE_CALLER;
  const auto real = g_parallel_reductions.require(caller);
  if (!active()) return real(function, data, threads, flags);
  threads = ruled_threads(threads, ruling_of(caller, nullptr, t_label));
  Region region{*static_cast<void**>(data), function, data, caller};
  return fork_region(region,
                     [&](Outlined wrapper, void* shared) { return real(wrapper, shared, threads, flags); });
}

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
}
