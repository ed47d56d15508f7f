// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops of the kmpc interface.
#pragma once

#include "balanced_regions.h"
#include "canonical_loop.h"
#include "kmpc/types.h"
#include "loop_entry.h"
#include "ompt/tool.h"
#include "resolve/runtime.h"

#include <cstdint>
#include <type_traits>

namespace wstree::abi {

/// Returns the form of loops for a `schedule` argument. Kinds that we never serve count as auto loops
/// without steals.
LoopForm read_other_schedule(std::int32_t schedule) noexcept;
inline LoopForm read_schedule(std::int32_t schedule) noexcept {
  if (schedule == (kmpc::k_runtime | kmpc::k_nonmonotonic)) [[likely]] // the compilers' schedule(runtime)
    return {config::LoopKind::runtime, true};
  return read_other_schedule(schedule);
}

/// A schedule as the runtime takes it.
struct RuntimeSchedule {
  std::int32_t kind;
  std::int32_t chunk;
};
/// Returns the schedule in place of `schedule` for a loop whose schedule the program left to the environment.
/// The environment asks for one of ours, but we must not serve the loop.
RuntimeSchedule fallback_for(std::int32_t schedule, config::Fallback fallback) noexcept;

/// The share of iterations 0..n-1 that `teams distribute` gives to the calling thread's team.
struct DistributeShare {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool has_last = false;
};
/// Returns false if the runtime has no answer which team this is.
bool distribute_share(std::uint64_t iterations, DistributeShare& share, const void* caller) noexcept;

/// The entry points for loops whose variable has type T.
///
/// An entry hands a call over to the runtime by a jump, as the last thing that it does, so that the runtime
/// finds the program's return address and tells it to tools. All of this is therefore inlined into the
/// exported functions, which have the runtime's own signatures.
template <class T> class LoopEntries {
public:
  using S = std::make_signed_t<T>;
  using i32 = std::int32_t;

  constexpr LoopEntries(const char* init, const char* next, const char* fini, const char* dist_init) noexcept
      : init_(init), next_(next), fini_(fini), dist_init_(dist_init) {}

  // For hand_over(): of the loop's beginning.
  auto require_when_idle(const void* code, const void* caller) noexcept {
    return init_.require_when_idle(code, caller);
  }
  [[gnu::always_inline]] void init(ident_t* loc, i32 gtid, i32 schedule, T lower, T upper, S stride, S chunk,
                                   const void* caller) noexcept {
    const loop::CanonicalLoop<T> loop(lower, upper, stride);
    const Server server =
        serve(schedule, chunk, loop.countable(), loop.iterations(), lower, stride, loc, caller);
    if (server == Server::ours) [[likely]]
      return;
    if (server == Server::fallback) {
      const RuntimeSchedule instead = fallback_for(schedule, fallback_of(loop.countable()));
      schedule = instead.kind;
      chunk = instead.chunk;
    }
    if (t_frame != nullptr && t_frame->statics.region() != nullptr && may_be_equal(schedule)) [[unlikely]]
      keep_equal_parts(*t_frame, loop.iterations(), caller);
    init_.require(caller)(loc, gtid, schedule, lower, upper, stride, chunk);
  }

  /// Returns whether the next chunk is one of a served loop, by `frame` and by the program's arguments.
  static bool is_served(const Frame* frame, const i32* last) noexcept {
    return frame != nullptr && last != nullptr && frame->loop.is_served();
  }
  /// Hands out the next chunk if it is.
  [[gnu::always_inline]] static i32 next(Frame& frame, i32* last, T* lower, T* upper, S* stride) noexcept {
    core::Range range;
    if (!frame.member.next_quickly(range)) return next_slowly(frame, last, lower, upper, stride);
    tell(frame, range, last, lower, upper, stride);
    return 1;
  }
  /// Hands out the next chunk if it is not. Most of these calls are about loops of the runtime.
  [[gnu::always_inline]] i32 next_elsewhere(ident_t* loc, i32 gtid, i32* last, T* lower, T* upper, S* stride,
                                            const void* caller) noexcept {
    Next* const real = runtimes_next(last != nullptr, caller);
    if (real == nullptr) [[unlikely]]
      return next_told(*t_frame, last, lower, upper, stride, caller);
    return real(loc, gtid, last, lower, upper, stride);
  }

  /// The program calls this after each iteration of an ordered loop, and those are never ours.
  [[gnu::always_inline]] void fini(ident_t* loc, i32 gtid, const void* caller) noexcept {
    fini_.require(caller)(loc, gtid);
  }

  [[gnu::always_inline]] void dist_init(ident_t* loc, i32 gtid, i32 schedule, i32* last, T lower, T upper,
                                        S stride, S chunk, const void* caller) noexcept {
    if (active()) {
      const Server server = serve_share(schedule, last, lower, upper, stride, chunk, loc, caller);
      if (server == Server::ours) return;
      if (server == Server::fallback) {
        // serve_share() leaves loops that cannot be counted to the runtime.
        const RuntimeSchedule instead = fallback_for(schedule, fallback_of(true));
        schedule = instead.kind;
        chunk = instead.chunk;
      }
    }
    dist_init_.require(caller)(loc, gtid, schedule, last, lower, upper, stride, chunk);
  }

private:
  /// Returns whether the runtime may cut such a loop into equal parts: it may for static loops that are
  /// ordered, and for loops of the environment's schedule.
  static bool may_be_equal(i32 schedule) noexcept {
    const i32 kind = kmpc::kind_of(schedule);
    const i32 plain = kind - kmpc::k_ordered_distance;
    return kind == kmpc::k_static || kind == kmpc::k_runtime || plain == kmpc::k_static ||
           plain == kmpc::k_runtime;
  }
  /// `range`, if the member `got` it; otherwise it leaves the loop.
  [[gnu::always_inline]] static i32 hand_out_if(bool got, Frame& frame, const core::Range& range, i32* last,
                                                T* lower, T* upper, S* stride) noexcept {
    if (got)
      tell(frame, range, last, lower, upper, stride);
    else
      leave_loop(frame);
    return got ? 1 : 0;
  }
  [[gnu::noinline]] static i32 next_shared(Frame& frame, i32* last, T* lower, T* upper, S* stride) noexcept {
    core::Range range;
    const bool got = frame.member.next_slowly(range);
    return hand_out_if(got, frame, range, last, lower, upper, stride);
  }
  [[gnu::noinline]] static i32 next_slowly(Frame& frame, i32* last, T* lower, T* upper, S* stride) noexcept {
    if (!frame.member.has_piece()) [[unlikely]]
      return next_shared(frame, last, lower, upper, stride);
    core::Range range;
    const bool got = frame.member.next_piece(range);
    return hand_out_if(got, frame, range, last, lower, upper, stride);
  }

  [[gnu::noinline]] static i32 next_told(Frame& frame, i32* last, T* lower, T* upper, S* stride,
                                         const void* caller) noexcept {
    if (frame.loop.is_told()) ompt::before_request(frame, caller);
    const i32 more = next_slowly(frame, last, lower, upper, stride);
    if (more != 0) ompt::tell_chunk(frame, widen(*lower), widen(*upper), widen(*stride));
    return more;
  }

  using Next = i32(ident_t*, i32, i32*, T*, T*, S*);

  /// Returns the runtime's function; nullptr: the calling thread asks about its served loop.
  [[gnu::noinline]] Next* runtimes_next(bool wants_last, const void* caller) noexcept {
    Frame* frame = t_frame;
    // libomp's own layer for GCC's programs asks without `last` about loops that it began itself.
    if (frame != nullptr && wants_last && asks_about_served_loop(*frame, caller)) [[unlikely]]
      return nullptr;
    return next_.require(caller);
  }

  /// Writes the bounds of `range` for the program. Modulo 2^64 and cut to the width of T this is exact for
  /// every bound, sign and stride.
  [[gnu::always_inline]] static void tell(const Frame& frame, const core::Range& range, i32* last, T* lower,
                                          T* upper, S* stride) noexcept {
    const Bounds& bounds = frame.bounds;
    *lower = static_cast<T>(bounds.lower + range.begin * bounds.stride);
    *upper = static_cast<T>(range.last ? bounds.end : bounds.lower + range.end * bounds.stride - bounds.step);
    *stride = static_cast<S>(bounds.step);
    *last = range.last ? 1 : 0;
  }

  /// Serves the team's part of the loop.
  [[gnu::noinline]] static Server serve_share(i32 schedule, i32* last, T lower, T upper, S stride, S chunk,
                                              const ident_t* loc, const void* caller) noexcept {
    const loop::CanonicalLoop<T> all(lower, upper, stride);
    DistributeShare share;
    if (!all.countable() || !distribute_share(all.iterations(), share, caller)) return Server::runtime;
    const T first = static_cast<T>(widen(lower) + share.first * widen(stride));
    const Server server = serve(schedule, chunk, true, share.count, first, stride, loc, caller);
    if (server == Server::ours && last != nullptr) *last = share.has_last ? 1 : 0;
    return server;
  }

  [[gnu::always_inline]] static Server serve(i32 schedule, S chunk, bool countable, std::uint64_t iterations,
                                             T lower, S stride, const ident_t* loc,
                                             const void* caller) noexcept {
    LoopForm form = read_schedule(schedule);
    form.stealable = form.stealable && countable;
    const char* const source = loc != nullptr ? loc->psource : nullptr;
    const Units units = units_of(form, iterations, chunk > 0 ? widen(chunk) : 1);
    const Server server = enter_loop(form, units.count, iterations, source, caller);
    const auto bound = [&](std::uint64_t unit) {
      const std::uint64_t last = widen(lower) + (iterations - 1) * widen(stride);
      set_bounds(*t_frame, widen(lower), last, widen(stride), iterations, unit);
      return Server::ours;
    };
    if (server == Server::ours) [[likely]]
      return bound(units.size);
    return server == Server::ours_cut ? bound(1) : server;
  }

  template <class U> static std::uint64_t widen(U value) noexcept {
    return static_cast<std::uint64_t>(
        static_cast<std::conditional_t<std::is_signed_v<U>, std::int64_t, U>>(value));
  }

  Real<void(ident_t*, i32, i32, T, T, S, S)> init_;
  Real<Next> next_;
  Real<void(ident_t*, i32)> fini_;
  Real<void(ident_t*, i32, i32, i32*, T, T, S, S)> dist_init_;
};

} // namespace wstree::abi
