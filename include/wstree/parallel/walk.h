// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over elements that can only be walked through: lists, maps, unordered containers.
#pragma once

#include "wstree/parallel/call.h"
#include "wstree/parallel/lock.h"
#include "wstree/parallel/ranges.h"

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <vector> // the concepts of iterators, at half of what <iterator> costs

namespace wstree {
inline namespace v1 {
namespace detail {

template <class T>
concept walking_iterator = std::forward_iterator<T> && !std::random_access_iterator<T>;

/// Elements that can only be walked through. A random-access range with a known size is not among them.
template <class R>
concept walked_range = !range<R> && requires(R & r) {
  requires std::forward_iterator<decltype(std::begin(r))>;
  requires std::sentinel_for<decltype(std::end(r)), decltype(std::begin(r))>;
};

/// The elements that no member has taken yet. A member walks over the elements that it takes, and then calls
/// the function for each; there is no list of elements.
template <class Iterator, class Sentinel> class Walk {
public:
  struct Chunk {
    Iterator first;
    std::uint64_t begin, count;
  };

  Walk(Iterator first, Sentinel last) : at_(first), last_(last) {}

  /// Takes `wanted` elements, or fewer at the end.
  Chunk take(std::uint64_t wanted) {
    const Lock lock(mutex_);
    const Chunk chunk{at_, taken_, walk(wanted)};
    taken_ += chunk.count;
    return chunk;
  }
  /// Called by the only member. Returns whether so many elements are left; the walk stays where it is.
  bool has(std::uint64_t wanted) const {
    Iterator probe = at_;
    for (; wanted != 0 && probe != last_; --wanted) ++probe;
    return wanted == 0;
  }

private:
  std::uint64_t walk(std::uint64_t wanted) {
    std::uint64_t count = 0;
    for (; count != wanted && at_ != last_; ++count) ++at_;
    return count;
  }

  Mutex mutex_;
  Iterator at_;
  Sentinel last_;
  std::uint64_t taken_ = 0;
};

/// The number of elements that a member takes next: as many as take the longest target of a batch, at most
/// twice as many as before.
template <class P> class ChunkSize {
public:
  std::uint64_t next() const noexcept { return size_; }
  void took(std::uint64_t elements, std::uint64_t ticks) noexcept {
    if (ticks * 2 < target_ && elements == size_)
      size_ *= 2;
    else if (ticks > target_)
      size_ = size_ / 2 + size_ % 2;
  }

private:
  const std::uint64_t target_ = core::settings_by_clock<P>().longest_target;
  std::uint64_t size_ = 1;
};

/// Calls `function` for elements that it takes from `walk`, until none is left, the call has ended, or
/// `enough(ticks, elements)` since the beginning.
template <class Policy, class Walk, class Function, class Enough>
void walk_on(const Policy& policy, Walk& walk, Control& control, ObservedTiles* observed, Function& function,
             Enough enough) {
  ChunkSize<core::StdPlatform> size;
  const std::uint64_t since = core::StdPlatform::ticks();
  std::uint64_t before = since, done = 0;
  for (;;) {
    const std::uint64_t wanted = std::max(std::min(size.next(), policy.max_chunk()), policy.min_chunk());
    auto chunk = walk.take(wanted);
    if (chunk.count == 0 || !control.goes_on(policy)) return;
    const auto run = [&] {
      for (std::uint64_t i = 0; i != chunk.count; ++i, ++chunk.first) function(*chunk.first);
      return true;
    };
    const bool is_done = control.guard(chunk.begin, [&] {
      if (observed != nullptr)
        observed->run(chunk.count, run);
      else
        run();
    });
    if (!is_done) return;
    policy.advance(chunk.count);
    done += chunk.count;
    const std::uint64_t now = core::StdPlatform::ticks();
    size.took(chunk.count, core::elapsed(before, now));
    if (enough(core::elapsed(since, now), done)) return;
    before = now;
  }
}

template <execution_policy Policy, class Iterator, class Sentinel, class Function>
void walk(const Policy& policy, Iterator first, Sentinel last, Function& function, call_site where) {
  if (first == last) return;
  Walk<Iterator, Sentinel> walk(first, last);
  Control control;
  // The caller begins alone, and ends alone if fewer elements are left than it has done.
  const std::uint64_t alone = core::ticks_in<core::StdPlatform>(core::tuning::k_alone_ns);
  bool is_long = false;
  walk_on(policy, walk, control, nullptr, function, [&](std::uint64_t ticks, std::uint64_t done) {
    is_long = ticks > alone && walk.has(done);
    return ticks > alone;
  });
  const auto never = [](std::uint64_t, std::uint64_t) { return false; };
  if (!control.has_ended()) {
    if (is_long) {
      Observed call(policy, where, 0);
      on_members(
          call.members(most_members(policy)), control,
          [&](std::uint32_t member, std::uint32_t members) {
            ObservedTiles observed(call, member, members);
            walk_on(policy, walk, control, &observed, function, never);
          },
          policy.place());
    } else {
      walk_on(policy, walk, control, nullptr, function, never);
    }
  }
  control.finish();
}

} // namespace detail

/// Calls `function(element)` for each element of a range without random access. Members take chunks of
/// neighbours, one member at a time, so the way through the elements is gone twice and should be short beside
/// the function's work.
/// Memory: none for elements.
template <execution_policy Policy, detail::walking_iterator Iterator, std::sentinel_for<Iterator> Sentinel,
          class Function>
void for_each(const Policy& policy, Iterator first, Sentinel last, Function&& function,
              call_site where = call_site::current()) {
  detail::check_function<Function, std::iter_reference_t<Iterator>>();
  detail::walk(policy, first, last, function, where);
}
template <detail::walking_iterator Iterator, std::sentinel_for<Iterator> Sentinel, class Function>
void for_each(Iterator first, Sentinel last, Function&& function, call_site where = call_site::current()) {
  for_each(par(), first, last, function, where);
}
template <execution_policy Policy, detail::walked_range R, class Function>
void for_each(const Policy& policy, R&& r, Function&& function, call_site where = call_site::current()) {
  detail::check_function<Function, decltype(*std::begin(r))>();
  detail::walk(policy, std::begin(r), std::end(r), function, where);
}
template <detail::walked_range R, class Function>
void for_each(R&& r, Function&& function, call_site where = call_site::current()) {
  for_each(par(), r, function, where);
}

} // namespace v1
} // namespace wstree
