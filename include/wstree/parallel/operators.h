// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of the algorithms that have a usual one, without <functional>.
#pragma once

#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {

struct plus {
  template <class A, class B>
  constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) + std::forward<B>(b)) {
    return std::forward<A>(a) + std::forward<B>(b);
  }
};
struct multiplies {
  template <class A, class B>
  constexpr auto operator()(A&& a, B&& b) const -> decltype(std::forward<A>(a) * std::forward<B>(b)) {
    return std::forward<A>(a) * std::forward<B>(b);
  }
};

namespace detail {

/// Returns whether `op(a, b)` of two T converts to a T. The result may refer to an operand: it is made a
/// value before an operand is assigned to or destroyed.
template <class Op, class T> constexpr bool combines() {
  if constexpr (std::is_invocable_v<Op&, T, T>)
    return std::is_convertible_v<std::invoke_result_t<Op&, T, T>, T>;
  else
    return false;
}

} // namespace detail
} // namespace v1
} // namespace wstree
