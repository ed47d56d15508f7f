// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Shares elements out among any threads: n partitions, each an input range, that steal from each other.
///
///     wstree::partitioner parts(v.begin(), v.end(), 4);    // or (0, 1000, 4): the numbers themselves
///     for (auto part : parts)
///       threads.emplace_back([part] { for (auto& x : part) work(x); });
///
/// Each element is handed out once. A partition starts with an even share, goes through it from the left, and
/// then takes the right end of what other partitions have left. One that never comes, or stops early, keeps
/// nothing back: other partitions take what it was not handed, and left_over() has what no partition takes.
///
/// The end: a partition is through when it finds that every element was handed out. It does not wait until
/// other partitions have processed theirs, and none waits for another. (The published code goes on searching
/// until all elements have been *processed*, which may be for ever if a partition stops early.) Only if
/// elements are on their way from one partition to another while it looks, it looks again, a few times with
/// the processor given away; then it leaves them to that partition.
///
/// Complexity: an element: as work_stealing_range::take(), 1/chunk of it with chunks. The constructor: O(n).
/// A partition that has nothing left looks at all n; it steals O(log of a share) times from each, if all
/// elements cost alike. left_over(): O(n).
/// Thread safety: each partition is one thread's at a time, different ones are used at the same time.
/// A partition passes to another thread where the program synchronises the two. Constructor, destructor,
/// move, left_over(), left_over_size(): no other thread is in a partition, and what those threads did there
/// happens before. Any thread may call size() and operator[] at any time.
/// Exceptions: the constructor throws std::invalid_argument, std::length_error and std::bad_alloc,
/// left_over() throws std::bad_alloc. Partitions throw what the iterator's own operators throw. An element
/// whose work throws was handed out.
/// Memory: 640 bytes for each partition, allocated by the constructor; nothing later. Elements are not
/// copied. Partitions and their iterators are handles, which are valid as long as the partitioner lives.
/// Source: an article of two parts, "Load-balancing partitioner with work stealing". The code is that of the
/// schedule wsrange: wstree/core/range, where README.md says what the published code gets wrong.
#pragma once

#include "wstree/types/detail/check.h"
#include "wstree/types/detail/partitions.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

