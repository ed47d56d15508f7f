// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls within calls: how idle members of a call find the calls that other members make meanwhile.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/tuning.h"

#include <atomic>
#include <cstdint>
#include <new>

#include <time.h>

namespace wstree {
inline namespace v1 {
namespace detail {

class Call;

/// The place of the executing thread in the innermost call that it works for. Threads that work for none have
/// no seat.
struct Seat {
  Call* call = nullptr;
  std::uint32_t member = 0;
};
inline constinit thread_local Seat* t_seat = nullptr;

/// How a thread waits that may not sleep: short pauses, then the processor is given away, then naps.
class Patience {
public:
  void wait() noexcept {
    if (++waits_ < core::tuning::k_idle_spins) return core::StdPlatform::relax();
    if (waits_ < core::tuning::k_idle_yields) return core::StdPlatform::yield();
    const timespec nap{0, core::tuning::k_idle_nap};
    nanosleep(&nap, nullptr);
  }
  void reset() noexcept { waits_ = 0; }

private:
  std::uint32_t waits_ = 0;
};

/// The door of a nested call: stands in the outer call, one for each of its members, so that whoever tries it
/// never touches memory of a call that has ended.
class alignas(core::k_line_pair) Door {
public:
  /// By its member, for a call of its own. The door was closed.
  void open(Call* call) noexcept {
    call_ = call;
    // release: the call is complete before anybody enters; pairs with enter().
    state_.store(k_open, std::memory_order_release);
  }
  /// By its member: nobody enters any more.
  void close() noexcept {
    state_.fetch_and(~k_open, std::memory_order_relaxed); // is_empty() says when the others have left
  }
  /// All who were inside have left, and what they wrote can be seen.
  bool is_empty() const noexcept {
    return state_.load(std::memory_order_acquire) == 0; // acquire: pairs with leave()
  }
  /// nullptr: there is no call. Else leave() has to follow.
  Call* enter() noexcept {
    std::uint32_t seen = state_.load(std::memory_order_relaxed); // a hint
    while ((seen & k_open) != 0)
      // acquire: pairs with open().
      if (state_.compare_exchange_weak(seen, seen + k_guest, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return call_;
    return nullptr;
  }
  void leave() noexcept {
    // release: what the guest did is done; pairs with is_empty().
    state_.fetch_sub(k_guest, std::memory_order_release);
  }

private:
  static constexpr std::uint32_t k_open = 1;
  static constexpr std::uint32_t k_guest = 2;

  std::atomic<std::uint32_t> state_{0};
  Call* call_ = nullptr;
};

/// One call while members work for it. An idle member looks for nested calls of the others, which it helps
/// with; it never does anything for a call that is not within the one that it waits for.
class Call {
public:
  using Run = void (*)(void* what, Call& call, std::uint32_t member);

  Call(std::uint32_t members, Run run, void* what) noexcept
      : members_(members), run_(run), what_(what),
        doors_(members > k_few ? new (std::nothrow) Door[members] : few_) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (doors_ != few_) delete[] doors_;
  }

  std::uint32_t members() const noexcept { return members_; }

  /// The executing thread works as `member`, of which there is one at a time, and then helps the others.
  void work_as(std::uint32_t member) noexcept {
    work_as(member, [&] { run_(what_, *this, member); });
  }
  /// The same with work of its own, which does not throw.
  template <class Work> void work_as(std::uint32_t member, Work&& work) noexcept {
    busy_.fetch_add(1, std::memory_order_relaxed); // counts, and orders nothing
    Seat seat{this, member};
    Seat* const outer = t_seat;
    t_seat = &seat;
    work();
    t_seat = outer;
    busy_.fetch_sub(1, std::memory_order_relaxed); // likewise
    help();
  }

  /// As a nested call of the member with that seat, which waits until nobody works for it any more.
  void nest(Seat& seat) noexcept {
    Door* const door = seat.call->doors_ != nullptr ? &seat.call->doors_[seat.member] : nullptr;
    if (door != nullptr) door->open(this);
    work_as(0);
    if (door == nullptr) return;
    door->close();
    for (Patience patience; !door->is_empty(); patience.wait()) help_once();
  }

private:
  static constexpr std::uint32_t k_few = 4;

  void help() noexcept {
    Patience patience;
    // relaxed: a member that is late finds nothing left.
    while (busy_.load(std::memory_order_relaxed) != 0) {
      if (help_once())
        patience.reset();
      else
        patience.wait();
    }
  }

  /// True: there was something to do.
  bool help_once() noexcept {
    bool helped = false;
    if (doors_ == nullptr) return false;
    for (std::uint32_t i = 0; i < members_; ++i) {
      Call* const inner = doors_[i].enter();
      if (inner == nullptr) continue;
      helped = inner->join() || helped;
      doors_[i].leave();
    }
    return helped;
  }

  /// By a guest. One that comes again, or too late for a number, looks for calls within this one.
  bool join() noexcept {
    // relaxed: the number makes the guest unique; data come with the door.
    if (next_.load(std::memory_order_relaxed) < members_) {
      const std::uint32_t member = next_.fetch_add(1, std::memory_order_relaxed); // likewise
      if (member < members_) {
        work_as(member);
        return true;
      }
    }
    return help_once();
  }

  std::uint32_t members_;
  Run run_;
  void* what_;
  Door* doors_;
  std::atomic<std::uint32_t> busy_{0};
  std::atomic<std::uint32_t> next_{1};
  Door few_[k_few];
};

} // namespace detail
} // namespace v1
} // namespace wstree
