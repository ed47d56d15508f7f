// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seam between the schedulers and the machine (core/platform.h), for a machine in virtual time.
#pragma once

#include "caches.h"
#include "charged_atomic.h"
#include "clock.h"
#include "noise.h"
#include "speeds.h"

#include "wstree/core/platform.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::simulate {

/// One operation at a time, in the order in which the operations end: the clock of a member runs while it
/// waits for a line, and the other members go on in that time. So the memory is sequentially consistent;
/// orders cost as much as on x86, where only a sequentially consistent store is more than a store.
struct SimulatedPlatform : core::StdPlatform {
  static inline thread_local Caches* caches =
      nullptr; ///< caches of the machine that runs; nullptr: nothing is charged
  static inline thread_local Interruptions* interruptions = nullptr; ///< nullptr: there are none
  static inline thread_local Standstill* standstill = nullptr;       ///< likewise
  static inline thread_local const Speeds* speeds = nullptr;         ///< likewise: all are as fast
  static inline thread_local std::uint32_t member = 0;               ///< number of the member that acts
  static inline thread_local Time tick_price = 0, clock_step = k_tick;

  static std::memory_order order(core::Tag tag, std::memory_order needed) noexcept {
    if (standstill != nullptr) standstill->does(member, tag);
    return needed;
  }
  static std::uint64_t ticks() noexcept {
    if (caches != nullptr) VirtualClock::now += tick_price;
    return VirtualClock::now / clock_step;
  }
  /// Returns the number of the kind of core that this member has: by their speeds at the beginning, the
  /// fastest first.
  static std::uint32_t kind_of(std::uint32_t one) noexcept {
    return speeds != nullptr ? speeds->kind_of(one) : 0;
  }
  /// Takes k_probe on a core of full speed.
  static std::uint32_t probe() noexcept {
    const std::uint64_t since = ticks();
    pass(speeds != nullptr ? speeds->takes(member, VirtualClock::now, k_probe) : k_probe);
    const double error = speeds != nullptr && speeds->error ? speeds->error(member) : 1;
    return static_cast<std::uint32_t>(static_cast<double>(ticks() - since) / error) + 1;
  }
  static constexpr Time k_probe = 400 * k_ns;
  static void relax() noexcept { pass(10 * k_ns); }
  static void yield() noexcept { pass(400 * k_ns); }
  /// Keeps the member that acts busy for `time`, and longer if it is interrupted.
  static void pass(Time time) noexcept {
    if (standstill != nullptr) time += standstill->before(member, VirtualClock::now);
    if (interruptions != nullptr) time += interruptions->during(member, VirtualClock::now, time);
    VirtualClock::running->pass(time);
  }
  static void* allocate(std::size_t bytes) noexcept {
    void* const block = core::StdPlatform::allocate(bytes);
    if (caches != nullptr && block != nullptr) caches->allocated(block, bytes);
    return block;
  }

  static void charge_load(const void* address) noexcept {
    if (caches == nullptr) return;
    const Time end = caches->read(address, member, VirtualClock::now);
    if (caches->was_hit(VirtualClock::now, end))
      VirtualClock::now = end; // a change of fibers costs the simulation more than all the rest
    else
      wait_until(end);
  }
  static void charge_store(const void* address, std::memory_order order) noexcept {
    if (order == std::memory_order_seq_cst)
      charge_change(address);
    else if (caches != nullptr) // value and clock change together: no other member runs in between
      VirtualClock::now = caches->write(address, member, VirtualClock::now);
  }
  static void charge_change(const void* address) noexcept {
    if (caches != nullptr) wait_until(caches->modify(address, member, VirtualClock::now));
  }

  template <class T> using Atomic = ChargedAtomic<T, SimulatedPlatform>;

private:
  static void wait_until(Time time) noexcept { pass(time - VirtualClock::now); }
};

} // namespace wstree::simulate
