// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of a group's unfinished tasks.
#pragma once

#include "wstree/core/platform.h"

#include <cstdint>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The kind of thread that sleeps until a group is done.
enum class Sleeper : std::uint8_t { none = 0, member = 1, outsider = 2 };

/// The tasks that were begun, less those that are done. The owner, a thread that makes most tasks of a group
/// and often executes them itself, counts these apart, without read-modify-writes. The sum of both counts is
/// the number of unfinished tasks; each count alone may be negative.
///
/// A thread that finishes the last task does not touch the group after that: its owner may be gone.
template <class P> class TaskCount {
public:
  explicit TaskCount(std::int64_t own = 0) noexcept : own_(own) {}

  // The owner's.

  void add_own() noexcept { ++own_; }
  void finish_own() noexcept { --own_; }
  bool is_done() const noexcept {
    // [G1] load acquire, update acq_rel in finish(): a thread that sees the tasks done sees what they have
    //      done. Guard: model_types group_1 (a data race, or a sleeper that no thread wakes).
    return own_ + tasks_in(others_.load(P::order(core::Tag::finish_task, std::memory_order_acquire))) == 0;
  }
  /// Before the owner sleeps, after it has announced that: the thread that finishes the last task wakes it.
  /// Returns whether all are done; then no thread will.
  bool expect(Sleeper sleeper) noexcept {
    // [G2] relaxed: tasks that are counted here are not done, or were done by this thread.
    others_.fetch_add(own_ * k_task, P::order(core::Tag::count_task, std::memory_order_relaxed));
    own_ = 0;
    // [G3] release: a thread that sees the mark and acquires (G1) finds the sleeper. The fence at the end of
    //      the announcement (B2) says so too, but a thread sanitizer knows no fences. The read-modify-write
    //      comes before or after the last task's. Guard: types_pool_stress under a thread sanitizer;
    //      model_types group_1.
    const std::int64_t seen = others_.fetch_or(static_cast<std::int64_t>(sleeper),
                                               P::order(core::Tag::expect_end, std::memory_order_release));
    return tasks_in(seen) == 0;
  }

  // For any thread.

  void add() noexcept {
    others_.fetch_add(k_task, P::order(core::Tag::count_task, std::memory_order_relaxed)); // G2
  }
  /// Counts one task as done. Returns which sleeper has to be woken, because all are done now.
  Sleeper finish() noexcept {
    const std::int64_t before =
        others_.fetch_sub(k_task, P::order(core::Tag::finish_task, std::memory_order_acq_rel)); // G1
    return tasks_in(before) == 1 ? static_cast<Sleeper>(before & k_marks) : Sleeper::none;
  }

private:
  static constexpr std::int64_t k_task = 4;
  static constexpr std::int64_t k_marks = 3;
  static constexpr std::int64_t tasks_in(std::int64_t word) noexcept { return word >> 2; }

  typename P::template Atomic<std::int64_t> others_{0};
  std::int64_t own_;
};

} // namespace detail
} // namespace v1
} // namespace wstree
