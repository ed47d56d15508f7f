// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wrapper that a member of a region runs instead of the program's outlined function: it puts up a frame,
// calls that function, and takes the frame down.
#pragma once

#include "frame.h"
#include "kmpc/pieces.h"
#include "kmpc/types.h"
#include "member_frame.h"
#include "region_placement.h"

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <new>

extern "C" {
/// fork_<architecture>.S: calls micro(gtid, tid, args[0], ..., args[count - 1]). `args` has room for at least
/// k_register_args entries.
void wstree_invoke_microtask(kmpc_micro micro, std::int32_t* gtid, std::int32_t* tid, std::int32_t count,
                             void** args);
}

namespace wstree::abi::kmpc {

inline constexpr std::size_t k_register_args = 8; // registers hold no more pointers on any architecture

/// On the stack of the thread that forks, and outlives the region.
struct Region {
  kmpc_micro micro;
  std::int32_t count;
  void** args;
  const void* caller;
  const ServedRegion* served = nullptr; // nullptr: the runtime serves its loops
  RepeatedRegion* repeated = nullptr;   // its function is called for each piece of its loop
};

// Kept out of the many functions that call them.

/// A member of a region whose loops we may serve.
struct Served {
  [[gnu::noinline]] static Frame* enter_lent(std::int32_t tid, KeptTeam* team, const Terms* terms,
                                             std::uint64_t base) noexcept {
    return ServedMember::enter_lent(static_cast<std::uint32_t>(tid), runtime_threads(terms->caller), team,
                                    terms, base);
  }
  [[gnu::noinline]] static void leave_lent(Frame* frame) noexcept { ServedMember::leave_lent(frame); }
  [[gnu::noinline]] static Frame* enter(void* memory, std::int32_t tid, KeptTeam* team, const Terms* terms,
                                        std::uint64_t base) noexcept {
    return ServedMember::enter(memory, static_cast<std::uint32_t>(tid), runtime_threads(terms->caller), team,
                               terms, base);
  }
  [[gnu::noinline]] static void leave(Frame& frame) noexcept { ServedMember::leave(frame); }
};

/// A member of a region whose loops the runtime serves. The frame records that: in libomp the region's
/// schedule counts, even if members ask for ours inside.
struct Plain : Lent<Plain> {
  [[gnu::noinline]] static Frame* enter(void* memory, const void* caller) noexcept {
    auto& frame = *::new (memory) Frame(runtime_place(caller), Frame::Kind::unserved);
    frame.in_parallel = t_frame != nullptr && t_frame->in_parallel;
    frame.push();
    return &frame;
  }
  static void leave(Frame& frame) noexcept { t_frame = frame.outer; }
};

/// Every member runs this instead of the outlined function. Its data about the region come in front of the
/// arguments: the runtime brings the arguments to every thread anyway, while fetching from the memory of the
/// thread that forks would delay the member.
template <class... Args>
void wrap_served(std::int32_t* gtid, std::int32_t* tid, KeptTeam* team, std::uintptr_t base, kmpc_micro micro,
                 Args... args) {
  run_as<Served>(
      [=](Frame&) {
        reinterpret_cast<void (*)(std::int32_t*, std::int32_t*, Args...)>(micro)(gtid, tid, args...);
      },
      *tid, team, &team->terms(), base);
}
template <class... Args>
void wrap_plain(std::int32_t* gtid, std::int32_t* tid, const void* caller, kmpc_micro micro, Args... args) {
  run_as<Plain>(
      [=](Frame&) {
        reinterpret_cast<void (*)(std::int32_t*, std::int32_t*, Args...)>(micro)(gtid, tid, args...);
      },
      caller);
}
inline constexpr std::size_t k_listed_args = 32; // wrap_listed_served() passes on at most these

/// Wraps functions with more arguments. The runtime calls it like an outlined function of 4 + `count`
/// pointers. That call does not differ from one of a function with a variable argument list, because all
/// arguments are pointers.
inline void wrap_listed_served(std::int32_t* gtid, std::int32_t* tid, KeptTeam* team, std::uintptr_t base,
                               kmpc_micro micro, std::uintptr_t count, ...) {
  void* list[k_listed_args];
  void** const args = list;
  va_list rest;
  va_start(rest, count);
  for (std::size_t i = 0; i < count; ++i) args[i] = va_arg(rest, void*);
  va_end(rest);
  run_as<Served>(
      [=](Frame&) { wstree_invoke_microtask(micro, gtid, tid, static_cast<std::int32_t>(count), args); },
      *tid, team, &team->terms(), base);
}
/// Wraps functions with any number of arguments, which stay where they are: in the memory of the thread
/// that forks.
inline void wrap_many_served(std::int32_t* gtid, std::int32_t* tid, Region* region) {
  const ServedRegion& served = *region->served;
  run_as<Served>(
      [=](Frame&) { wstree_invoke_microtask(region->micro, gtid, tid, region->count, region->args); }, *tid,
      served.team(), &served.terms(), served.base());
}
/// As above, for a region whose function members call for each piece of its loop.
inline void wrap_repeated(std::int32_t* gtid, std::int32_t* tid, Region* region) {
  const ServedRegion& served = *region->served;
  run_as<Served>(
      [=](Frame& frame) {
        const auto call = [=] {
          wstree_invoke_microtask(region->micro, gtid, tid, region->count, region->args);
        };
        if (frame.member.members() == 1 || !frame.may_serve()) return call();
        MemberPieces(frame, *region->repeated).execute(call);
      },
      *tid, served.team(), &served.terms(), served.base());
}
inline void wrap_many_plain(std::int32_t* gtid, std::int32_t* tid, Region* region) {
  run_as<Plain>(
      [=](Frame&) { wstree_invoke_microtask(region->micro, gtid, tid, region->count, region->args); },
      region->caller);
}
inline kmpc_micro wrapper_of_many(const Region& region) noexcept {
  if (region.served == nullptr) return reinterpret_cast<kmpc_micro>(&wrap_many_plain);
  return reinterpret_cast<kmpc_micro>(region.repeated != nullptr ? &wrap_repeated : &wrap_many_served);
}

inline constexpr std::size_t k_most_args = 8; // the wrappers pass on at most these
struct Wrappers {
  kmpc_micro served, plain;
};
// A macro, because the compiler fills in only addresses that are written out; others wait for a constructor.
#define WSTREE_WRAPPERS(...)                                                                                 \
  {                                                                                                          \
    reinterpret_cast<kmpc_micro>(&wrap_served<__VA_ARGS__>),                                                 \
        reinterpret_cast<kmpc_micro>(&wrap_plain<__VA_ARGS__>)                                               \
  }
using Arg = void*;
/// Wrappers for functions of 0, 1, 2, ... arguments.
inline const Wrappers k_wrappers[k_most_args + 1] = {WSTREE_WRAPPERS(),
                                                     WSTREE_WRAPPERS(Arg),
                                                     WSTREE_WRAPPERS(Arg, Arg),
                                                     WSTREE_WRAPPERS(Arg, Arg, Arg),
                                                     WSTREE_WRAPPERS(Arg, Arg, Arg, Arg),
                                                     WSTREE_WRAPPERS(Arg, Arg, Arg, Arg, Arg),
                                                     WSTREE_WRAPPERS(Arg, Arg, Arg, Arg, Arg, Arg),
                                                     WSTREE_WRAPPERS(Arg, Arg, Arg, Arg, Arg, Arg, Arg),
                                                     WSTREE_WRAPPERS(Arg, Arg, Arg, Arg, Arg, Arg, Arg, Arg)};
#undef WSTREE_WRAPPERS

} // namespace wstree::abi::kmpc
