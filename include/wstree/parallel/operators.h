// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators of the algorithms that have a usual one, without <functional>.
#pragma once

#include <utility>

namespace wstree {
inline namespace v1 {

struct plus {
  template <class A, class B> constexpr auto operator()(A&& a, B&& b) const {
    return std::forward<A>(a) + std::forward<B>(b);
  }
};
struct multiplies {
  template <class A, class B> constexpr auto operator()(A&& a, B&& b) const {
    return std::forward<A>(a) * std::forward<B>(b);
  }
};

} // namespace v1
} // namespace wstree
