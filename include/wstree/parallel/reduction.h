// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The folder of reductions.
#pragma once

#include "wstree/parallel/folder.h"
#include "wstree/parallel/iterators.h"

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

struct Same {
  template <class T> constexpr T&& operator()(T&& value) const noexcept { return std::forward<T>(value); }
};

/// Returns whether a T can be made from the result of Transform for an element.
template <class T, class Transform, class Reference> constexpr bool check_made() {
  constexpr bool k_is_made = std::is_constructible_v<T, std::invoke_result_t<Transform&, Reference>>;
  static_assert(k_is_made,
                "wstree: the initial value of a reduction has a type to which the elements, or what the "
                "function makes of them, can be converted");
  return k_is_made;
}

/// Elements of [begin, end) in order. Numbers are added up eight at a time, as a tree of neighbours: the
/// operator is associative, and eight operations in a chain take eight times as long.
template <class Iterator, class T, class Op, class Transform> struct Reduction {
  using Value = T;
  static_assert(std::is_invocable_v<Transform&, decltype(std::declval<const Iterator&>()[0])>,
                "wstree: the function of a transform_reduce() has to take an element");

  Iterator first;
  Op& op;
  Transform& transform;

  void start(void* place, std::uint64_t begin, std::uint64_t end) {
    T* const value = ::new (place) T(transform(first[at(begin)]));
    if (begin + 1 != end) continue_or_destroy(*value, begin + 1, end);
  }
  void extend(T& value, std::uint64_t begin, std::uint64_t end) {
    if constexpr (std::is_arithmetic_v<T>) {
      T sum = value; // a local variable stays in a register
      for (; end - begin >= 8; begin += 8)
        sum = two(sum, two(two(pair(begin), pair(begin + 2)), two(pair(begin + 4), pair(begin + 6))));
      for (; begin != end; ++begin) sum = two(sum, T(transform(first[at(begin)])));
      value = sum;
    } else {
      for (; begin != end; ++begin) value = static_cast<T>(op(std::move(value), transform(first[at(begin)])));
    }
  }
  void combine(T& left, T& right) { left = static_cast<T>(op(std::move(left), std::move(right))); }

private:
  static distance_of<Iterator> at(std::uint64_t index) { return static_cast<distance_of<Iterator>>(index); }
  T two(T a, T b) { return static_cast<T>(op(a, b)); }
  T pair(std::uint64_t i) { return two(T(transform(first[at(i)])), T(transform(first[at(i + 1)]))); }

  void continue_or_destroy(T& value, std::uint64_t begin, std::uint64_t end) {
#if defined(__cpp_exceptions)
    if constexpr (!std::is_trivially_destructible_v<T>) {
      try {
        return extend(value, begin, end);
      } catch (...) {
        value.~T();
        throw;
      }
    }
#endif
    extend(value, begin, end);
  }
};

} // namespace detail
} // namespace v1
} // namespace wstree
