// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One member of a thread pool.
#pragma once

#include "wstree/core/queue/lock_free_queue.h"
#include "wstree/core/rng.h"
#include "wstree/types/detail/pool_platform.h"
#include "wstree/types/detail/sleepers.h"

#include <atomic>
#include <cstdint>
#include <thread>

namespace wstree {
inline namespace v1 {

/// The order in which a member of a pool executes the tasks that it has made itself. Thieves take the oldest
/// in both cases.
enum class pool_order : std::uint8_t {
  lifo, ///< the newest first: its memory is still in the caches, and the oldest are left to thieves
  fifo, ///< the oldest first: tasks begin in the order in which they were made
};

namespace detail {

class Crew;

/// A number that one thread raises and other threads read.
class Tally {
public:
  void raise() noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// acquire: the writes before the last raise() are seen.
  std::uint64_t read() const noexcept { return value_.load(std::memory_order_acquire); }

private:
  std::atomic<std::uint64_t> value_{0};
};

/// One thread of a pool. Private to it, but for the public end of the queue and the tallies.
struct alignas(core::k_line_pair) CrewMember {
  core::ChaseLevQueue<PoolPlatform, 256> queue;
  alignas(core::k_line_pair) Tally begun; ///< tasks that this member has made
  Tally finished;                         ///< tasks that it has executed
  SleepSlot<PoolPlatform> slot;
  bool gathers = false; ///< tasks come from outside one after the other
  core::Rng random;
  Crew* crew = nullptr;
  std::thread thread;

  static CrewMember*& mine() noexcept { return t_mine; }

private:
  static inline constinit thread_local CrewMember* t_mine = nullptr;
};

} // namespace detail
} // namespace v1
} // namespace wstree
