// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that help to execute loops. A caller publishes its loop and executes it; helpers join while they
// are free. A helper that comes late, or never, holds nothing back.
#pragma once
#include <wstree/loop.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace layer {

/// A call of numba's parallel_for.
struct Call {
  using Kernel = void (*)(char** arrays, std::size_t* counts, std::size_t* steps, void* data);
  Kernel kernel;
  char** arrays;
  std::size_t* counts; // items, then inner_counts sizes of arrays
  std::size_t* steps;
  void* data;
  std::size_t inner_counts;
  std::size_t array_count;
  int threads;
  /// Dimensions of a prange that the tree cuts: its first array holds the first and the last index of each.
  /// 0: the tree hands out items.
  std::size_t dimensions;
  wstree_loop* loop;

  /// Executes the batches that the tree hands to the member.
  void execute(unsigned member) const;
};

/// Loops that helpers may join.
class Pool {
public:
  /// Sets the number of threads that execute a loop, the caller included, unless the loop sets another one.
  void set_threads(int threads) noexcept { threads_ = threads; }
  int threads() const noexcept { return threads_; }

  /// Executes the call with helpers; returns when all iterations are executed.
  void execute(const Call& call);

  /// Resets the pool in the child of a fork, which has no helpers and one thread.
  void forget() noexcept;

private:
  static constexpr unsigned k_slots = 32;

  struct alignas(64) Slot {
    /// Seats that are free (upper half) and members that have joined (lower half); 0: closed.
    std::atomic<std::uint64_t> seats{0};
    std::atomic<std::uint32_t> left{0}; // members that are through
    Call call{};
  };

  static void* help(void* pool);
  bool join_a_loop();
  void start_helpers();

  int threads_ = 1;
  std::atomic<bool> are_started_{false};
  std::atomic<std::uint32_t> used_{0};      // a bit for each slot
  std::atomic<std::uint32_t> published_{0}; // loops so far
  Slot slots_[k_slots];
};

/// A thread's data in numba.
struct Thread {
  int mask = 0; // mask of set_num_threads; 0: not set yet
  int id = 0;   // number in the loop that it executes
};
extern thread_local Thread self;

} // namespace layer
