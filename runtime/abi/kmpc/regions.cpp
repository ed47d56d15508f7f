// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel regions of LLVM's libomp: which threads form a team.
//
// Our fork entry has the runtime fork a wrapper. In each member the wrapper puts up a frame, runs the
// program's outlined function, and takes the frame down. The frame lives exactly as long as the region, and
// the stack of frames covers nesting, tasks and several root threads.
#include "export.h"
#include "frame.h"
#include "kmpc/ruled_threads.h"
#include "kmpc/types.h"
#include "kmpc/wrappers.h"
#include "ompt/tool.h"
#include "region_placement.h"
#include "resolve/runtime.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <utility>

extern "C" {

void __kmpc_fork_call(ident_t*, std::int32_t, kmpc_micro, ...); // fork_<architecture>.S
WSTREE_EXPORT void __kmpc_serialized_parallel(ident_t*, std::int32_t);
WSTREE_EXPORT void __kmpc_end_serialized_parallel(ident_t*, std::int32_t);
}

namespace wstree::abi::kmpc {

/// Variadic, see real_fork_call().
constinit Real<void()> g_fork_call{"__kmpc_fork_call"};

} // namespace wstree::abi::kmpc

namespace {
using namespace wstree::abi;
using namespace wstree::abi::kmpc;
using i32 = std::int32_t;

using ForkCall = void (*)(ident_t*, i32, kmpc_micro, ...);
constinit Real<void(ident_t*, i32, kmpc_micro, i32, void*)> g_fork_call_if{"__kmpc_fork_call_if", true};

ForkCall real_fork_call(const void* caller) noexcept {
  return reinterpret_cast<ForkCall>(g_fork_call.require(caller));
}

/// Does the work of __kmpc_fork_call_if, which runtimes before 16 do not have: programs that were built for a
/// later runtime run on them.
void fork_call_if(ident_t* loc, kmpc_micro micro, i32 condition, void* args, const void* caller) noexcept {
  static constinit Real<i32(ident_t*)> thread_number{"__kmpc_global_thread_num"};
  const i32 count = args != nullptr ? 1 : 0;
  if (condition != 0) return __kmpc_fork_call(loc, count, micro, args);
  i32 gtid = thread_number.require(caller)(loc);
  i32 tid = 0;
  void* list[k_register_args] = {args};
  __kmpc_serialized_parallel(loc, gtid);
  wstree_invoke_microtask(micro, &gtid, &tid, count, list);
  __kmpc_end_serialized_parallel(loc, gtid);
}

/// Returns whether we may serve loops of a region that the calling task opens. If not, a label is for none
/// of them.
inline bool may_serve(const TaskSchedule& schedule) noexcept {
  const bool may = active() && (schedule.ours || session().serves_named || has_hint());
  if (!may) t_label = nullptr;
  return may;
}

/// Returns the function that a region executes, if it may be called again; else nullptr.
inline RepeatableFunction* repeatable(kmpc_micro micro, const void* caller) noexcept {
  return session().repeats ? find_repeatable(reinterpret_cast<const void*>(micro), caller) : nullptr;
}
/// Returns the code with which the work of the region's members begins, if we may cut static loops there from
/// region to region.
inline const void* cut_code(kmpc_micro micro, const RepeatableFunction* again) noexcept {
  return again == nullptr ? reinterpret_cast<const void*>(micro) : nullptr;
}

/// The way of regions in a process with rules or with a tool, and of those with very many arguments: forks
/// through `fork(wrapper, region)`.
template <class Fork>
[[gnu::noinline]] void fork_attended(ident_t* loc, Region region, const TaskSchedule& schedule,
                                     Fork&& fork) noexcept {
  if (session().rules != nullptr) ask_for_threads(loc, region.caller);
  const ompt::OpenCall call(region.caller);
  if (!may_serve(schedule)) return fork(wrapper_of_many(region), &region);
  RepeatableFunction* const again = repeatable(region.micro, region.caller);
  MaybeRepeated repeated;
  if (again != nullptr) repeated.choose(*again, region.caller, kmpc::source_of(loc), nullptr);
  region.repeated = repeated.region();
  const ServedRegion served(region.caller, Interface::kmpc, schedule, cut_code(region.micro, again),
                            kmpc::source_of(loc));
  region.served = &served;
  fork(wrapper_of_many(region), &region);
}

/// Forks with a list of arguments that has room for k_listed_args. The runtime takes as many arguments as we
/// tell it.
template <std::size_t... I>
void fork_listed(ForkCall real, ident_t* loc, std::size_t count, kmpc_micro micro, void* const* args,
                 const ServedRegion& served, std::index_sequence<I...>) {
  real(loc, static_cast<i32>(4 + count), reinterpret_cast<kmpc_micro>(&wrap_listed_served), served.team(),
       served.base(), micro, count, args[I]...);
}

/// `rest`: the arguments behind the first ones.
[[gnu::noinline]] void fork_any(ident_t* loc, i32 argc, kmpc_micro micro, const TaskSchedule& schedule,
                                const void* caller, const std::array<Arg, k_most_args>& first,
                                va_list rest) noexcept {
  const auto count = static_cast<std::size_t>(std::max(argc, 0));
  void** const args = static_cast<void**>(__builtin_alloca(sizeof(void*) * std::max(count, k_listed_args)));
  std::copy(first.begin(), first.end(), args);
  for (std::size_t i = k_most_args; i < count; ++i) args[i] = va_arg(rest, void*);
  const ForkCall real = real_fork_call(caller);
  if (count <= k_listed_args && !session().attends_regions() && may_serve(schedule)) [[likely]] {
    RepeatableFunction* const again = repeatable(micro, caller);
    MaybeRepeated repeated;
    if (again != nullptr) repeated.choose(*again, caller, kmpc::source_of(loc), nullptr);
    const ServedRegion served(caller, Interface::kmpc, schedule, cut_code(micro, again),
                              kmpc::source_of(loc));
    if (repeated.region() == nullptr && served.team() != nullptr)
      return fork_listed(real, loc, count, micro, args, served, std::make_index_sequence<k_listed_args>());
    Region region{micro, argc, args, caller, &served, repeated.region()};
    return real(loc, 1, wrapper_of_many(region), &region);
  }
  fork_attended(loc, {micro, argc, args, caller}, schedule,
                [=](kmpc_micro wrapper, Region* region) { real(loc, 1, wrapper, region); });
}

} // namespace

