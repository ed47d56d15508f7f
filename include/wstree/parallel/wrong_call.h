// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages for calls that no overload takes: one sentence instead of the list of all overloads.
#pragma once

#include "wstree/parallel/policy.h"
#include "wstree/parallel/ranges.h"

#include <concepts>

namespace wstree {
inline namespace v1 {
namespace detail {

/// An argument of any type. The conversion is worse than all others, so an overload that takes these is
/// chosen only if there is no other.
struct Anything {
  Anything() = default;
  template <class T> Anything(T&&) {} // NOLINT: implicit on purpose
};

} // namespace detail

#define WSTREE_ANY_ARGUMENTS                                                                                 \
  detail::Anything, detail::Anything = {}, detail::Anything = {}, detail::Anything = {},                     \
                    detail::Anything = {}, detail::Anything = {}, detail::Anything = {},                     \
                    detail::Anything = {}

template <class Never = void> void for_each(WSTREE_ANY_ARGUMENTS) {
  static_assert(
      detail::k_never<Never>,
      "wstree: for_each() takes a policy or none, then two integers, two iterators that can be copied "
      "and compared, or a range of such, then a function");
}
template <class Never = void> void for_each_chunk(WSTREE_ANY_ARGUMENTS) {
  static_assert(detail::k_never<Never>,
                "wstree: for_each_chunk() takes a policy or none, two integers, and a "
                "function of two integers");
}
template <class Never = void> int fold(WSTREE_ANY_ARGUMENTS) {
  static_assert(
      detail::k_never<Never>,
      "wstree: fold() takes a policy or none, two integers, a neutral accumulator, a function of an "
      "accumulator and two integers, and a function of two accumulators");
  return 0;
}
template <class Never = void> int reduce(WSTREE_ANY_ARGUMENTS) {
  static_assert(
      detail::k_never<Never>,
      "wstree: reduce() takes a policy or none, then two random-access iterators or a range that has "
      "random access and knows its size, then an initial value, an operator, or both");
  return 0;
}
template <class Never = void> int transform_reduce(WSTREE_ANY_ARGUMENTS) {
  static_assert(detail::k_never<Never>,
                "wstree: transform_reduce() takes a policy or none, then two integers, two random-access "
                "iterators, or a range that has random access and knows its size, then an initial value, an "
                "operator, and a function of an element");
  return 0;
}
template <class Never = void> void pipeline(WSTREE_ANY_ARGUMENTS) {
  static_assert(
      detail::k_never<Never>,
      "wstree: pipeline() takes a policy or none, the number of items that may be on their way at a "
      "time, a source, and one stage or more");
}

#undef WSTREE_ANY_ARGUMENTS

// A loop to 3.99 would end at 3.
#define WSTREE_NO_FRACTIONS(name)                                                                            \
  template <std::integral First, std::floating_point Last, class... More> int name(First, Last, More&&...) { \
    static_assert(detail::k_never<Last>, "wstree: both ends of a range of numbers are integers");            \
    return 0;                                                                                                \
  }                                                                                                          \
  template <execution_policy Policy, std::integral First, std::floating_point Last, class... More>           \
  int name(const Policy&, First, Last, More&&...) {                                                          \
    static_assert(detail::k_never<Last>, "wstree: both ends of a range of numbers are integers");            \
    return 0;                                                                                                \
  }
WSTREE_NO_FRACTIONS(for_each)
WSTREE_NO_FRACTIONS(for_each_chunk)
WSTREE_NO_FRACTIONS(fold)
WSTREE_NO_FRACTIONS(transform_reduce)
WSTREE_NO_FRACTIONS(steps)
namespace team {
WSTREE_NO_FRACTIONS(for_each)
WSTREE_NO_FRACTIONS(for_each_chunk)
WSTREE_NO_FRACTIONS(fold)
} // namespace team
#undef WSTREE_NO_FRACTIONS

} // namespace v1
} // namespace wstree
