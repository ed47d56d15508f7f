// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parallel_invoke: executes a few different functions at a time, and returns their results.
#pragma once

#include "wstree/core/reduction/value.h"
#include "wstree/parallel/join.h"

#include <tuple>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {

/// The result that stands for that of a function without one.
struct no_result {};

namespace detail {

template <class Function>
using InvokeResult = std::conditional_t<std::is_void_v<std::invoke_result_t<Function&>>, no_result,
                                        std::remove_cvref_t<std::invoke_result_t<Function&>>>;

template <class Function> void keep_result(core::Maybe<InvokeResult<Function>>& result, Function& function) {
  if constexpr (std::is_void_v<std::invoke_result_t<Function&>>) {
    function();
    ::new (result.place()) no_result();
  } else {
    ::new (result.place()) InvokeResult<Function>(function());
  }
  result.set();
}

} // namespace detail

/// Does what join() does, and returns a std::tuple of the functions' results, in the order of the list.
template <execution_policy Policy, class... Functions>
auto parallel_invoke(const Policy& policy, Functions&&... functions) {
  static_assert(sizeof...(functions) > 0 && (std::is_invocable_v<Functions&> && ...),
                "wstree: parallel_invoke() takes functions without arguments, one at least");
  std::tuple<core::Maybe<detail::InvokeResult<Functions>>...> results;
  std::apply(
      [&](auto&... result) { join(policy, [&] { detail::keep_result<Functions>(result, functions); }...); },
      results);
  return std::apply(
      [](auto&... result) {
        return std::tuple<detail::InvokeResult<Functions>...>(std::move(result.value())...);
      },
      results);
}
template <class First, class... Functions>
requires(!execution_policy<First>) auto parallel_invoke(First&& first, Functions&&... functions) {
  return parallel_invoke(par(), std::forward<First>(first), std::forward<Functions>(functions)...);
}

} // namespace v1
} // namespace wstree
