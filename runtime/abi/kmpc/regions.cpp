// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel regions of LLVM's libomp: who is in a team with whom.
//
// The fork entry is replaced by a fork of wrap_member(), which runs the program's outlined function between
// setting up and taking down the member's frame. No callback slot of the runtime is used up for that, the
// frame is exactly as old as the region, and nesting, tasks and several root threads follow from the stack of
// frames.
#include "export.h"
#include "frame.h"
#include "kmpc/types.h"
#include "region_placement.h"
#include "resolve/runtime.h"

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <utility>

extern "C" {

void __kmpc_fork_call(ident_t*, std::int32_t, kmpc_micro, ...); // fork_<architecture>.S
WSTREE_EXPORT void __kmpc_serialized_parallel(ident_t*, std::int32_t);
WSTREE_EXPORT void __kmpc_end_serialized_parallel(ident_t*, std::int32_t);

/// fork_<architecture>.S: calls micro(gtid, tid, args[0], ..., args[count - 1]). `args` has room for at least
/// k_register_args entries.
void wstree_invoke_microtask(kmpc_micro micro, std::int32_t* gtid, std::int32_t* tid, std::int32_t count,
                             void** args);

/// Where __kmpc_fork_call (fork_<architecture>.S) goes while we are not asked for: the binding of the
/// object that called it first. Other objects take the way through wstree_fork_call.
__attribute__((visibility("hidden"))) const wstree::abi::Binding* wstree_plain_fork_call = nullptr;
/// Read by __kmpc_fork_call; the same as active().
__attribute__((visibility("hidden"))) extern const void* const wstree_active_flag;
const void* const wstree_active_flag = &wstree::abi::g_active;
}

namespace {

using namespace wstree::abi;
using i32 = std::int32_t;

// What the assembler code knows of Binding.
static_assert(offsetof(Binding, begin) == 0 && offsetof(Binding, size) == 8 &&
              offsetof(Binding, address) == 16);

constexpr std::size_t k_register_args = 8; // no architecture passes more pointers in registers

using ForkCall = void (*)(ident_t*, i32, kmpc_micro, ...);
constinit Real<void()> g_fork_call{"__kmpc_fork_call"}; // variadic, see real_fork_call()
constinit Real<void(ident_t*, i32, kmpc_micro, i32, void*)> g_fork_call_if{"__kmpc_fork_call_if", true};
constinit Real<void(ident_t*, i32)> g_serialized{"__kmpc_serialized_parallel"};
constinit Real<void(ident_t*, i32)> g_end_serialized{"__kmpc_end_serialized_parallel"};

ForkCall real_fork_call(const void* caller) noexcept {
  const auto found = reinterpret_cast<ForkCall>(g_fork_call.require(caller));
  // release: pairs with the load in __kmpc_fork_call, which goes on to read the binding (it depends on the
  // pointer, and the architectures that we run on order that). Any object's binding is as good as another's.
  if (wstree_plain_fork_call == nullptr)
    __atomic_store_n(&wstree_plain_fork_call, g_fork_call.latest(), __ATOMIC_RELEASE);
  return found;
}

/// On the stack of the thread that forks; outlives the region.
struct Region {
  kmpc_micro micro;
  i32 count;
  void** args;
  const void* caller;
  const ServedRegion* served = nullptr; // nullptr: it goes to the runtime
};

/// A member of a region whose loops may be served.
class Served {
public:
  [[gnu::noinline]] Served(i32 tid, KeptTeam* team, const Terms& terms, std::uint64_t base) noexcept
      : member_(static_cast<std::uint32_t>(tid), runtime_threads(terms.caller), team, terms, base) {
    member_.frame().schedule = terms.schedule; // captured at the fork, as libomp does with its own schedules
  }
  [[gnu::noinline]] ~Served() = default;
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

private:
  ServedMember member_;
};

/// The same in regions that go to the runtime. Their frame says so: to libomp the region's schedule counts,
/// even if members ask for ours inside.
class Plain {
public:
  [[gnu::noinline]] explicit Plain(const void* caller) noexcept
      : frame_(runtime_place(caller), Frame::Kind::unserved) {
    frame_.in_parallel = t_frame != nullptr && t_frame->in_parallel;
    frame_.push();
  }
  ~Plain() { t_frame = frame_.outer; }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;

private:
  Frame frame_;
};

/// The outlined function of a region, in every member. What it has to know of the region comes in front of
/// the arguments, which the runtime brings to every thread anyway: whatever a member fetches from the memory
/// of the thread that forks delays it.
template <class... Args>
void wrap_served(i32* gtid, i32* tid, KeptTeam* team, std::uintptr_t base, kmpc_micro micro, Args... args) {
  const Served member(*tid, team, team->terms(), base);
  reinterpret_cast<void (*)(i32*, i32*, Args...)>(micro)(gtid, tid, args...);
}
template <class... Args>
void wrap_plain(i32* gtid, i32* tid, const void* caller, kmpc_micro micro, Args... args) {
  const Plain member(caller);
  reinterpret_cast<void (*)(i32*, i32*, Args...)>(micro)(gtid, tid, args...);
}
/// The same for any number of arguments, which stay where they are.
void wrap_many_served(i32* gtid, i32* tid, Region* region) {
  const ServedRegion& served = *region->served;
  const Served member(*tid, served.team(), served.terms(), served.base());
  wstree_invoke_microtask(region->micro, gtid, tid, region->count, region->args);
}
void wrap_many_plain(i32* gtid, i32* tid, Region* region) {
  const Plain member(region->caller);
  wstree_invoke_microtask(region->micro, gtid, tid, region->count, region->args);
}
kmpc_micro wrapper_of_many(const Region& region) noexcept {
  return reinterpret_cast<kmpc_micro>(region.served != nullptr ? &wrap_many_served : &wrap_many_plain);
}

constexpr std::size_t k_most_args = 8; // of a region whose arguments are passed on
struct Wrappers {
  kmpc_micro served, plain;
};
// A macro, because only addresses that stand here as they are need nobody to write them down at load time.
#define WSTREE_WRAPPERS(...)                                                                                 \
  {                                                                                                          \
    reinterpret_cast<kmpc_micro>(&wrap_served<__VA_ARGS__>),                                                 \
        reinterpret_cast<kmpc_micro>(&wrap_plain<__VA_ARGS__>)                                               \
  }
using Arg = void*;
/// By the number of arguments.
const Wrappers k_wrappers[k_most_args + 1] = {WSTREE_WRAPPERS(),
                                              WSTREE_WRAPPERS(Arg),
                                              WSTREE_WRAPPERS(Arg, Arg),
                                              WSTREE_WRAPPERS(Arg, Arg, Arg),
                                              WSTREE_WRAPPERS(Arg, Arg, Arg, Arg),
                                              WSTREE_WRAPPERS(Arg, Arg, Arg, Arg, Arg),
                                              WSTREE_WRAPPERS(Arg, Arg, Arg, Arg, Arg, Arg),
                                              WSTREE_WRAPPERS(Arg, Arg, Arg, Arg, Arg, Arg, Arg),
                                              WSTREE_WRAPPERS(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg)};
#undef WSTREE_WRAPPERS

/// __kmpc_fork_call_if for the runtimes before 16, which do not have it; programs that were built for a later
/// one run on them with this.
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

/// Whether loops of a region that the calling task opens may be served.
inline bool may_serve(const TaskSchedule& schedule) noexcept {
  return active() && (schedule.ours || session().options.loops.any_named());
}

/// Forks through `fork(region)`.
template <class Fork> void fork_region(Region& region, const TaskSchedule& schedule, Fork&& fork) {
  if (!may_serve(schedule)) return fork(region);
  const ServedRegion served(region.caller, schedule);
  region.served = &served;
  fork(region);
}

} // namespace

