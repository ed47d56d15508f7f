// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// for_each_while: work that makes work.
#pragma once

#include "wstree/parallel/call.h"
#include "wstree/parallel/lock.h"
#include "wstree/parallel/ranges.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Items of a call that no member works on at the moment, in bundles. A member keeps what it makes to itself,
/// and hands half of that over when another member has nothing: so a lock is taken once for many items.
template <class T> class Worklist {
public:
  using Bundle = std::vector<T>;

  explicit Worklist(std::vector<Bundle> bundles) : bundles_(std::move(bundles)) {}
  Worklist(const Worklist&) = delete;
  Worklist& operator=(const Worklist&) = delete;

  void arrive() noexcept {
    const Lock lock(mutex_);
    ++present_;
  }
  /// relaxed: a hint.
  bool is_wanted() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }
  void hand_over(Bundle bundle) {
    const Lock lock(mutex_);
    bundles_.push_back(std::move(bundle));
    bell_.wake_one();
  }
  /// Takes a bundle; waits for one as long as a member is at work. Returns false if none will come.
  bool take(Bundle& bundle, const Control& control) {
    Lock lock(mutex_);
    waiting_.store(waiting_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); // under the lock
    while (bundles_.empty() && !is_over_) {
      is_over_ = waiting_.load(std::memory_order_relaxed) == present_ || control.has_ended();
      if (is_over_)
        bell_.wake_all();
      else
        bell_.wait(lock);
    }
    if (is_over_) return false; // the member counts as waiting from now on
    waiting_.store(waiting_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed); // under the lock
    bundle = std::move(bundles_.back());
    bundles_.pop_back();
    return true;
  }
  /// The call ends early.
  void end() noexcept {
    const Lock lock(mutex_);
    is_over_ = true;
    bell_.wake_all();
  }

private:
  Mutex mutex_;
  Bell bell_;
  std::vector<Bundle> bundles_;
  std::uint32_t present_ = 0;
  std::atomic<std::uint32_t> waiting_{0}; // written under the lock
  bool is_over_ = false;
};

} // namespace detail

/// Where the body of for_each_while() puts items for later. The member that adds them, or any other one,
/// works on them.
template <class T> class worklist {
public:
  void push(T item) { items_.push_back(std::move(item)); }

private:
  template <execution_policy Policy, class Items, class Body>
  friend void for_each_while(const Policy& policy, Items&& items, Body&& body, call_site where);

  std::vector<T> items_;
};

/// Calls `body(item, more)` for each item of a range, and for each that the calls push into `more`, a
/// worklist<T>&, until there are none. T is the range's value type. In no order: a member takes what was
/// pushed last. The first exception ends the call and reaches the caller; items that have not
/// begun are destroyed.
template <execution_policy Policy, class Items, class Body>
void for_each_while(const Policy& policy, Items&& items, Body&& body,
                    call_site where = call_site::current()) {
  using T = std::remove_cvref_t<decltype(*std::begin(items))>;
  static_assert(
      std::is_invocable_v<Body&, T&, worklist<T>&>,
      "wstree: the body of for_each_while() takes an item, and a worklist to push other items into");
  std::vector<std::vector<T>> bundles(1);
  for (auto&& item : items) {
    if constexpr (detail::outlives_call<Items>)
      bundles[0].push_back(std::forward<decltype(item)>(item));
    else
      bundles[0].push_back(std::move(item)); // of a temporary container
  }
  if (bundles[0].empty()) return;
  detail::Worklist<T> list(std::move(bundles));
  detail::Control control;
  detail::Observed call(policy.at(where), 1);
  const auto work = [&](std::uint32_t member, std::uint32_t members) {
    detail::ObservedTiles observed(call, member, members);
    list.arrive();
    // What ends this member by an exception ends the other members' waits.
    struct End {
      detail::Worklist<T>& list;
      bool is_normal = false;
      ~End() {
        if (!is_normal) list.end();
      }
    } end{list};
    worklist<T> mine;
    while (list.take(mine.items_, control)) {
      while (!mine.items_.empty()) {
        if (!control.goes_on(policy)) return;
        if (mine.items_.size() > 1 && list.is_wanted()) {
          // The older half: these tend to make most work.
          const auto half = mine.items_.begin() + static_cast<std::ptrdiff_t>(mine.items_.size() / 2);
          list.hand_over(
              std::vector<T>(std::make_move_iterator(mine.items_.begin()), std::make_move_iterator(half)));
          mine.items_.erase(mine.items_.begin(), half);
        }
        T item = std::move(mine.items_.back());
        mine.items_.pop_back();
        observed.run(1, [&] { return body(item, mine), true; });
        policy.advance(1);
      }
    }
    end.is_normal = true;
  };
  detail::on_members(call.members(detail::most_members(policy)), control, work, policy.place());
  control.finish();
}
template <class Items, class Body>
requires(!execution_policy<Items>) void for_each_while(Items&& items, Body&& body,
                                                       call_site where = call_site::current()) {
  for_each_while(par(), std::forward<Items>(items), body, where);
}

} // namespace v1
} // namespace wstree
