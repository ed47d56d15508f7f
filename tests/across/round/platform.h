// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that is counted, clocks that go back, threads that are interrupted at the worst places, and a
// machine of one thread whose members take turns between calls.
#pragma once

#include "../../../tools/simulate/engine/charged_atomic.h"
#include "../stress/random.h"

#include "wstree/core/platform.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <sched.h>

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

/// Takes the present thread's processor away, or lets it dawdle, just before operations on shared memory:
/// every so many operations, and before half of those with one tag; in a third of the regions never.
class Interruptions {
public:
  static Interruptions& mine() { return mine_; }

  void begin(std::uint64_t seed, std::uint32_t members) {
    random_ = stress::Random(seed);
    constexpr std::uint64_t k_gaps[] = {0, 3, 10, 30, 100, 400};
    const bool calm = random_.one_in(3);
    gap_ = calm ? 0 : k_gaps[random_.below(std::size(k_gaps))];
    hot_tag_ = calm || random_.coin() ? -1 : static_cast<int>(random_.below(k_tags));
    yields_ = 2 + 100 / members; // on a busy machine each may cost milliseconds
    left_ = wait();
  }
  void end() {
    gap_ = left_ = 0;
    hot_tag_ = -1;
  }

  void before(core::Tag tag) {
    if (gap_ != 0 && --left_ == 0) {
      left_ = wait();
      interrupt();
    } else if (static_cast<int>(tag) == hot_tag_ && random_.coin()) {
      interrupt();
    }
  }

private:
  static constexpr std::uint64_t k_tags = static_cast<std::uint64_t>(core::Tag::absent) + 1;

  std::uint64_t wait() { return gap_ == 0 ? 0 : random_.between(1, 2 * gap_ - 1); }
  void interrupt() {
    if (yields_ > 0 && random_.coin()) {
      --yields_;
      sched_yield();
    } else {
      for (auto spins = random_.below(1ULL << random_.between(3, 11)); spins > 0; --spins)
        core::StdPlatform::relax();
    }
  }

  std::uint64_t gap_ = 0;  ///< operations between two interruptions, on average; 0: none
  std::uint64_t left_ = 0; ///< of them
  int hot_tag_ = -1;
  std::uint32_t yields_ = 0;
  stress::Random random_{0};
  static thread_local Interruptions mine_;
};
inline thread_local constinit Interruptions Interruptions::mine_{};

/// Real threads, interrupted: every operation asks for its order by its tag.
struct HostilePlatform : CountingPlatform {
  static std::memory_order order(core::Tag tag, std::memory_order needed) noexcept {
    Interruptions::mine().before(tag);
    return needed;
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