extern "C" {

/// __kmpc_fork_call once we are asked for, and at the very first call.
__attribute__((visibility("hidden"))) void wstree_fork_call(ident_t* loc, i32 argc, kmpc_micro micro, ...) {
  const void* caller = WSTREE_CALLER;
  const ForkCall real = real_fork_call(caller);
  const i32 count = std::max(argc, 0);
  const bool fits = count <= static_cast<i32>(k_most_args);
  void* few[k_most_args];
  void** const args =
      fits ? few : static_cast<void**>(__builtin_alloca(sizeof(void*) * static_cast<std::size_t>(count)));
  va_list list;
  va_start(list, micro);
  for (i32 i = 0; i < count; ++i) args[i] = va_arg(list, void*);
  va_end(list);
  const TaskSchedule schedule = active() ? task_schedule(caller) : TaskSchedule{};
  if (!may_serve(schedule)) {
    // Of the arguments the runtime takes as many as it is told.
    if (fits)
      return real(loc, 2 + count, k_wrappers[count].plain, caller, micro, few[0], few[1], few[2], few[3],
                  few[4], few[5], few[6], few[7]);
    Region region{micro, count, args, caller};
    return real(loc, 1, wrapper_of_many(region), &region);
  }
  const ServedRegion served(caller, schedule);
  if (served.team() != nullptr && fits) [[likely]] {
    real(loc, 3 + count, k_wrappers[count].served, served.team(), served.base(), micro, few[0], few[1],
         few[2], few[3], few[4], few[5], few[6], few[7]);
  } else {
    Region region{micro, count, args, caller, &served};
    real(loc, 1, wrapper_of_many(region), &region);
  }
}

/// The runtime forks this one without passing through __kmpc_fork_call again. `args` may be null.
WSTREE_EXPORT void __kmpc_fork_call_if(ident_t* loc, i32 argc, kmpc_micro micro, i32 condition, void* args) {
  const auto real = g_fork_call_if.find(WSTREE_CALLER);
  if (real == nullptr) return fork_call_if(loc, micro, condition, args, WSTREE_CALLER);
  if (!active()) return real(loc, argc, micro, condition, args);
  const TaskSchedule schedule = task_schedule(WSTREE_CALLER);
  void* list[k_register_args] = {args};
  Region region{micro, args != nullptr ? 1 : 0, list, WSTREE_CALLER};
  fork_region(region, schedule,
              [&](Region& shared) { real(loc, 1, wrapper_of_many(shared), condition, &shared); });
}

/// A region of one thread: the compiled code calls its outlined function itself, between these two. libomp
/// calls them too, around the function that it was told to fork, if it forks no other thread; that function
/// sees to its frame.
WSTREE_EXPORT void __kmpc_serialized_parallel(ident_t* loc, i32 gtid) {
  const void* caller = WSTREE_CALLER;
  g_serialized.require(caller)(loc, gtid);
  if (active() && !g_serialized.is_providers_own(caller)) push_alone(runtime_place(caller));
}

WSTREE_EXPORT void __kmpc_end_serialized_parallel(ident_t* loc, i32 gtid) {
  const void* caller = WSTREE_CALLER;
  const auto real = g_end_serialized.require(caller);
  if (t_frame != nullptr && !g_end_serialized.is_providers_own(caller)) pop_alone();
  real(loc, gtid);
}
}
