// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The doors of nested calls, and the doors that a thread keeps for its calls.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>
#include <new>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

template <class P> class BasicCall;

/// The door of a nested call: stands in the outer call, one for each of its members, so that a member that
/// tries it never touches memory of a call that has ended.
template <class P> class alignas(core::k_line_pair) BasicDoor {
public:
  /// The door's member opens it, which was closed, for a call of its own.
  void open(BasicCall<P>* call) noexcept {
    call_ = call;
    // [P6] store release, success acquire in enter(): the call is complete before a guest enters. The load is
    //      a hint. Guard: model_parallel nest_2 (each of the orders).
    state_.store(k_open, P::order(core::Tag::open_door, std::memory_order_release));
  }
  /// The door's member closes it: no guest enters any more.
  void close() noexcept {
    // [P7] update relaxed: is_empty() says when the guests have left.
    state_.fetch_and(~k_open, P::order(core::Tag::leave_door, std::memory_order_relaxed));
  }
  /// Returns whether all guests have left; their writes can be seen then.
  bool is_empty() const noexcept {
    // [P7] load acquire, update release in leave(): what a guest did is done, and it does not touch the call
    //      any more. Guard: model_parallel nest_2 (each of the orders).
    return state_.load(P::order(core::Tag::leave_door, std::memory_order_acquire)) == 0;
  }
  /// Returns the call, after which leave() has to follow; nullptr: there is no call.
  BasicCall<P>* enter() noexcept {
    std::uint32_t seen = state_.load(P::order(core::Tag::open_door, std::memory_order_relaxed)); // P6
    while ((seen & k_open) != 0)
      if (state_.compare_exchange_weak(seen, seen + k_guest,
                                       P::order(core::Tag::open_door, std::memory_order_acquire),
                                       P::order(core::Tag::open_door, std::memory_order_relaxed))) // P6
        return call_;
    return nullptr;
  }
  void leave() noexcept {
    state_.fetch_sub(k_guest, P::order(core::Tag::leave_door, std::memory_order_release)); // P7
  }

private:
  static constexpr std::uint32_t k_open = 1;
  static constexpr std::uint32_t k_guest = 2;

  typename P::template Atomic<std::uint32_t> state_{0};
  typename P::template Plain<BasicCall<P>*> call_{nullptr};
};

/// The doors of calls with many members: taken when a call begins, given back when it ends, and freed with
/// the thread. All are closed and empty in between.
template <class P> class DoorCache {
public:
  struct Doors {
    BasicDoor<P>* first;
    std::uint32_t count;
  };

  /// Returns at least `count` closed doors, whose `first` is nullptr if there is no memory.
  static Doors take(std::uint32_t count) noexcept {
    if (!t_ended)
      for (Doors& kept : mine().kept_)
        if (kept.count >= count) return std::exchange(kept, Doors{});
    return {new (std::nothrow) BasicDoor<P>[count], count};
  }
  /// Keeps the largest of the doors that come back. May be called at the end of a thread, when the cache is
  /// no more.
  static void give_back(Doors doors) noexcept {
    if (!t_ended)
      for (Doors& kept : mine().kept_)
        if (kept.count < doors.count) std::swap(kept, doors);
    delete[] doors.first;
  }

private:
  DoorCache() = default;
  ~DoorCache() {
    t_ended = true;
    for (const Doors& kept : kept_) delete[] kept.first;
  }
  static DoorCache& mine() noexcept {
    static thread_local DoorCache cache;
    return cache;
  }

  static inline constinit thread_local bool t_ended = false; // without a destructor

  Doors kept_[4] = {}; // for calls within calls
};

} // namespace detail
} // namespace v1
} // namespace wstree
