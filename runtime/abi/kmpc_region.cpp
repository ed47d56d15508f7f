// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel regions of LLVM's libomp: who is in a team with whom.
//
// The fork entry is replaced by a fork of wrap_member(), which runs the program's outlined function between
// setting up and taking down the member's frame. No callback slot of the runtime is used up for that, the
// frame is exactly as old as the region, and nesting, tasks and several root threads follow from the stack of
// frames.
#include "export.h"
#include "frame.h"
#include "kmpc_types.h"
#include "next_symbol.h"
#include "region_placement.h"

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <utility>

extern "C" {

void __kmpc_fork_call(ident_t*, std::int32_t, kmpc_micro, ...); // kmpc_<architecture>.S
WSTREE_EXPORT void __kmpc_serialized_parallel(ident_t*, std::int32_t);
WSTREE_EXPORT void __kmpc_end_serialized_parallel(ident_t*, std::int32_t);

/// kmpc_<architecture>.S: calls micro(gtid, tid, args[0], ..., args[count - 1]). `args` has room for at least
/// k_register_args entries.
void wstree_invoke_microtask(kmpc_micro micro, std::int32_t* gtid, std::int32_t* tid, std::int32_t count,
                             void** args);

/// Where __kmpc_fork_call (kmpc_<architecture>.S) goes while we are not asked for: the binding of the
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

constexpr i32 k_register_args = 8; // no architecture passes more pointers in registers

using ForkCall = void (*)(ident_t*, i32, kmpc_micro, ...);
constinit Next<void()> g_fork_call{"__kmpc_fork_call"}; // variadic, see real_fork_call()
constinit Next<void(ident_t*, i32, kmpc_micro, i32, void*)> g_fork_call_if{"__kmpc_fork_call_if", true};
constinit Next<void(ident_t*, i32)> g_serialized{"__kmpc_serialized_parallel"};
constinit Next<void(ident_t*, i32)> g_end_serialized{"__kmpc_end_serialized_parallel"};

ForkCall real_fork_call(const void* caller) noexcept {
  const auto found = reinterpret_cast<ForkCall>(g_fork_call.require(caller));
  // release: pairs with the load in __kmpc_fork_call, which goes on to read the binding (it depends on the
  // pointer, and the architectures that we run on order that). Any object's binding is as good as another's.
  if (wstree_plain_fork_call == nullptr)
    __atomic_store_n(&wstree_plain_fork_call, g_fork_call.latest(), __ATOMIC_RELEASE);
  return found;
}

/// What a member has to know of its region. In the usual case it comes with the region's arguments, which the
/// runtime brings to every thread anyway, so that a member fetches nothing from the memory of the thread that
/// forks: each line of that takes as long as dispatching ten chunks.
struct Terms {
  kmpc_micro micro = nullptr;
  const void* caller = nullptr;
  Team* team = nullptr; // no memory: the runtime serves the loops
  Team::Opening opening;
  RegionPlacement::Summary placed;
  TaskSchedule schedule; // captured at the fork, as libomp does with its own schedules
};

/// On the stack of the thread that forks; outlives the region.
struct Region {
  Terms terms;
  i32 count;
  void** args;
  const RegionPlacement* placement = nullptr;
};

/// A member in a region whose loops may be served, and in one that goes to the runtime. The frame of the
/// latter says so: to libomp the region's schedule counts, even if members ask for ours inside.
class ServedMember {
public:
  [[gnu::noinline]] ServedMember(i32 tid, const Terms& terms, const Region& region) noexcept
      : members_(runtime_threads(terms.caller)),
        frame_(terms.team, terms.opening, static_cast<std::uint32_t>(tid),
               static_cast<std::uint32_t>(std::max(members_, 1)), runtime_place(terms.caller)) {
    frame_.serves = frame_.serves && members_ > 0;
    frame_.ours = terms.schedule.ours;
    frame_.model = terms.schedule.model;
    frame_.smallest = terms.schedule.chunk;
    frame_.outer = t_frame;
    RegionPlacement::enter(*region.placement, terms.placed, frame_);
    t_frame = &frame_;
  }
  [[gnu::noinline]] ~ServedMember() {
    if (frame_.member.in_loop()) leave_loop(frame_); // cancelled
    if (frame_.serves) frame_.member.depart();
    t_frame = frame_.outer;
  }
  ServedMember(const ServedMember&) = delete;
  ServedMember& operator=(const ServedMember&) = delete;

private:
  int members_;
  Frame frame_;
};
class PlainMember {
public:
  [[gnu::noinline]] PlainMember(i32, const Terms& terms, const Region&) noexcept
      : frame_(runtime_place(terms.caller)) {
    frame_.asks = frame_.alone = frame_.serves = false;
    frame_.parallel = t_frame != nullptr && t_frame->parallel;
    frame_.outer = t_frame;
    t_frame = &frame_;
  }
  ~PlainMember() { t_frame = frame_.outer; }
  PlainMember(const PlainMember&) = delete;
  PlainMember& operator=(const PlainMember&) = delete;

private:
  Frame frame_;
};

/// Terms as arguments of a region: words.
constexpr i32 k_words = 8;
using Word = std::uintptr_t;

Word pack(RegionPlacement::Summary placed, const TaskSchedule& schedule) noexcept {
  return static_cast<Word>(schedule.chunk) << 16 | static_cast<Word>(schedule.model) << 8 |
      static_cast<Word>(placed.placed) << 2 | static_cast<Word>(placed.nested) << 1 |
      static_cast<Word>(schedule.ours);
}
void unpack(Word packed, Terms& terms) noexcept {
  terms.schedule = {(packed & 1) != 0, static_cast<wstree::core::Model>(packed >> 8 & 0xFF), packed >> 16};
  terms.placed = {(packed & 4) != 0, (packed & 2) != 0};
}

/// The outlined function of a region with one argument of the program's for each of `Args`, in every member.
template <class As, class... Args>
void wrap_words(i32* gtid, i32* tid, Region* region, kmpc_micro micro, const void* caller, Team* team,
                Team::Store* storage, Word base, Word next, Word packed, Args... args) {
  Terms terms{micro, caller, team, {storage, base, next}, {}, {}};
  unpack(packed, terms);
  const As member(*tid, terms, *region);
  reinterpret_cast<void (*)(i32*, i32*, Args...)>(micro)(gtid, tid, args...);
}
/// The same for any number of arguments. All that is known of the region is in the forking thread's memory.
template <class As> void wrap_region(i32* gtid, i32* tid, Region* region) {
  const As member(*tid, region->terms, *region);
  wstree_invoke_microtask(region->terms.micro, gtid, tid, region->count, region->args);
}

constexpr std::size_t k_most_args = 8; // of a region whose terms go with them
template <class As, std::size_t> using Argument = void*;
template <class As, std::size_t... number>
kmpc_micro wrapper_of(std::index_sequence<number...>) noexcept {
  return reinterpret_cast<kmpc_micro>(&wrap_words<As, Argument<As, number>...>);
}
/// By the number of arguments.
template <class As>
const kmpc_micro wrappers[k_most_args + 1] = {
    wrapper_of<As>(std::make_index_sequence<0>()), wrapper_of<As>(std::make_index_sequence<1>()),
    wrapper_of<As>(std::make_index_sequence<2>()), wrapper_of<As>(std::make_index_sequence<3>()),
    wrapper_of<As>(std::make_index_sequence<4>()), wrapper_of<As>(std::make_index_sequence<5>()),
    wrapper_of<As>(std::make_index_sequence<6>()), wrapper_of<As>(std::make_index_sequence<7>()),
    wrapper_of<As>(std::make_index_sequence<8>())};

/// __kmpc_fork_call_if for the runtimes before 16, which do not have it; programs that were built for a later
/// one run on them with this.
void fork_call_if(ident_t* loc, kmpc_micro micro, i32 condition, void* args, const void* caller) noexcept {
  static constinit Next<i32(ident_t*)> thread_number{"__kmpc_global_thread_num"};
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
bool may_serve(const TaskSchedule& schedule) noexcept {
  return active() && (schedule.ours || session().options.loops.any_named());
}

/// Forks through `fork.operator()<As>(region)`.
template <class Fork> void fork_region(Region& region, Fork&& fork) {
  if (!may_serve(region.terms.schedule)) return fork.template operator()<PlainMember>(region);
  Team* const team = borrow_team();
  region.terms.team = team;
  if (team != nullptr) region.terms.opening = team->open();
  const RegionPlacement placement(region.terms.caller);
  region.placement = &placement;
  region.terms.placed = placement.summary();
  fork.template operator()<ServedMember>(region);
  if (team == nullptr) return;
  if (team->close()) note_served_region();
  give_back_team(team);
}

} // namespace

extern "C" {

/// __kmpc_fork_call once we are asked for, and at the very first call.
__attribute__((visibility("hidden"))) void wstree_fork_call(ident_t* loc, i32 argc, kmpc_micro micro, ...) {
  const void* caller = WSTREE_CALLER;
  const ForkCall real = real_fork_call(caller);
  const TaskSchedule schedule = active() ? task_schedule(caller) : TaskSchedule{};
  const i32 count = std::max(argc, 0);
  void** args = static_cast<void**>(
      __builtin_alloca(sizeof(void*) * static_cast<std::size_t>(std::max(count, k_register_args))));
  va_list list;
  va_start(list, micro);
  for (i32 i = 0; i < count; ++i) args[i] = va_arg(list, void*);
  va_end(list);
  Region region{{micro, caller, nullptr, {}, {}, schedule}, count, args};
  fork_region(region, [&]<class As>(Region& shared) {
    if (count > static_cast<i32>(k_most_args))
      return real(loc, 1, reinterpret_cast<kmpc_micro>(&wrap_region<As>), &shared);
    const Terms& terms = shared.terms;
    // Of the arguments the runtime takes as many as it is told.
    real(loc, k_words + count, wrappers<As>[count], &shared, micro, caller, terms.team, terms.opening.storage,
         terms.opening.base, terms.opening.next, pack(terms.placed, schedule), args[0], args[1], args[2],
         args[3], args[4], args[5], args[6], args[7]);
  });
}

/// The runtime forks this one without passing through __kmpc_fork_call again. `args` may be null.
WSTREE_EXPORT void __kmpc_fork_call_if(ident_t* loc, i32 argc, kmpc_micro micro, i32 condition, void* args) {
  const auto real = g_fork_call_if.find(WSTREE_CALLER);
  if (real == nullptr) return fork_call_if(loc, micro, condition, args, WSTREE_CALLER);
  if (!active()) return real(loc, argc, micro, condition, args);
  const TaskSchedule schedule = task_schedule(WSTREE_CALLER);
  void* list[k_register_args] = {args};
  Region region{{micro, WSTREE_CALLER, nullptr, {}, {}, schedule}, args != nullptr ? 1 : 0, list};
  fork_region(region, [&]<class As>(Region& shared) {
    real(loc, 1, reinterpret_cast<kmpc_micro>(&wrap_region<As>), condition, &shared);
  });
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
