// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queue of a pool for tasks from threads that are not its members.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/tuning.h"
#include "wstree/types/detail/task.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// A lock that is held for some nanoseconds, and costs one read-modify-write if no other thread has it.
class BriefLock {
public:
  void lock() noexcept {
    // acquire here, release in unlock(): one thread at a time, and each sees the writes of the thread before.
    while (is_held_.exchange(true, std::memory_order_acquire))
      for (std::uint32_t spins = 1; is_held_.load(std::memory_order_relaxed); ++spins)
        spins % core::tuning::k_pool_lock_spins == 0 ? core::StdPlatform::yield()
                                                     : core::StdPlatform::relax();
  }
  void unlock() noexcept { is_held_.store(false, std::memory_order_release); }

private:
  std::atomic<bool> is_held_{false};
};

/// First in, first out, behind a lock. Tasks lie in bundles, lists from the newest to the oldest, and are
/// taken by the bundle: to walk along a list that another thread has written takes a cache miss for each
/// task, and no thread shall wait for that.
class GlobalQueue {
public:
  void push(Task* task) noexcept {
    task->bundle = nullptr;
    const std::lock_guard lock(lock_);
    task->next = open_;
    open_ = task;
    set_count(own_count() + 1);
    if (++in_open_ == core::tuning::k_pool_batch) close();
  }

  /// Takes the oldest tasks, from the newest to the oldest; nullptr: there are none.
  Task* take() noexcept {
    const std::lock_guard lock(lock_);
    if (first_ != nullptr) {
      set_count(own_count() - core::tuning::k_pool_batch);
      Task* const bundle = std::exchange(first_, first_->bundle);
      if (first_ == nullptr) last_ = nullptr;
      return bundle;
    }
    set_count(0);
    in_open_ = 0;
    return std::exchange(open_, nullptr);
  }

  /// Hints, and certain after a fence that pairs with one behind push().
  bool looks_shorter_than(std::uint64_t tasks) const noexcept {
    return count_.load(std::memory_order_relaxed) < tasks;
  }
  bool looks_empty() const noexcept { return looks_shorter_than(1); }

private:
  void close() noexcept {
    (last_ != nullptr ? last_->bundle : first_) = open_;
    last_ = std::exchange(open_, nullptr);
    in_open_ = 0;
  }
  // relaxed: only the holder of the lock writes, and other threads get no data by it.
  std::uint64_t own_count() const noexcept { return count_.load(std::memory_order_relaxed); }
  void set_count(std::uint64_t count) noexcept { count_.store(count, std::memory_order_relaxed); }

  BriefLock lock_;
  Task* first_ = nullptr; ///< first task of the full bundles
  Task* last_ = nullptr;
  Task* open_ = nullptr; ///< the bundle that is being filled
  std::uint64_t in_open_ = 0;
  std::atomic<std::uint64_t> count_{0};
};

} // namespace detail
} // namespace v1
} // namespace wstree
