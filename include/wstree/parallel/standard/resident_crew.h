// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The threads of programs without OpenMP: one crew for the process, asleep between calls.
#pragma once

#include "wstree/parallel/nesting.h"
#include "wstree/parallel/policy.h"
#include "wstree/types/thread_pool.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include <sched.h>
#include <unistd.h>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Members are the caller and a thread for each further processor. The first call that wants members makes
/// the threads. In a child of fork, and once static objects are destroyed, callers work alone.
class ResidentCrew : public Place {
public:
  static const Place& place() noexcept {
    static ResidentCrew crew;
    return crew;
  }

private:
  /// Trivially destructible, so that calls of other static objects' destructors may look.
  enum class State : std::uint8_t { unused, ready, gone };
  static inline constinit std::atomic<State> g_state{State::unused};

  ResidentCrew() noexcept : Place{&most_members, &host}, members_(processors()) {}
  ~ResidentCrew() {
    // relaxed: no other thread calls while static objects are destroyed.
    g_state.store(State::gone, std::memory_order_relaxed);
    // The threads stayed in the parent: nothing to join.
    if (pool_ != nullptr && owner_ != getpid()) static_cast<void>(pool_.release());
  }

  static std::uint32_t processors() noexcept {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
      return static_cast<std::uint32_t>(CPU_COUNT(&set));
    const std::uint32_t all = std::thread::hardware_concurrency();
    return all != 0 ? all : 1;
  }
  static std::uint32_t most_members(const Place& place) noexcept {
    // A member of a call: nested calls have the members of the outer one.
    if (const auto* seat = Seats<core::StdPlatform>::mine(); seat != nullptr) return seat->call->members();
    return static_cast<const ResidentCrew&>(place).members_;
  }
  static void host(const Place& place, Call& call) noexcept {
    if (auto* seat = Seats<core::StdPlatform>::mine(); seat != nullptr) return call.nest(*seat);
    // relaxed: likewise.
    if (g_state.load(std::memory_order_relaxed) == State::gone) return call.work_as(0);
    auto& self = const_cast<ResidentCrew&>(static_cast<const ResidentCrew&>(place));
    thread_pool* const pool = self.pool();
    if (pool == nullptr) return call.work_as(0);
    pool->place().host(pool->place(), call);
  }
  /// nullptr: no threads can be had, or they are those of the parent of a fork.
  thread_pool* pool() noexcept {
    static const bool k_made = make();
    return k_made && owner_ == getpid() ? pool_.get() : nullptr;
  }
  bool make() noexcept {
    owner_ = getpid();
#if defined(__cpp_exceptions)
    try {
      pool_ = std::make_unique<thread_pool>(members_ - 1);
    } catch (...) {
      return false;
    }
#else
    pool_ = std::make_unique<thread_pool>(members_ - 1);
#endif
    return true;
  }

  std::uint32_t members_;
  pid_t owner_ = 0;
  std::unique_ptr<thread_pool> pool_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
