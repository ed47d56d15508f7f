// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks, the elements in the queues of a thread pool.
#pragma once

#include "wstree/types/detail/block_cache.h"

#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <type_traits>
#include <utility>

#if defined(__cpp_exceptions)
#include <exception>
#endif

namespace wstree {
inline namespace v1 {
namespace detail {

/// A function to be executed once. `run` destroys it.
struct Task {
  void (*run)(Task*) noexcept;
  Task* next = nullptr;   ///< next task in its bundle (global_queue.h)
  Task* bundle = nullptr; ///< next bundle
};

/// The first exception of several tasks.
class Failure {
public:
  /// Calls `function()`, and keeps its exception. Returns false if it has thrown.
  template <class Function> bool guard(Function&& function) noexcept {
#if defined(__cpp_exceptions)
    try {
      function();
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (first_ == nullptr) first_ = std::current_exception();
      has_one_.store(true, std::memory_order_relaxed); // seen by a thread that sees the task done
      return false;
    }
#else
    function();
    return true;
#endif
  }
  /// Throws the kept exception, once. Called when the tasks are done.
  void raise() {
#if defined(__cpp_exceptions)
    if (!has_one_.load(std::memory_order_relaxed)) return;
    std::exception_ptr thrown;
    {
      const std::lock_guard lock(mutex_);
      std::swap(thrown, first_);
      has_one_.store(false, std::memory_order_relaxed);
    }
    if (thrown != nullptr) std::rethrow_exception(std::move(thrown));
#endif
  }

private:
#if defined(__cpp_exceptions)
  std::mutex mutex_;
  std::exception_ptr first_;
  std::atomic<bool> has_one_{false};
#endif
};

/// A task that executes `function` for `Owner`, and calls owner.execute(function) and then owner.finish().
template <class Owner, class Function> struct OwnedTask : Task {
  template <class F> OwnedTask(Owner& of, F&& f) : Task{&execute}, owner(of), function(static_cast<F&&>(f)) {}

  static constexpr bool k_in_block = sizeof(Task) + sizeof(void*) + sizeof(Function) <= BlockCache::k_bytes &&
                                     alignof(Function) <= alignof(void*);

  template <class F> static Task* make(Owner& of, F&& f) {
    if constexpr (k_in_block) {
      struct Fresh {
        void* block;
        ~Fresh() {
          if (block != nullptr) BlockCache::give(block);
        }
      } fresh{BlockCache::take()};
      Task* const made = ::new (fresh.block) OwnedTask(of, static_cast<F&&>(f));
      fresh.block = nullptr;
      return made;
    } else {
      return new OwnedTask(of, static_cast<F&&>(f));
    }
  }
  static void execute(Task* task) noexcept {
    auto* const self = static_cast<OwnedTask*>(task);
    Owner& owner = self->owner;
    owner.failure().guard([self] { self->function(); });
    destroy(self);
    owner.finish(); // the owner may be gone after that
  }
  static void destroy(OwnedTask* self) noexcept {
    if constexpr (k_in_block) {
      self->~OwnedTask();
      BlockCache::give(self);
    } else {
      delete self;
    }
  }

  Owner& owner;
  Function function;
};

} // namespace detail
} // namespace v1
} // namespace wstree
