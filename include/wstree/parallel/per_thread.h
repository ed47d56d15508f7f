// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A value for each thread that calls for one, and the combination of all of them.
///
///     wstree::per_thread<std::vector<int>> found;
///     wstree::for_each(rows, [&](const row& r) { if (r.is_bad()) found.local().push_back(r.number); });
///     found.for_each([](std::vector<int>& part) { ... });
///
/// The elements that meet in a value depend on the threads that executed them: results that depend on that
/// order differ from run to run. For results that do not differ, use fold() or reduce().
///
/// Complexity: local(): a look at a small table; the first call of a thread makes its value.
/// Thread safety: local() by any thread at any time. All other functions: no other thread is in the object,
/// and what the threads did happens before. A thread that starts when another one has ended may go on with
/// the value of that. Exceptions: local() throws what making a value throws, and std::bad_alloc. Memory: 128
/// bytes for each value besides its own, so that no two values share a line. Source:
/// enumerable_thread_specific of oneTBB has the same purpose.
#pragma once

#include "wstree/core/platform.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Stands for the executing thread as long as it runs.
inline thread_local char t_this_thread = 0;

template <class T> struct DefaultMake {
  T operator()() const { return T(); }
};

} // namespace detail

/// `Make`: a function without arguments that makes a thread's first value; it is called by that thread.
template <class T, class Make = detail::DefaultMake<T>> class per_thread {
public:
  per_thread() requires std::is_default_constructible_v<Make> {}
  explicit per_thread(Make make) : make_(std::move(make)) {}
  per_thread(const per_thread&) = delete;
  per_thread& operator=(const per_thread&) = delete;
  ~per_thread() { clear(); }

  /// Returns the executing thread's value.
  T& local() {
    const void* const me = &detail::t_this_thread;
    std::atomic<Entry*>& head = heads_[number_of(me) % k_heads];
    // acquire: the entry is complete; pairs with the release below. Guard: parallel per_thread under the
    // thread sanitizer.
    Entry* const first = head.load(std::memory_order_acquire);
    for (Entry* at = first; at != nullptr; at = at->next)
      if (at->owner == me) return at->value;
    return add(head, first, me).value;
  }

  /// Returns the threads that have a value.
  std::size_t size() const noexcept { return count_.load(std::memory_order_relaxed); }

  /// Calls function(value) for each value, in the order in which the threads came.
  template <class Function> void for_each(Function&& function) {
    for (std::size_t number = 0; number < size(); ++number)
      for (std::atomic<Entry*>& head : heads_)
        for (Entry* at = head.load(std::memory_order_relaxed); at != nullptr;
             at = at->next) // no other thread is here
          if (at->number == number) function(at->value);
  }
  /// Returns all values, combined in that order by `operation(left, right)`; without any the value of a
  /// new thread.
  template <class Operation> T combine(Operation&& operation) {
    T all = make_();
    bool is_first = true;
    for_each([&](T& value) {
      if (std::exchange(is_first, false))
        all = value;
      else
        all = operation(std::move(all), value);
    });
    return all;
  }
  /// Destroys all values.
  void clear() noexcept {
    for (std::atomic<Entry*>& head : heads_)
      for (Entry* at = head.exchange(nullptr, std::memory_order_relaxed); at != nullptr;) // likewise
        delete std::exchange(at, at->next);
    count_.store(0, std::memory_order_relaxed); // likewise
  }

private:
  struct alignas(core::k_line_pair) Entry {
    const void* owner;
    Entry* next;
    std::size_t number;
    T value;
  };
  static constexpr std::size_t k_heads = 32;

  static std::size_t number_of(const void* thread) noexcept {
    return (reinterpret_cast<std::uintptr_t>(thread) * 0x9E3779B97F4A7C15U) >> 48;
  }
  [[gnu::noinline]] Entry& add(std::atomic<Entry*>& head, Entry* first, const void* me) {
    // relaxed: numbers are unique, and read when no other thread is here.
    auto* const entry = new Entry{me, first, 0, make_()};
    entry->number = count_.fetch_add(1, std::memory_order_relaxed);
    // release: see local().
    while (!head.compare_exchange_weak(entry->next, entry, std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
    return *entry;
  }

  [[no_unique_address]] Make make_{};
  std::atomic<Entry*> heads_[k_heads]{};
  std::atomic<std::size_t> count_{0};
};
template <class Make> per_thread(Make) -> per_thread<std::remove_cvref_t<std::invoke_result_t<Make&>>, Make>;

} // namespace v1
} // namespace wstree
