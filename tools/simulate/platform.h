// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The seam between the schedulers and the machine (core/platform.h), for a machine in virtual time.
#pragma once

#include "caches.h"
#include "clock.h"
#include "noise.h"

#include "wstree/core/platform.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace wstree::simulate {

/// One operation at a time, in the order in which the operations end: the clock of a member runs while it
/// waits for a line, and the other members go on in that time. So the memory is sequentially consistent;
/// orders cost what they cost on x86, where only a sequentially consistent store is more than a store.
struct SimulatedPlatform : core::StdPlatform {
  static constexpr Time k_tick = 400;     ///< of a clock of 2.5 GHz
  static inline Caches* caches = nullptr; ///< of the machine that runs; nullptr: nothing is charged
  static inline Interruptions* interruptions = nullptr; ///< nullptr: there are none
  static inline Standstill* standstill = nullptr;       ///< likewise
  static inline std::uint32_t member = 0;               ///< that acts
  static inline Time tick_price = 0;

  static std::memory_order order(core::Tag tag, std::memory_order needed) noexcept {
    if (standstill != nullptr) standstill->does(member, tag);
    return needed;
  }
  static std::uint64_t ticks() noexcept {
    if (caches != nullptr) VirtualClock::now += tick_price;
    return VirtualClock::now / k_tick;
  }
  static void relax() noexcept { pass(10 * k_ns); }
  static void yield() noexcept { pass(400 * k_ns); }
  /// The member that acts is busy for `time`, and longer if it is interrupted.
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

  template <class T> class Atomic {
  public:
    Atomic() = default;
    explicit(false) Atomic(T value) : value_(value) {}

    T load(std::memory_order = std::memory_order_seq_cst) const noexcept {
      if (caches == nullptr) return value_;
      const Time end = caches->read(this, member, VirtualClock::now);
      if (caches->was_hit(VirtualClock::now, end))
        VirtualClock::now = end; // a change of fibers costs the simulation more than all the rest
      else
        wait_until(end);
      return value_;
    }
    void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
      if (caches != nullptr && order == std::memory_order_seq_cst)
        wait_until(caches->modify(this, member, VirtualClock::now));
      else if (caches != nullptr)
        VirtualClock::now =
            caches->write(this, member, VirtualClock::now); // value and clock, nobody in between
      value_ = value;
    }
    T exchange(T value, std::memory_order = std::memory_order_seq_cst) noexcept {
      modify();
      return std::exchange(value_, value);
    }
    bool compare_exchange_strong(T& expected, T wanted, std::memory_order, std::memory_order) noexcept {
      modify();
      if (value_ != expected) {
        expected = value_;
        return false;
      }
      value_ = wanted;
      return true;
    }
    bool compare_exchange_weak(T& expected, T wanted, std::memory_order a, std::memory_order b) noexcept {
      return compare_exchange_strong(expected, wanted, a, b);
    }
    bool compare_exchange_strong(T& expected, T wanted,
                                 std::memory_order order = std::memory_order_seq_cst) noexcept {
      return compare_exchange_strong(expected, wanted, order, order);
    }
    bool compare_exchange_weak(T& expected, T wanted,
                               std::memory_order order = std::memory_order_seq_cst) noexcept {
      return compare_exchange_strong(expected, wanted, order, order);
    }
    T fetch_add(T difference, std::memory_order = std::memory_order_seq_cst) noexcept {
      modify();
      return std::exchange(value_, static_cast<T>(value_ + difference));
    }
    T fetch_sub(T difference, std::memory_order = std::memory_order_seq_cst) noexcept {
      modify();
      return std::exchange(value_, static_cast<T>(value_ - difference));
    }
    T fetch_or(T bits, std::memory_order = std::memory_order_seq_cst) noexcept {
      modify();
      return std::exchange(value_, static_cast<T>(value_ | bits));
    }
    T fetch_and(T bits, std::memory_order = std::memory_order_seq_cst) noexcept {
      modify();
      return std::exchange(value_, static_cast<T>(value_ & bits));
    }

  private:
    void modify() noexcept {
      if (caches != nullptr) wait_until(caches->modify(this, member, VirtualClock::now));
    }
    static void wait_until(Time time) noexcept { pass(time - VirtualClock::now); }

    T value_{};
  };
};

} // namespace wstree::simulate
