// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A right that one thread at a time has. No thread waits for it without an end: its holder may have lost its
// processor, or be the thread itself, below a handler of a signal.
#pragma once

#include "system_call.h"

#include <sys/syscall.h>
#include <sys/types.h>

#include <atomic>

namespace wstree::abi {

class Right {
public:
  /// Returns whether this thread has the right now. After a fork it is free in the child: a thread of the
  /// parent had it.
  bool take() noexcept {
    // No function of the C library, which another library may wrap that is not ready yet.
    const auto self = static_cast<pid_t>(config::system_call(SYS_getpid));
    pid_t holder = 0;
    // acquire, both: pair with the release of the holder before, so that its changes are complete. Guard:
    // unit.Callers.ThreadsAgree under the thread sanitizer.
    return holder_.compare_exchange_strong(holder, self, std::memory_order_acquire,
                                           std::memory_order_relaxed) ||
           (holder != self && holder_.compare_exchange_strong(holder, self, std::memory_order_acquire,
                                                              std::memory_order_relaxed));
  }
  /// take(), and gives other threads time if it fails, for some milliseconds at most: a holder needs that of
  /// a few system calls.
  bool take_soon() noexcept {
    constexpr int k_most_tries = 10000;
    for (int tries = 0; tries < k_most_tries; ++tries) {
      if (take()) return true;
      config::system_call(SYS_sched_yield);
    }
    return false;
  }
  void give_back() noexcept { holder_.store(0, std::memory_order_release); }

private:
  std::atomic<pid_t> holder_{0}; // a process
};

} // namespace wstree::abi
