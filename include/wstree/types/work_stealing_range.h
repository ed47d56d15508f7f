// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A range of numbers whose owner takes from the left while thieves steal its right end.
///
///     wstree::work_stealing_range mine(0, 1000);
///     while (auto i = mine.take()) ...              // the owner: one after the other
///     if (auto part = mine.steal()) ...             // any thread: up to a third of what is left
///
/// Complexity: everything constant. take(): a store that is visible at once (`xchg` on x86); in the last
/// quarter, and where thieves have been, a compare-and-swap as well. steal(): one compare-and-swap.
/// Thread safety: take() is the owner's: one thread at a time. Ownership passes on where the program
/// synchronises the two threads. Any thread may call steal(), size() and empty() at any time. Constructor and
/// destructor: no other thread uses the range. Progress: take() repeats only where a thief has got something;
/// steal() is wait-free, and gives up where another thread was faster.
/// Exceptions: the constructor throws std::invalid_argument and std::length_error. Nothing else throws.
/// Memory: 512 bytes, so that owner and thieves write different cache lines. Nothing is allocated.
/// Source: an article of two parts, "Load-balancing partitioner with work stealing": this is the
/// WorkStealingRange of part one; <wstree/types/partitioner.h> has part two. wstree/core/range/README.md says
/// what of the published code loses or repeats elements, and what stands here instead: a word for the object
/// that a collector keeps apart, so that a range is filled once, in its constructor. A thief makes a
/// new one of what it has stolen.
#pragma once

#include "wstree/types/detail/check.h"
#include "wstree/types/detail/partitions.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace wstree {
inline namespace v1 {

/// Numbers [first, last).
struct index_range {
  std::int64_t first = 0;
  std::int64_t last = 0;

  [[nodiscard]] constexpr bool empty() const noexcept { return first == last; }
  [[nodiscard]] constexpr std::uint64_t size() const noexcept {
    return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  }
  constexpr bool operator==(const index_range&) const = default;
};

/// Numbers that one owner and any thieves take.
class work_stealing_range {
public:
  /// first <= last, else std::invalid_argument; less than 2^32 numbers, else std::length_error.
  work_stealing_range(std::int64_t first, std::int64_t last)
      : first_(first), range_(size_of({first, last})) {}
  explicit work_stealing_range(index_range numbers) : work_stealing_range(numbers.first, numbers.last) {}
  work_stealing_range(const work_stealing_range&) = delete;
  work_stealing_range& operator=(const work_stealing_range&) = delete;

  /// Takes the lowest number that is left, as the owner. Nothing, from then on for ever, if none is.
  [[nodiscard]] std::optional<std::int64_t> take() noexcept {
    std::uint32_t begin = 0, end = 0;
    if (!range_.take(1, begin, end)) return std::nullopt;
    return first_ + begin;
  }
  /// Takes the `most` lowest numbers, that are left, as the owner, fewer where there are not so many. At
  /// least one.
  [[nodiscard]] std::optional<index_range> take(std::uint32_t most) noexcept {
    std::uint32_t begin = 0, end = 0;
    if (!range_.take(std::max<std::uint32_t>(most, 1), begin, end)) return std::nullopt;
    return index_range{first_ + begin, first_ + end};
  }
  /// Takes numbers at the right end, in any thread, at most half as many as it leaves, of the last few one.
  /// Nothing if nothing is left, or if the owner or another thief was faster.
  [[nodiscard]] std::optional<index_range> steal() noexcept {
    std::uint32_t begin = 0, end = 0;
    if (!range_.steal(begin, end)) return std::nullopt;
    return index_range{first_ + begin, first_ + end};
  }

  /// Exact while no thread takes or steals.
  [[nodiscard]] std::uint32_t size() const noexcept { return range_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

private:
  static std::uint32_t size_of(index_range numbers) {
    if (numbers.first > numbers.last) detail::refuse_argument("wstree: a range ends before it begins");
    if (numbers.size() >> 32 != 0) detail::refuse_length("wstree: 2^32 numbers or more in a range");
    return static_cast<std::uint32_t>(numbers.size());
  }

  std::int64_t first_;
  detail::StealableRange<core::StdPlatform> range_;
};

} // namespace v1
} // namespace wstree