extern "C" {
/// Returns the function to which __kmpc_fork_call jumps while no schedule of ours is asked for.
__attribute__((visibility("hidden"))) ForkCall wstree_bind_fork_call(const void* outlined,
                                                                     const void* caller) {
  return reinterpret_cast<ForkCall>(g_fork_call.require_when_idle(outlined, caller));
}

/// __kmpc_fork_call goes here once the library is asked for. The first arguments have names, because a list
/// costs more; arguments that the program has not passed have any value.
__attribute__((visibility("hidden"))) void wstree_fork_call(ident_t* loc, i32 argc, kmpc_micro micro, Arg a0,
                                                            Arg a1, Arg a2, Arg a3, Arg a4, Arg a5, Arg a6,
                                                            Arg a7, ...) {
  const void* caller = code_about(reinterpret_cast<const void*>(micro), WSTREE_CALLER);
  const ForkCall real = real_fork_call(caller);
  const auto count = static_cast<std::uint32_t>(argc);
  // A team that the runtime opens for itself, of threads that wait for deferred target tasks until the
  // process ends. It passes no arguments.
  if (caller_is_runtime(caller) && count <= k_most_args) [[unlikely]]
    return real(loc, argc, micro, a0, a1, a2, a3, a4, a5, a6, a7);
  const TaskSchedule schedule = task_schedule(caller);
  if (count > k_most_args || session().attends_regions()) [[unlikely]] {
    va_list rest;
    va_start(rest, a7);
    fork_any(loc, argc, micro, schedule, caller, {a0, a1, a2, a3, a4, a5, a6, a7}, rest);
    va_end(rest);
    return;
  }
  // The runtime takes as many of the arguments as we tell it.
  if (!may_serve(schedule))
    return real(loc, 2 + argc, k_wrappers[count].plain, caller, micro, a0, a1, a2, a3, a4, a5, a6, a7);
  RepeatableFunction* const again = repeatable(micro, caller);
  MaybeRepeated repeated;
  if (again != nullptr) repeated.choose(*again, caller, kmpc::source_of(loc), nullptr);
  if (repeated.is_timed()) return real(loc, argc, micro, a0, a1, a2, a3, a4, a5, a6, a7);
  const ServedRegion served(caller, Interface::kmpc, schedule, cut_code(micro, again), kmpc::source_of(loc));
  if (served.team() == nullptr || repeated.region() != nullptr) [[unlikely]] {
    void* args[] = {a0, a1, a2, a3, a4, a5, a6, a7};
    Region region{micro, argc, args, caller, &served, repeated.region()};
    return real(loc, 1, wrapper_of_many(region), &region);
  }
  real(loc, 3 + argc, k_wrappers[count].served, served.team(), served.base(), micro, a0, a1, a2, a3, a4, a5,
       a6, a7);
}

/// The runtime forks this one without passing through __kmpc_fork_call again. `args` may be null.
WSTREE_EXPORT void __kmpc_fork_call_if(ident_t* loc, i32 argc, kmpc_micro micro, i32 condition, void* args) {
  const void* caller = code_about(reinterpret_cast<const void*>(micro), WSTREE_CALLER);
  const auto real = g_fork_call_if.find(caller);
  if (real == nullptr) return fork_call_if(loc, micro, condition, args, caller);
  if (!active()) return real(loc, argc, micro, condition, args);
  const TaskSchedule schedule = task_schedule(caller);
  void* list[k_register_args] = {args};
  Region region{micro, args != nullptr ? 1 : 0, list, caller};
  if (session().attends_regions() || repeatable(micro, region.caller) != nullptr) [[unlikely]]
    return fork_attended(loc, region, schedule, [=](kmpc_micro wrapper, Region* wrapped) {
      real(loc, 1, wrapper, condition, wrapped);
    });
  if (!may_serve(schedule)) return real(loc, 1, wrapper_of_many(region), condition, &region);
  const ServedRegion served(region.caller, Interface::kmpc, schedule, reinterpret_cast<const void*>(micro),
                            kmpc::source_of(loc));
  region.served = &served;
  real(loc, 1, wrapper_of_many(region), condition, &region);
}
}
