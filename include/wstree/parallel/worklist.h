// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for_each_while: work that makes work.
#pragma once

#include "wstree/parallel/call.h"
#include "wstree/parallel/lock.h"
#include "wstree/parallel/ranges.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Items of a call that no member works on at the moment: a list for each member, to which it adds its items,
/// and from which it takes the latest one. A member that has none takes the older half of another member's
/// list: these items tend to make most work. Nothing is kept from other members while a body runs.
template <class T> class Worklist {
public:
  Worklist(std::vector<T> items, std::uint32_t members) : lists_(new List[members]), members_(members) {
    lists_[0].items = std::move(items);
  }
  Worklist(const Worklist&) = delete;
  Worklist& operator=(const Worklist&) = delete;

  void arrive() noexcept {
    const Lock lock(mutex_);
    ++present_;
  }
  void push(std::uint32_t member, T&& item) {
    {
      const Lock lock(lists_[member].mutex);
      lists_[member].items.push_back(std::move(item));
    }
    // relaxed: the list's lock orders it. A member counts as waiting before it looks at this list in
    // has_any(); if it has looked before the item came, the number is seen here.
    if (waiting_.load(std::memory_order_relaxed) == 0) return;
    const Lock lock(mutex_);
    ++rings_;
    bell_.wake_one();
  }
  /// Takes an item for `member`; waits for one as long as a member is at work. Nothing if none will come.
  std::optional<T> take(std::uint32_t member, const Control& control) {
    for (;;) {
      std::optional<T> item = take_own(member);
      for (std::uint32_t i = 1; !item.has_value() && i < members_; ++i)
        if (steal((member + i) % members_, member)) item = take_own(member);
      if (item.has_value() || !wait(control)) return item;
    }
  }
  /// The call ends early.
  void end() noexcept {
    const Lock lock(mutex_);
    is_over_ = true;
    bell_.wake_all();
  }

private:
  struct alignas(core::k_line_pair) List {
    Mutex mutex;
    std::vector<T> items; // under the lock; the last one came last
  };

  std::optional<T> take_own(std::uint32_t member) {
    List& list = lists_[member];
    const Lock lock(list.mutex);
    if (list.items.empty()) return {};
    std::optional<T> item(std::move(list.items.back()));
    list.items.pop_back();
    return item;
  }
  /// Returns whether `victim` had items.
  bool steal(std::uint32_t victim, std::uint32_t member) {
    std::vector<T> items;
    {
      List& list = lists_[victim];
      const Lock lock(list.mutex);
      const auto end = list.items.begin() + static_cast<std::ptrdiff_t>((list.items.size() + 1) / 2);
      items.assign(std::make_move_iterator(list.items.begin()), std::make_move_iterator(end));
      list.items.erase(list.items.begin(), end);
    }
    if (items.empty()) return false;
    List& own = lists_[member];
    const Lock lock(own.mutex);
    own.items = std::move(items); // was empty, and none but its member adds to it
    return true;
  }
  bool has_any() noexcept {
    for (std::uint32_t i = 0; i < members_; ++i) {
      const Lock lock(lists_[i].mutex);
      if (!lists_[i].items.empty()) return true;
    }
    return false;
  }
  /// Returns true when there may be items, and false once all members that have come wait without any.
  bool wait(const Control& control) noexcept {
    Lock lock(mutex_);
    const std::uint64_t rings = rings_;
    // relaxed, all: written under the lock.
    waiting_.store(waiting_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    lock.unlock();
    const bool has_items = has_any();
    lock.lock();
    is_over_ = is_over_ || control.has_ended() ||
               (!has_items && waiting_.load(std::memory_order_relaxed) == present_);
    while (!has_items && !is_over_ && rings_ == rings) bell_.wait(lock);
    if (is_over_) {
      bell_.wake_all();
      return false; // the member counts as waiting from now on
    }
    waiting_.store(waiting_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    return true;
  }

  const std::unique_ptr<List[]> lists_;
  const std::uint32_t members_;
  Mutex mutex_;
  Bell bell_;
  // Under the lock:
  std::uint32_t present_ = 0;
  std::uint64_t rings_ = 0;
  std::atomic<std::uint32_t> waiting_{0}; // read without it, too
  bool is_over_ = false;
};

} // namespace detail

/// A list for the body of for_each_while() to put items on for later. The member that adds them, or any other
/// one, works on them, also while the body runs. Several threads may add items.
template <class T> class worklist {
public:
  void push(T item) { list_.push(member_, std::move(item)); }

private:
  template <execution_policy Policy, class Items, class Body>
  friend void for_each_while(const Policy& policy, Items&& items, Body&& body, call_site where);

  worklist(detail::Worklist<T>& list, std::uint32_t member) noexcept : list_(list), member_(member) {}

  detail::Worklist<T>& list_;
  std::uint32_t member_;
};

/// Calls `body(item, more)` for each item of a range, and for each that the calls push into `more`, a
/// worklist<T>&, until there are none. T is the range's value type. In no order: a member takes the item
/// that was pushed last. The first exception ends the call and reaches the caller; items that have not begun
/// are destroyed.
template <execution_policy Policy, class Items, class Body>
void for_each_while(const Policy& policy, Items&& items, Body&& body,
                    call_site where = call_site::current()) {
  using T = std::remove_cvref_t<decltype(*std::begin(items))>;
  static_assert(
      std::is_invocable_v<Body&, T&, worklist<T>&>,
      "wstree: the body of for_each_while() takes an item, and a worklist to push other items into");
  std::vector<T> first;
  for (auto&& item : items) {
    if constexpr (detail::outlives_call<Items>)
      first.push_back(std::forward<decltype(item)>(item));
    else
      first.push_back(std::move(item)); // the container is temporary
  }
  if (first.empty()) return;
  detail::Control control;
  detail::Observed call(policy.at(where), 1);
  const std::uint32_t most = call.members(detail::most_members(policy));
  detail::Worklist<T> list(std::move(first), most);
  const auto work = [&](std::uint32_t member, std::uint32_t members) {
    detail::ObservedTiles observed(call, member, members);
    list.arrive();
    // An exception that ends this member ends the other members' waits.
    struct End {
      detail::Worklist<T>& list;
      bool is_normal = false;
      ~End() {
        if (!is_normal) list.end();
      }
    } end{list};
    worklist<T> more(list, member);
    while (std::optional<T> item = list.take(member, control)) {
      if (!control.goes_on(policy)) return;
      observed.run(1, [&] { return body(*item, more), true; });
      policy.advance(1);
    }
    end.is_normal = true;
  };
  detail::on_members(most, control, work, policy.place());
  control.finish();
}
template <class Items, class Body>
requires(!execution_policy<Items>) void for_each_while(Items&& items, Body&& body,
                                                       call_site where = call_site::current()) {
  for_each_while(par(), std::forward<Items>(items), body, where);
}

} // namespace v1
} // namespace wstree
