// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A queue with a private end for one thread, its owner, and a public end for all other threads.
///
///     wstree::work_stealing_queue<Task> mine;
///     mine.push(task);              // the owner: the newest first
///     while (auto task = mine.pop()) ...
///     if (auto task = mine.steal()) // any thread: the oldest first
///
/// Complexity: push(), pop(), steal(): constant; push() takes time proportional to the elements that are in
/// the queue each time it doubles its array, from 32 on.
/// Thread safety: push(), emplace() and pop() are the owner's: one thread at a time. Ownership passes on
/// where the program synchronises the two threads. Any thread, the owner too, may call steal(), try_steal(),
/// empty() and size() at any time. Constructor and destructor: no other thread uses the queue. Progress:
/// lock_free: of the threads that work at the queue one always gets on, also if others are suspended.
/// lock_on_contention: thieves take a lock, the owner takes it for the last element only; a thread that is
/// suspended with it stops the others.
/// Exceptions: push() and emplace() pass on what the element's constructor throws, and std::bad_alloc; the
/// queue is as it was then. Nothing else throws: elements that are not trivial have to be nothrow-movable.
/// Memory: trivial elements of up to eight bytes stand in the array itself. Every other one has a box of its
/// own, and the owner keeps up to 64 boxes for reuse. Outgrown arrays, together as large as the present one,
/// are kept until the queue is destroyed, because a thief may still be reading one.
/// Source: J. Duffy, "Building a custom thread pool (series, part 2): a work stealing queue" (2008);
/// D. Chase, Y. Lev, "Dynamic circular work-stealing deque" (2005). The queues are those of the schedules
/// wsqueue_lock and wsqueue (wstree/core/queue), where their memory orders and changes are explained.
#pragma once

#include "wstree/core/platform.h"
#include "wstree/core/queue/lock_free_queue.h"
#include "wstree/core/queue/locked_queue.h"
#include "wstree/types/detail/queue_words.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {

/// The protocol between the owner and thieves at the last elements.
enum class queue_form : std::uint8_t {
  lock_free,          ///< Chase and Lev: a thread that loses a race for an element tries the next
  lock_on_contention, ///< Duffy: one thief at a time, and the owner waits for it at the last element
};

namespace detail {

[[noreturn]] inline void no_memory() {
#if defined(__cpp_exceptions)
  throw std::bad_alloc();
#else
  std::abort();
#endif
}

/// P: the Platform, so that the tests' model checker runs this code. k_initial: elements that have room
/// before the first growth, a power of two.
template <class P, class T, queue_form Form, std::size_t k_initial> class BasicWorkStealingQueue {
  using Queue = std::conditional_t<Form == queue_form::lock_free, core::ChaseLevQueue<P, k_initial>,
                                   core::DuffyQueue<P, k_initial>>;

public:
  using value_type = T;
  static constexpr queue_form form = Form;

  BasicWorkStealingQueue() = default;
  BasicWorkStealingQueue(const BasicWorkStealingQueue&) = delete;
  BasicWorkStealingQueue& operator=(const BasicWorkStealingQueue&) = delete;
  ~BasicWorkStealingQueue() {
    queue_.each([](std::uint64_t word) { static_cast<void>(QueueWords<T>::take(word)); });
  }

  /// The owner's.
  void push(T value) { emplace(std::move(value)); }
  template <class... Args> void emplace(Args&&... args) {
    const std::uint64_t word = words_.make(static_cast<Args&&>(args)...);
    if (queue_.push(word)) [[likely]]
      return;
    static_cast<void>(words_.take_own(word));
    no_memory();
  }

  /// Takes the newest element, as the owner; nothing if there is none.
  [[nodiscard]] std::optional<T> pop() noexcept {
    std::uint64_t word = 0;
    if (!queue_.pop(word)) return std::nullopt;
    return words_.take_own(word);
  }

  /// Takes the oldest element, in any thread; nothing if there is none at some moment during the call.
  [[nodiscard]] std::optional<T> steal() noexcept {
    std::uint64_t word = 0;
    for (;;) {
      const core::Theft theft = queue_.steal(word, true);
      if (theft == core::Theft::taken) return QueueWords<T>::take(word);
      if (theft == core::Theft::empty) return std::nullopt;
      P::yield(); // another thread has had the lock for long
    }
  }
  /// Steals as steal() does, but gives up where it would meet another thief or the owner. For a first pass
  /// over many queues.
  [[nodiscard]] std::optional<T> try_steal() noexcept {
    std::uint64_t word = 0;
    if (queue_.steal(word, false) != core::Theft::taken) return std::nullopt;
    return QueueWords<T>::take(word);
  }

  /// The values were true at some moment; exact for an owner without thieves.
  [[nodiscard]] bool empty() const noexcept { return queue_.looks_empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return queue_.seen_size(); }

private:
  Queue queue_;
  [[no_unique_address]] QueueWords<T> words_;
};

} // namespace detail

template <class T, queue_form Form = queue_form::lock_free>
using work_stealing_queue = detail::BasicWorkStealingQueue<core::StdPlatform, T, Form, 32>;

} // namespace v1
} // namespace wstree
