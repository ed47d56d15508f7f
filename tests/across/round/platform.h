// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is counted, clocks that go back,
// and a machine of one thread whose members take turns between calls.
#pragma once

#include "../../../tools/simulate/engine/charged_atomic.h"
#include "../stress/random.h"

#include "wstree/core/platform.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace wstree::round {

/// Of all teams of the process.
struct Memory {
  static inline std::atomic<std::uint64_t> blocks{0}; ///< ever asked for
  static inline std::atomic<std::uint64_t> bytes{0};  ///< not yet given back
};

/// What a thread reads that comes from one processor to another now and then, whose clock may be behind.
class Clocks {
public:
  explicit Clocks(std::uint64_t seed) : random_(seed) {}
  std::uint64_t at(std::uint64_t now) {
    if (random_.one_in(8)) behind_ = random_.below(std::uint64_t{1} << random_.below(20));
    return now - behind_;
  }

private:
  stress::Random random_;
  std::uint64_t behind_ = 0;
};

/// Real threads.
struct CountingPlatform : core::StdPlatform {
  static inline thread_local Clocks clocks{0};
  static std::uint64_t ticks() noexcept { return clocks.at(StdPlatform::ticks()); }

  static void* allocate(std::size_t bytes) noexcept {
    Memory::blocks.fetch_add(1, std::memory_order_relaxed);
    Memory::bytes.fetch_add(bytes, std::memory_order_relaxed);
    return StdPlatform::allocate(bytes);
  }
  static void release(void* memory, std::size_t bytes) noexcept {
    if (memory != nullptr) Memory::bytes.fetch_sub(bytes, std::memory_order_relaxed);
    StdPlatform::release(memory, bytes);
  }
};

/// One thread: no other member runs inside of a call, so no member may wait there.
struct StepPlatform : CountingPlatform {
  static inline Clocks clocks{0};
  static inline std::uint64_t now = std::uint64_t{1} << 40;
  static inline std::uint64_t yields = 0; ///< since the last reset to 0
  static inline void (*report_waiting)() = nullptr;

  static std::uint64_t ticks() noexcept { return clocks.at(now); }
  static void relax() noexcept { now += 20; }
  static void yield() noexcept {
    now += 500;
    if (++yields == k_for_ever) report_waiting();
  }

  static void charge_load(const void*) noexcept {}
  static void charge_store(const void*, std::memory_order) noexcept {}
  static void charge_change(const void*) noexcept {}

  template <class T> using Atomic = simulate::ChargedAtomic<T, StepPlatform>;

private:
  static constexpr std::uint64_t k_for_ever = 100'000;
};

} // namespace wstree::round
