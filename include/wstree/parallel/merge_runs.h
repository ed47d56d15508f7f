// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging two neighbouring sorted runs, or a piece of that.
#pragma once

#include "wstree/parallel/inline_start.h"
#include "wstree/parallel/relocation.h"

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// Elements [begin, end) of a run.
struct Span {
  std::size_t begin, end;
  std::size_t size() const noexcept { return end - begin; }
};

/// Returns the begin of piece i, if `count` elements are cut into pieces that are about equally long.
inline std::size_t begin_of_piece(std::size_t count, std::size_t pieces, std::size_t i) noexcept {
  const std::size_t longer = count % pieces;
  return count / pieces * i + (i < longer ? i : longer);
}

/// Returns how many of the first `count` elements of the merged runs a and b are from a: at least
/// `least_of_a` and at most `most_of_a`, so that pieces stay disjoint also where `less` contradicts itself.
/// Equal elements of a come first. `less(x, y)` is called for elements of b and a.
template <class A, class B, class Compare>
std::size_t split_of(const A& a, const B& b, std::size_t count, std::size_t least_of_a, std::size_t most_of_a,
                     Compare&& less) {
  while (least_of_a < most_of_a) {
    const std::size_t middle = least_of_a + (most_of_a - least_of_a) / 2;
    if (less(b(count - middle - 1), a(middle)))
      most_of_a = middle;
    else
      least_of_a = middle + 1;
  }
  return least_of_a;
}

/// Elements that are copied as bytes, and selected without a branch, which processors would predict badly.
template <class T>
inline constexpr bool
    k_is_selected = std::is_trivially_copy_constructible_v<T>&& std::is_trivially_destructible_v<T> &&
                    sizeof(T) <= 16;

/// Larger elements are selected without a branch only up to this many bytes (cache-resident). Beyond, a
/// predicted branch starts the next load early, which saves more than mispredictions cost.
inline constexpr std::size_t k_cached_bytes = 256 * 1024;

/// condition ? yes : no. Compilers would make a branch of that where elements are large.
inline std::size_t select(bool condition, std::size_t yes, std::size_t no) noexcept {
  std::size_t mask = std::size_t{0} - condition;
  asm("" : "+r"(mask)); // clang knows this expression
  return no ^ ((yes ^ no) & mask);
}

/// Two spans of `from` on their way to `to`. The destructor moves the remaining elements, whether one span is
/// empty or a comparison has thrown: no element is lost.
template <class T, class From, class To> struct Merging {
  const From& from;
  Span a, b;
  const To& to;
  Span out;

  Merging(const From& source, Span first, Span second, const To& target, std::size_t begin) noexcept
      : from(source), a(first), b(second), to(target), out{begin, begin + first.size() + second.size()} {}
  ~Merging() {
    relocate_all(from, a.begin, a.end, to, out.begin);
    relocate_all(from, b.begin, b.end, to, out.begin + a.size());
  }
  Merging(const Merging&) = delete;
  Merging& operator=(const Merging&) = delete;

  template <class Compare> void one_from_the_front(Compare& less) {
    if (less(from[b.begin], from[a.begin])) {
      relocate(from, b.begin++, to, out.begin++);
      look_ahead(b);
    } else {
      relocate(from, a.begin++, to, out.begin++);
      look_ahead(a);
    }
  }
  /// One element from the front and one from the back: the processor works on both at a time.
  template <class Compare> void one_from_both_ends(Compare& less) {
    const bool first_is_b = less(from[b.begin], from[a.begin]);
    const bool last_is_a = less(from[b.end - 1], from[a.end - 1]);
    const std::size_t first = select(first_is_b, b.begin, a.begin);
    const std::size_t last = select(last_is_a, a.end, b.end) - 1;
    a.begin += !first_is_b, b.begin += first_is_b;
    a.end -= last_is_a, b.end -= !last_is_a;
    if constexpr (k_is_selected<T>) {
      T front = from[first], back = from[last]; // both elements are read before one is written
      to.put(out.begin++, std::move(front));
      to.put(--out.end, std::move(back));
    } else {
      relocate(from, first, to, out.begin++);
      relocate(from, last, to, --out.end);
    }
  }

private:
  /// The memory of strings and vectors lies anywhere.
  void look_ahead(const Span& span) const noexcept {
    constexpr std::size_t k_ahead = 4;
    if constexpr (requires(const T& e) {
                    requires noexcept(e.data());
                    { e.data() } -> std::convertible_to<const void*>;
                  }) {
      if (span.size() > k_ahead) __builtin_prefetch(from[span.begin + k_ahead].data());
    }
  }
};

/// Moves the sorted spans a and b of `from` to `to`, from `out` on, sorted and with those of a before equal
/// ones of b. If `less` throws all are moved, too, and the exception leaves.
template <class T, class From, class To, class Compare>
void merge_spans(const From& from, Span a, Span b, const To& to, std::size_t out, Compare& less) {
  Merging<T, From, To> merging(from, a, b, to, out);
  if (k_is_selected<T> || (a.size() + b.size()) * sizeof(T) <= k_cached_bytes) {
    while (std::size_t steps = least(merging.a.size(), merging.b.size()) / 2)
      for (; steps != 0; --steps) merging.one_from_both_ends(less);
  }
  while (merging.a.size() != 0 && merging.b.size() != 0) merging.one_from_the_front(less);
}

} // namespace detail
} // namespace v1
} // namespace wstree
