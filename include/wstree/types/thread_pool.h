// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Threads that execute tasks, for programs without OpenMP.
///
///     wstree::thread_pool pool;                                // a thread for each processor
///     auto answer = pool.submit([] { return 42; });            // a future
///     pool.run([] { log(); });                                 // no wait for this one alone
///     pool.wait();                                             // for everything
///     wstree::for_each(wstree::par().on(pool), 0, n, body);    // with <wstree/parallel/for_each.h>
///     wstree::task_group group(pool);                          // fork and join, also inside of tasks
///     group.run([] { left(); });
///     right();
///     group.wait();
///
/// A task that a member of the pool makes goes to the private end of the member's own queue, every other one
/// to a global queue. A member looks for work in its own queue, then in the global queue, then it steals from
/// other members, the oldest first.
///
/// Complexity: making and taking a task: constant, one allocation of a block that threads keep for reuse, or
/// of new memory if the function has more than 32 bytes; a search for work: proportional to the members.
/// Thread safety: any thread, also a task, may call run() and submit() at any time. wait() is for threads
/// outside of the pool. A task_group has an owner, the thread that has made it: only the owner waits for
/// it and destroys it; the owner and the group's own tasks run() tasks in it. A future is one thread's at
/// a time.
/// Waiting: where a member of the pool waits for a group or a future, it executes other tasks meanwhile, on
/// its stack: do not wait while you hold a lock that other tasks want. Threads outside the pool sleep.
/// Idleness: a member that finds nothing looks around for some microseconds and sleeps then, in the kernel.
/// Exceptions: the first one that run() tasks throw leaves the next wait(); that of a group its wait(); that
/// of a submitted task get(). run() and submit() throw what the function's copy throws, and std::bad_alloc;
/// the constructor throws std::system_error if a thread cannot be had.
/// Destruction: the pool executes all tasks that are queued, and those that they make, and then ends its
/// threads. Exceptions that no wait() or get() has thrown are dropped. Futures may outlive it, groups not.
/// Memory: queues grow, and keep what they have grown to; threads keep up to 64 blocks of 64 bytes, and the
/// process up to 2 MiB of them.
/// Source: J. Duffy, "Building a custom thread pool (series, part 2): a work stealing queue" (2008).
#pragma once

#include "wstree/types/detail/crew.h"
#include "wstree/types/detail/future_state.h"
#include "wstree/types/detail/pool_place.h"

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include <sched.h>

#if defined(__cpp_exceptions)
#include <stdexcept>
#endif

namespace wstree {
inline namespace v1 {

/// The value of a submitted task, or its exception.
template <class R> class pool_future {
public:
  pool_future() noexcept = default;
  pool_future(pool_future&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  pool_future& operator=(pool_future&& other) noexcept {
    pool_future(std::move(other)).swap(*this);
    return *this;
  }
  /// Does not wait.
  ~pool_future() {
    if (state_ != nullptr) state_->drop();
  }
  void swap(pool_future& other) noexcept { std::swap(state_, other.state_); }

  /// Returns whether the future has a state; false after get().
  [[nodiscard]] bool valid() const noexcept { return state_ != nullptr; }
  // The functions below are undefined unless valid().

  /// Returns whether the task is done, so that get() does not wait.
  [[nodiscard]] bool is_ready() const noexcept { return state_->is_ready(); }
  void wait() const noexcept { state_->wait(); }
  /// Waits for the task, and returns its value or throws its exception. The future has no state afterwards.
  R get() {
    pool_future last(std::move(*this));
    last.state_->wait();
    return last.state_->get();
  }

private:
  friend class thread_pool;
  explicit pool_future(detail::FutureState<R>* state) noexcept : state_(state) {}

  detail::FutureState<R>* state_ = nullptr;
};

class thread_pool {
public:
  /// 0 threads: one for each processor that the calling thread may use.
  explicit thread_pool(std::uint32_t threads = 0, pool_order order = pool_order::lifo)
      : place_(&crew_), crew_(threads != 0 ? threads : processors(), order) {}

  std::uint32_t size() const noexcept { return crew_.size(); }

  /// Executes `function()` some time.
  template <class Function> void run(Function&& function) {
    crew_.post(detail::OwnedTask<thread_pool, std::decay_t<Function>>::make(
        *this, static_cast<Function&&>(function)));
  }
  /// Executes the function as a task, and returns a future of its result.
  template <class Function> auto submit(Function&& function) {
    using F = std::decay_t<Function>;
    using R = std::invoke_result_t<F&>;
    auto* const task = new detail::FutureTask<R, F>(crew_, static_cast<Function&&>(function));
    pool_future<R> future(task);
    crew_.post(task);
    return future;
  }

  /// Waits until all tasks are done, submitted ones too, and those that they have made. Throws the
  /// exception of a run() task. Not from a task of this pool, which would wait for itself: that
  /// throws std::logic_error.
  void wait() {
#if defined(__cpp_exceptions)
    if (crew_.me() != nullptr) throw std::logic_error("wstree: a task waits for its own pool");
#endif
    crew_.wait_until_quiet();
    failure_.raise();
  }

  /// For par().on(pool).
  const detail::Place& place() const noexcept { return place_; }

private:
  friend class task_group;
  template <class, class> friend struct detail::OwnedTask;

  static std::uint32_t processors() noexcept {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
      return static_cast<std::uint32_t>(CPU_COUNT(&set));
    const std::uint32_t all = std::thread::hardware_concurrency();
    return all != 0 ? all : 1;
  }
  detail::Failure& failure() noexcept { return failure_; }
  void finish() noexcept {} // the crew counts

  detail::Failure failure_;
  detail::PoolPlace place_;
  detail::Crew crew_; // the last: its threads use the others until they end
};

/// Tasks that their owner waits for together.
class task_group {
public:
  explicit task_group(thread_pool& pool) noexcept
      : crew_(pool.crew_), owner_(this_thread()), member_(pool.crew_.me()) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Waits. Exceptions of tasks are dropped.
  ~task_group() { crew_.wait_for(count_); }

  template <class Function> void run(Function&& function) {
    detail::Task* const task =
        detail::OwnedTask<task_group, std::decay_t<Function>>::make(*this, static_cast<Function&&>(function));
    owner_ == this_thread() ? count_.add_own() : count_.add();
    crew_.post(task);
  }
  /// Waits until all tasks of the group are done. Throws the first exception of a task.
  void wait() {
    crew_.wait_for(count_);
    failure_.raise();
  }

private:
  template <class, class> friend struct detail::OwnedTask;

  /// No two threads have the same at a time.
  static const void* this_thread() noexcept { return &detail::CrewMember::mine(); }
  detail::Failure& failure() noexcept { return failure_; }
  void finish() noexcept {
    if (owner_ == this_thread()) return count_.finish_own();
    detail::Crew& crew = crew_;
    detail::CrewMember* const member = member_;
    crew.wake(count_.finish(), member);
  }

  detail::Crew& crew_;
  const void* owner_;
  detail::CrewMember* member_; ///< the owner, if it is one of the pool
  detail::TaskCount<detail::PoolPlatform> count_;
  detail::Failure failure_;
};

} // namespace v1
} // namespace wstree
