// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls within calls: how idle members of a call find the calls that other members make meanwhile.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/tuning.h"
#include "wstree/parallel/door.h"

#include <cstdint>
#include <utility>

#include <time.h>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The place of the executing thread in the innermost call that it works for. Threads that work for none have
/// no seat.
template <class P> struct BasicSeat {
  BasicCall<P>* call = nullptr;
  std::uint32_t member = 0;
};
template <class P> struct Seats {
  /// Returns the seat of the executing thread; nullptr: it works for no call.
  static BasicSeat<P>*& mine() noexcept { return t_mine; }

private:
  static inline constinit thread_local BasicSeat<P>* t_mine = nullptr;
};

/// The wait of a thread that may not sleep until it is awakened: short pauses, then yields of the processor,
/// then naps. Each nap is a small part of all naps before it, so that the thread notices the end late by that
/// part at most.
template <class P> class Patience {
public:
  void wait() noexcept {
    if (++waits_ < core::tuning::k_idle_spins) return P::relax();
    if (waits_ < core::tuning::k_idle_yields) return P::yield();
    long nap = napped_ / core::tuning::k_idle_nap_part;
    nap = nap < core::tuning::k_idle_nap           ? core::tuning::k_idle_nap
          : nap > core::tuning::k_idle_longest_nap ? core::tuning::k_idle_longest_nap
                                                   : nap;
    napped_ += nap;
    const timespec time{0, nap};
    nanosleep(&time, nullptr);
  }
  void reset() noexcept { waits_ = 0, napped_ = 0; }

private:
  std::uint32_t waits_ = 0;
  long napped_ = 0; // nanoseconds; goes round after centuries
};

