// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The region that is placed, if several threads open regions at the same time: one of them.
#pragma once

#include "wstree/core/platform.h"

#include <pthread.h>

#include <atomic>

namespace wstree::abi {

/// Each opener writes it twice in a region, so it has a line of its own.
///
/// As long as one thread opens all regions, that thread takes its turn without a read-modify-write, which
/// would wait for all that the thread wrote in the join before. When a second thread opens its first region,
/// and the first thread opens one at the same instant, both get a turn. This can happen once: from then on
/// all threads use an exchange.
class alignas(core::k_line_pair) PlacedTurn {
public:
  /// Takes the turn for `opener`, the calling thread. Returns false if another region has it.
  bool take(pthread_t opener) noexcept {
    // relaxed, all here: a turn decides which region pins threads, and no data is read through it. Guard:
    // PlacedTurn.IsOneThreads in tests/abi/classes (a load and a store instead of the exchange).
    pthread_t known = opener_.load(std::memory_order_relaxed);
    if (known == opener) [[likely]] {
      if (is_taken_.load(std::memory_order_relaxed)) return false;
      is_taken_.store(true, std::memory_order_relaxed);
      return true;
    }
    if (known != k_nobody || !opener_.compare_exchange_strong(known, opener, std::memory_order_relaxed))
      opener_.store(k_several, std::memory_order_relaxed);
    return !is_taken_.exchange(true, std::memory_order_relaxed);
  }
  /// The thread that has taken the turn gives it back.
  void give_back() noexcept { is_taken_.store(false, std::memory_order_relaxed); }

private:
  static constexpr pthread_t k_nobody = 0;
  static constexpr pthread_t k_several = 1; // no thread has that name

  std::atomic<bool> is_taken_{false};
  std::atomic<pthread_t> opener_{k_nobody}; // the opener of all regions so far
};

} // namespace wstree::abi
