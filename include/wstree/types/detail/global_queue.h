// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The queue of a pool for tasks from threads that are not its members.
#pragma once

#include "wstree/types/detail/task.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// First in, first out, behind a lock.
class GlobalQueue {
public:
  void push(Task* task) noexcept {
    task->next = nullptr;
    const std::lock_guard lock(mutex_);
    (last_ != nullptr ? last_->next : first_) = task;
    last_ = task;
    set_count(own_count() + 1);
  }

  /// The oldest tasks, as a list that ends with nullptr: its share for each of `members`, but not more than
  /// `most`.
  Task* take(std::uint32_t members, std::uint64_t most) noexcept {
    const std::lock_guard lock(mutex_);
    if (first_ == nullptr) return nullptr;
    const std::uint64_t share = std::min(own_count() / members + 1, most);
    Task* const list = first_;
    Task* end = list;
    std::uint64_t taken = 1;
    for (; taken < share && end->next != nullptr; ++taken) end = end->next;
    first_ = std::exchange(end->next, nullptr);
    if (first_ == nullptr) last_ = nullptr;
    set_count(own_count() - taken);
    return list;
  }

  /// A hint, and certain after a fence that pairs with one behind push().
  bool looks_empty() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }

private:
  // relaxed: only who has the lock writes, and others get no data by it.
  std::uint64_t own_count() const noexcept { return count_.load(std::memory_order_relaxed); }
  void set_count(std::uint64_t count) noexcept { count_.store(count, std::memory_order_relaxed); }

  std::mutex mutex_;
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  std::atomic<std::uint64_t> count_{0};
};

} // namespace detail
} // namespace v1
} // namespace wstree