/// One call while members work for it. An idle member looks for nested calls of other members, which it helps
/// with; it executes nothing of calls outside of the call that it waits for.
template <class P> class BasicCall {
public:
  using Run = void (*)(void* what, BasicCall& call, std::uint32_t member);
  using Seat = BasicSeat<P>;

  BasicCall(std::uint32_t members, Run run, void* what) noexcept
      : members_(members), guests_(members - 1), run_(run), what_(what),
        doors_(members > k_few ? DoorCache<P>::take(members) : typename DoorCache<P>::Doors{few_, k_few}) {}
  BasicCall(const BasicCall&) = delete;
  BasicCall& operator=(const BasicCall&) = delete;
  ~BasicCall() {
    if (doors_.first != few_ && doors_.first != nullptr) DoorCache<P>::give_back(doors_);
  }

  std::uint32_t members() const noexcept { return members_; }
  /// Returns how many guests find work: a crew sends no more, because the caller waits until all have left.
  std::uint32_t guests() const noexcept { return guests_; }
  /// Sets how many members find work, the caller among them, to `most` or fewer.
  void employ(std::uint32_t most) noexcept { guests_ = most < members_ ? most - 1 : members_ - 1; }

  /// The executing thread works as `member`, of which there is one at a time, and then helps other members.
  void work_as(std::uint32_t member) noexcept {
    work_as(member, [&] { run_(what_, *this, member); });
  }
  /// Works as work_as(member) does, with other work, which does not throw.
  template <class Work> void work_as(std::uint32_t member, Work&& work) noexcept {
    work_alone(member, work);
    help();
  }

  /// As a nested call of the member with that seat, which waits until no guest works for it any more.
  [[gnu::cold]] void nest(Seat& seat) noexcept {
    BasicDoor<P>* const door =
        seat.call->doors_.first != nullptr ? &seat.call->doors_.first[seat.member] : nullptr;
    if (door == nullptr) return work_as(0);
    door->open(this);
    work_as(0);
    leave_behind(*door);
  }

  /// The executing thread works as member 0 of a call whose door it has opened, and whose guests come
  /// by visit().
  void work_behind(BasicDoor<P>& door) noexcept {
    work_alone(0, [&] { run_(what_, *this, 0); });
    leave_behind(door);
  }
  /// As a guest, if the door is open and there is a number left. A guest does not stay when its own work is
  /// done: the thread has other things to do than to help with calls within this one, and other calls may
  /// wait for them.
  static void visit(BasicDoor<P>& door) noexcept {
    BasicCall* const call = door.enter();
    if (call == nullptr) return;
    join_once(*call);
    door.leave();
  }
  /// Works once as a member, for a guest that has entered.
  static void join_once(BasicCall& call) noexcept {
    std::uint32_t member = 0;
    if (call.take_number(member)) call.work_alone(member, [&] { call.run_(call.what_, call, member); });
  }

private:
  static constexpr std::uint32_t k_few = 4;

  template <class Work> void work_alone(std::uint32_t member, Work&& work) noexcept {
    // [P8] relaxed, everywhere: it counts the members that may still make nested calls, and a late member
    //      finds nothing left. The region's end, or the door, orders what members do.
    busy_.fetch_add(1, P::order(core::Tag::count_busy, std::memory_order_relaxed));
    Seat seat{this, member};
    Seat* const outer = std::exchange(Seats<P>::mine(), &seat);
    work();
    Seats<P>::mine() = outer;
    busy_.fetch_sub(1, P::order(core::Tag::count_busy, std::memory_order_relaxed)); // P8
  }
  /// Closes the door, and waits until no guest works for the call any more.
  void leave_behind(BasicDoor<P>& door) noexcept {
    door.close();
    for (Patience<P> patience; !door.is_empty(); patience.wait()) help_once();
  }

  void help() noexcept {
    Patience<P> patience;
    while (busy_.load(P::order(core::Tag::count_busy, std::memory_order_relaxed)) != 0) { // P8
      if (help_once())
        patience.reset();
      else
        patience.wait();
    }
  }

  /// Tries every door once. Returns whether there was something to do.
  [[gnu::cold]] bool help_once() noexcept {
    bool helped = false;
    if (doors_.first == nullptr) return false;
    for (std::uint32_t i = 0; i < members_; ++i) {
      BasicCall* const inner = doors_.first[i].enter();
      if (inner == nullptr) continue;
      helped = inner->join() || helped;
      doors_.first[i].leave();
    }
    return helped;
  }

  /// Works in the call as a guest. A guest that comes again, or too late for a number, looks for calls within
  /// this one.
  bool join() noexcept {
    std::uint32_t member = 0;
    if (take_number(member)) {
      work_as(member);
      return true;
    }
    return help_once();
  }
  bool take_number(std::uint32_t& member) noexcept {
    // [P9] relaxed: the number makes the guest unique; data come with the door. Guard: model_parallel nest_3
    //      (a load and a store give two guests one number).
    if (next_.load(P::order(core::Tag::take_number, std::memory_order_relaxed)) >= members_) return false;
    member = next_.fetch_add(1, P::order(core::Tag::take_number, std::memory_order_relaxed));
    return member < members_;
  }

  std::uint32_t members_, guests_;
  Run run_;
  void* what_;
  typename DoorCache<P>::Doors doors_;
  typename P::template Atomic<std::uint32_t> busy_{0};
  typename P::template Atomic<std::uint32_t> next_{1};
  BasicDoor<P> few_[k_few];
};

using Call = BasicCall<core::StdPlatform>;
using Door = BasicDoor<core::StdPlatform>;

} // namespace detail

/// A member of a call: 0 <= number < count. At any time at most one thread has a number.
struct member_of_call {
  std::uint32_t number = 0;
  std::uint32_t count = 1;
};
/// Returns the executing thread as a member of the innermost call in whose function it is. As long as a call
/// has begun in its caller alone, and outside of calls, that is number 0 of 1.
inline member_of_call this_member() noexcept {
  const auto* const seat = detail::Seats<core::StdPlatform>::mine();
  return seat != nullptr ? member_of_call{seat->member, seat->call->members()} : member_of_call{};
}
} // namespace v1
} // namespace wstree
