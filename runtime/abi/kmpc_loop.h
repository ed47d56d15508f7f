// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who runs a loop of the kmpc interface: decided at its entry, for good.
#pragma once

#include "canonical_loop.h"
#include "frame.h"
#include "kmpc_types.h"
#include "next_symbol.h"

#include <cstdint>
#include <type_traits>

namespace wstree::abi {

/// Starts the loop in the calling thread's frame if the tree may serve it. Otherwise prepares the frame for a
/// loop that the runtime serves, replaces `schedule` and `chunk` by the fallback where the program left the
/// choice to the environment, and returns false.
bool try_to_serve(std::int32_t& schedule, std::int64_t& chunk, bool countable, std::uint64_t iterations,
                  std::uint64_t lower, std::uint64_t stride, const ident_t* loc, const void* caller) noexcept;

/// Whether the calling thread asks about its served loop although a foreign one was seen inside that.
bool is_back_in_served_loop(Frame& frame, const void* caller) noexcept;
inline bool asks_about_served_loop(Frame& frame, const void* caller) noexcept {
  if (frame.loop == Frame::Loop::served) [[likely]]
    return true;
  return frame.loop == Frame::Loop::foreign_inside && is_back_in_served_loop(frame, caller);
}

/// The share of iterations 0..n-1 that `teams distribute` gives to the calling thread's team.
struct DistributeShare {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool has_last = false;
};
/// False if the runtime cannot be asked which team this is.
bool distribute_share(std::uint64_t iterations, DistributeShare& share, const void* caller) noexcept;

/// The entry points for loops whose variable has type T.
template <class T> class LoopEntries {
public:
  using S = std::make_signed_t<T>;
  using i32 = std::int32_t;

  constexpr LoopEntries(const char* init, const char* next, const char* fini, const char* dist_init) noexcept
      : init_(init), next_(next), fini_(fini), dist_init_(dist_init) {}

  void init(ident_t* loc, i32 gtid, i32 schedule, T lower, T upper, S stride, S chunk,
            const void* caller) noexcept {
    if (active()) {
      const loop::CanonicalLoop<T> loop(lower, upper, stride);
      std::int64_t size = chunk;
      if (try_to_serve(schedule, size, loop.countable(), loop.iterations(), widen(lower), widen(stride), loc,
                       caller))
        return;
      chunk = static_cast<S>(size);
    }
    if (const auto forward = init_.find(caller)) forward(loc, gtid, schedule, lower, upper, stride, chunk);
  }

  i32 next(ident_t* loc, i32 gtid, i32* last, T* lower, T* upper, S* stride, const void* caller) noexcept {
    Frame* frame = t_frame;
    // libomp's own layer for GCC's programs asks without `last` about loops that it started inside the
    // runtime.
    if (frame == nullptr || last == nullptr || !asks_about_served_loop(*frame, caller)) [[unlikely]] {
      const auto forward = next_.find(caller);
      return forward != nullptr ? forward(loc, gtid, last, lower, upper, stride) : 0;
    }
    core::Range range;
    if (!frame->member.next(range)) {
      leave_loop(*frame);
      return 0;
    }
    // Modulo 2^64 and cut to the width of T this is exact for every bound, sign and stride.
    *lower = static_cast<T>(frame->lower + range.begin * frame->stride);
    *upper = static_cast<T>(frame->lower + (range.end - 1) * frame->stride);
    *stride = static_cast<S>(frame->stride);
    *last = range.last ? 1 : 0;
    return 1;
  }

  /// Called per iteration of ordered loops, which are never ours.
  void fini(ident_t* loc, i32 gtid, const void* caller) noexcept {
    if (const auto forward = fini_.find(caller)) forward(loc, gtid);
  }

  void dist_init(ident_t* loc, i32 gtid, i32 schedule, i32* last, T lower, T upper, S stride, S chunk,
                 const void* caller) noexcept {
    if (active()) {
      const loop::CanonicalLoop<T> all(lower, upper, stride);
      DistributeShare share;
      if (all.countable() && distribute_share(all.iterations(), share, caller)) {
        const T first = static_cast<T>(widen(lower) + share.first * widen(stride));
        std::int64_t size = chunk;
        if (try_to_serve(schedule, size, true, share.count, widen(first), widen(stride), loc, caller)) {
          if (last != nullptr) *last = share.has_last ? 1 : 0;
          return;
        }
        chunk = static_cast<S>(size);
      }
    }
    if (const auto forward = dist_init_.find(caller))
      forward(loc, gtid, schedule, last, lower, upper, stride, chunk);
  }

private:
  template <class U> static std::uint64_t widen(U value) noexcept {
    return static_cast<std::uint64_t>(
        static_cast<std::conditional_t<std::is_signed_v<U>, std::int64_t, U>>(value));
  }

  Next<void(ident_t*, i32, i32, T, T, S, S)> init_;
  Next<i32(ident_t*, i32, i32*, T*, T*, S*)> next_;
  Next<void(ident_t*, i32)> fini_;
  Next<void(ident_t*, i32, i32, i32*, T, T, S, S)> dist_init_;
};

} // namespace wstree::abi