namespace wstree {
inline namespace v1 {

namespace detail {

/// A type of elements that can be shared out: numbers, or iterators.
template <class T>
concept partitionable = (std::integral<T> && !std::same_as<T, bool>) || std::random_access_iterator<T>;

template <partitionable T> struct ElementOf { using type = std::iter_value_t<T>; };
template <std::integral T>
requires partitionable<T>
struct ElementOf<T> {
  using type = T;
};

} // namespace detail

/// Elements, or numbers, shared out.
template <detail::partitionable I> class partitioner {
  static constexpr bool is_integer = std::integral<I>;
  static_assert(!is_integer || sizeof(I) <= sizeof(std::uint64_t), "wstree: integers have at most 64 bits");
  using Partitions = detail::Partitions<core::StdPlatform>;

public:
  class partition;
  class iterator;

  /// Elements [first, last) for n partitions. `chunk`: elements that a partition takes at a time, which
  /// thieves cannot take any more; 1 shares best, more costs less for each element. n = 0, chunk = 0, last
  /// before first: std::invalid_argument. n >= 2^20 or 2^63 - 1 elements: std::length_error. From some 2^32 /
  /// n elements in each partition on, chunks are larger than `chunk`.
  partitioner(I first, I last, std::size_t n, std::size_t chunk = 1)
      : first_(first), shared_(std::make_unique<Partitions>(count(first, last), partitions(n),
                                                            chunk != 0 ? chunk : refuse_chunk())) {}

  /// Returns the number of partitions.
  [[nodiscard]] std::size_t size() const noexcept { return shared_->partitions(); }
  [[nodiscard]] partition operator[](std::size_t i) const noexcept {
    return {first_, shared_.get(), static_cast<std::uint32_t>(i)};
  }
  /// Returns the partitions.
  [[nodiscard]] auto begin() const noexcept { return handle_iterator{this, 0}; }
  [[nodiscard]] auto end() const noexcept { return handle_iterator{this, size()}; }

  /// Returns the elements that no partition has handed out: pairs of bounds [first, last), in no order.
  [[nodiscard]] std::vector<std::pair<I, I>> left_over() const {
    std::vector<std::pair<I, I>> left;
    shared_->each_left([&](std::uint64_t begin, std::uint64_t end) {
      left.emplace_back(advanced(first_, begin), advanced(first_, end));
    });
    return left;
  }
  /// Returns the number of these elements.
  [[nodiscard]] std::uint64_t left_over_size() const noexcept {
    std::uint64_t elements = 0;
    shared_->each_left([&](std::uint64_t begin, std::uint64_t end) { elements += end - begin; });
    return elements;
  }

private:
  /// Over the partitions.
  class handle_iterator {
  public:
    using value_type = partition;
    using difference_type = std::ptrdiff_t;
    handle_iterator() = default;
    handle_iterator(const partitioner* of, std::size_t at) noexcept : of_(of), at_(at) {}
    partition operator*() const noexcept { return (*of_)[at_]; }
    handle_iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    handle_iterator operator++(int) noexcept { return {of_, at_++}; }
    bool operator==(const handle_iterator&) const = default;

  private:
    const partitioner* of_ = nullptr;
    std::size_t at_ = 0;
  };

  static I advanced(I first, std::uint64_t by) {
    if constexpr (is_integer)
      return static_cast<I>(static_cast<std::uint64_t>(first) + by);
    else
      return first + static_cast<std::iter_difference_t<I>>(by);
  }
  static std::uint64_t count(I first, I last) {
    if (last < first) detail::refuse_argument("wstree: the elements end before they begin");
    std::uint64_t elements = 0;
    if constexpr (is_integer)
      elements = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    else
      elements = static_cast<std::uint64_t>(last - first);
    if (elements >= std::numeric_limits<std::int64_t>::max())
      detail::refuse_length("wstree: 2^63 - 1 elements or more");
    return elements;
  }
  static std::uint32_t partitions(std::size_t n) {
    if (n == 0) detail::refuse_argument("wstree: no partitions");
    if (n >> 20 != 0) detail::refuse_length("wstree: 2^20 partitions or more");
    return static_cast<std::uint32_t>(n);
  }
  [[noreturn]] static std::size_t refuse_chunk() { detail::refuse_argument("wstree: chunks of no element"); }

  I first_;
  std::unique_ptr<Partitions> shared_;
};

/// A handle, to be copied: an input range, whose elements exist once. Each begin() takes an element, so after
/// a `break` the next loop goes on behind the element at which it stood.
template <detail::partitionable I> class partitioner<I>::partition : public std::ranges::view_base {
public:
  partition() = default;

  [[nodiscard]] iterator begin() const {
    iterator first(first_, shared_, number_);
    ++first;
    return first;
  }
  [[nodiscard]] static std::default_sentinel_t end() noexcept { return {}; }

private:
  friend partitioner;
  partition(I first, Partitions* shared, std::uint32_t number) noexcept
      : first_(first), shared_(shared), number_(number) {}

  I first_{};
  Partitions* shared_ = nullptr;
  std::uint32_t number_ = 0;
};

/// Over the elements of a partition. ++ takes the next one.
template <detail::partitionable I> class partitioner<I>::iterator {
public:
  using iterator_concept = std::input_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = typename detail::ElementOf<I>::type;

  iterator() = default;

  decltype(auto) operator*() const {
    if constexpr (is_integer)
      return advanced(first_, at_);
    else
      return *advanced(first_, at_);
  }
  iterator& operator++() noexcept {
    if (!shared_->next(number_, at_)) shared_ = nullptr;
    return *this;
  }
  void operator++(int) noexcept { ++*this; }
  friend bool operator==(const iterator& it, std::default_sentinel_t) noexcept {
    return it.shared_ == nullptr;
  }

private:
  friend partition;
  iterator(I first, Partitions* shared, std::uint32_t number) noexcept
      : first_(first), shared_(shared), number_(number) {}

  I first_{};
  Partitions* shared_ = nullptr;
  std::uint32_t number_ = 0;
  std::uint64_t at_ = 0;
};

} // namespace v1
} // namespace wstree
