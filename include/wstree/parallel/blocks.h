// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranges of two and three dimensions in blocks, and ranges of numbers in steps, as ranges that every
// algorithm takes.
#pragma once

#include "wstree/parallel/ranges.h"
#include "wstree/parallel/wrong_call.h"
#include "wstree/types/detail/check.h"

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector> // the concepts of iterators, at half of what <iterator> costs

namespace wstree {
inline namespace v1 {

/// The integers of [first, last), in order.
struct interval {
  std::ptrdiff_t first, last;

  template <std::integral First, std::integral Last>
  constexpr interval(First from, Last to) noexcept
      : first(static_cast<std::ptrdiff_t>(from)), last(static_cast<std::ptrdiff_t>(to)) {}
  template <std::integral N>
  constexpr interval(N n) noexcept : interval(N{0}, n) {} // NOLINT: implicit on purpose

  struct iterator {
    std::ptrdiff_t at;
    constexpr std::ptrdiff_t operator*() const noexcept { return at; }
    constexpr iterator& operator++() noexcept { return ++at, *this; }
    constexpr bool operator==(const iterator&) const noexcept = default;
  };
  constexpr iterator begin() const noexcept { return {first}; }
  constexpr iterator end() const noexcept { return {first < last ? last : first}; }
  constexpr std::size_t size() const noexcept {
    return first < last ? static_cast<std::size_t>(last) - static_cast<std::size_t>(first) : 0;
  }
};

namespace detail {

/// A range of `Source::size()` elements, of which element i is `source[i]`.
template <class Source> class Computed {
public:
  class iterator {
  public:
    using value_type = std::remove_cvref_t<decltype(std::declval<const Source&>()[0])>;
    using difference_type = std::ptrdiff_t;
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::input_iterator_tag;

    constexpr iterator() = default;
    constexpr iterator(const Source& source, std::size_t at) noexcept : source_(source), at_(at) {}
    constexpr value_type operator*() const noexcept { return source_[at_]; }
    constexpr value_type operator[](difference_type n) const noexcept { return *(*this + n); }
    constexpr iterator& operator+=(difference_type n) noexcept {
      at_ += static_cast<std::size_t>(n);
      return *this;
    }
    constexpr iterator& operator-=(difference_type n) noexcept {
      at_ -= static_cast<std::size_t>(n);
      return *this;
    }
    constexpr iterator& operator++() noexcept { return *this += 1; }
    constexpr iterator& operator--() noexcept { return *this -= 1; }
    constexpr iterator operator++(int) noexcept { return *this += 1, *this - 1; }
    constexpr iterator operator--(int) noexcept { return *this -= 1, *this + 1; }
    friend constexpr iterator operator+(iterator i, difference_type n) noexcept { return i += n; }
    friend constexpr iterator operator+(difference_type n, iterator i) noexcept { return i += n; }
    friend constexpr iterator operator-(iterator i, difference_type n) noexcept { return i -= n; }
    friend constexpr difference_type operator-(const iterator& a, const iterator& b) noexcept {
      return static_cast<difference_type>(a.at_ - b.at_);
    }
    constexpr bool operator==(const iterator& other) const noexcept { return at_ == other.at_; }
    constexpr auto operator<=>(const iterator& other) const noexcept { return at_ <=> other.at_; }

  private:
    Source source_{};
    std::size_t at_ = 0;
  };

  constexpr explicit Computed(const Source& source) noexcept : source_(source) {}
  constexpr iterator begin() const noexcept { return {source_, 0}; }
  constexpr iterator end() const noexcept { return {source_, source_.size()}; }
  constexpr std::size_t size() const noexcept { return source_.size(); }

private:
  Source source_;
};

/// Blocks of an index space of D dimensions, the last of which varies fastest.
template <std::size_t D> struct Blocks {
  std::array<std::ptrdiff_t, D> first{}, last{}, edge{};
  std::array<std::size_t, D> count{};

  constexpr std::size_t size() const noexcept {
    std::size_t all = 1;
    for (const std::size_t n : count) all *= n;
    return all;
  }
  constexpr std::array<interval, D> operator[](std::size_t i) const noexcept {
    std::array<std::size_t, D> at{};
    for (std::size_t d = D; d-- > 0; i /= count[d]) at[d] = i % count[d];
    // Without signs: an interval may be longer than the largest ptrdiff_t.
    const auto side = [&](std::size_t d) {
      const auto length = static_cast<std::size_t>(edge[d]), end = static_cast<std::size_t>(last[d]);
      const std::size_t begin = static_cast<std::size_t>(first[d]) + at[d] * length;
      return interval(begin, end - begin > length ? begin + length : end);
    };
    if constexpr (D == 2)
      return {side(0), side(1)};
    else
      return {side(0), side(1), side(2)};
  }
};
/// The difference of two iterators is a ptrdiff_t.
inline constexpr std::size_t k_most_computed = static_cast<std::size_t>(-1) / 2;

template <std::size_t D>
constexpr auto blocks_of(const std::array<interval, D>& sides, const std::array<std::ptrdiff_t, D>& edges) {
  Blocks<D> blocks;
  std::size_t all = 1;
  bool is_empty = false;
  for (std::size_t d = 0; d < D; ++d) {
    blocks.first[d] = sides[d].first, blocks.last[d] = sides[d].last;
    blocks.edge[d] = edges[d] > 0 ? edges[d] : 1;
    const auto edge = static_cast<std::size_t>(blocks.edge[d]);
    blocks.count[d] = sides[d].size() / edge + (sides[d].size() % edge != 0 ? 1 : 0);
    is_empty |= blocks.count[d] == 0;
  }
  for (std::size_t d = 0; d < D && !is_empty; all *= blocks.count[d++])
    if (blocks.count[d] > k_most_computed / all)
      refuse_length("wstree: 2^63 or more blocks; make their edges longer");
  return Computed<Blocks<D>>(blocks);
}

template <std::integral Index> struct Steps {
  Index first{}, step{};
  std::size_t count = 0;

  constexpr std::size_t size() const noexcept { return count; }
  constexpr Index operator[](std::size_t i) const noexcept {
    return static_cast<Index>(static_cast<std::size_t>(first) + i * static_cast<std::size_t>(step));
  }
};

} // namespace detail

/// A square of doubles with this edge, and a cube, are 32 kB: the size of a first-level cache.
inline constexpr std::ptrdiff_t k_square_edge = 64, k_cube_edge = 16;

/// A block of two or three dimensions: `for (auto row : block[0]) for (auto column : block[1])`.
template <std::size_t D> using block = std::array<interval, D>;

/// Returns the blocks of two dimensions, each an interval or n for [0, n), row after row of blocks. The last
/// ones may be smaller. Any algorithm takes them: `for_each(blocks_2d(rows, columns), [&](const block<2>& b)
/// {...})`. 2^63 or more blocks: std::length_error, and without exceptions std::abort().
constexpr auto blocks_2d(interval rows, interval columns,
                         std::array<std::ptrdiff_t, 2> edges = {k_square_edge, k_square_edge}) {
  return detail::blocks_of<2>({rows, columns}, edges);
}
/// Returns the blocks of three dimensions.
constexpr auto blocks_3d(interval x, interval y, interval z,
                         std::array<std::ptrdiff_t, 3> edges = {k_cube_edge, k_cube_edge, k_cube_edge}) {
  return detail::blocks_of<3>({x, y, z}, edges);
}

/// Returns the numbers first, first + step, ... before `last`; before means above where `step` is
/// negative. With a step of 0 there are none. 2^63 or more numbers: std::length_error, and without
/// exceptions std::abort().
template <detail::index Index>
constexpr auto steps(Index first, std::type_identity_t<Index> last, std::type_identity_t<Index> step) {
  const bool falls = step < Index{0};
  std::size_t count = 0;
  if (step != Index{0} && (falls ? last < first : first < last)) {
    const std::size_t from = static_cast<std::size_t>(falls ? last : first),
                      to = static_cast<std::size_t>(falls ? first : last);
    const std::size_t by =
        falls ? std::size_t{0} - static_cast<std::size_t>(step) : static_cast<std::size_t>(step);
    count = (to - from - 1) / by + 1;
    if (count > detail::k_most_computed)
      detail::refuse_length("wstree: 2^63 or more steps; make them longer");
  }
  return detail::Computed(detail::Steps<Index>{first, step, count});
}

} // namespace v1
} // namespace wstree

/// @cond STANDARD_LIBRARY
/// A view of computed elements holds nothing that its iterators need.
namespace std::ranges {
template <class Source> inline constexpr bool enable_borrowed_range<wstree::detail::Computed<Source>> = true;
} // namespace std::ranges
/// @endcond
