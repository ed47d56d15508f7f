// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ordered reductions: the operator need be associative, not commutative.
#pragma once

#include "wstree/parallel/fold.h"
#include "wstree/parallel/iterators.h"
#include "wstree/parallel/operators.h"
#include "wstree/parallel/reduction.h"

#include <concepts>
#include <optional>
#include <utility>

namespace wstree {
inline namespace v1 {

namespace detail {
/// A type of initial values: operators are none.
template <class T, class Iterator>
concept initial_value =
    !execution_policy<T> && !std::invocable<T&, element_of<Iterator>, element_of<Iterator>>;
} // namespace detail

/// op(init, op(transform(first[0]), op(transform(first[1]), ...))) with any brackets; init is used once.
template <execution_policy Policy, detail::random_iterator Iterator, class T, class Op, class Transform>
T transform_reduce(const Policy& policy, Iterator first, Iterator last, T init, Op op, Transform transform,
                   call_site where = call_site::current()) {
  static_assert(detail::combines<Op, T>(), "wstree: the operator of a reduction has to take two values and "
                                           "return one, and the initial value has to be one");
  if constexpr (detail::combines<Op, T>() &&
                std::is_invocable_v<Transform&, std::iter_reference_t<Iterator>>) {
    if constexpr (detail::check_made<T, Transform, std::iter_reference_t<Iterator>>()) {
      detail::Reduction<Iterator, T, Op, Transform> folder{first, op, transform};
      detail::Result<T> result;
      if (first != last)
        detail::fold_tree(policy, static_cast<std::uint64_t>(last - first), folder, result, where);
      if (result.has_value()) return static_cast<T>(op(std::move(init), std::move(result.value())));
    }
  }
  return init;
}
template <detail::random_iterator Iterator, class T, class Op, class Transform>
T transform_reduce(Iterator first, Iterator last, T init, Op op, Transform transform,
                   call_site where = call_site::current()) {
  return transform_reduce(par(), first, last, std::move(init), std::move(op), std::move(transform), where);
}

template <execution_policy Policy, detail::random_iterator Iterator, detail::initial_value<Iterator> T,
          class Op = plus>
T reduce(const Policy& policy, Iterator first, Iterator last, T init, Op op = {},
         call_site where = call_site::current()) {
  return transform_reduce(policy, first, last, std::move(init), std::move(op), detail::Same(), where);
}
template <detail::random_iterator Iterator, detail::initial_value<Iterator> T, class Op = plus>
T reduce(Iterator first, Iterator last, T init, Op op = {}, call_site where = call_site::current()) {
  return transform_reduce(par(), first, last, std::move(init), std::move(op), detail::Same(), where);
}

/// Without an initial value: nothing if there are no elements.
template <execution_policy Policy, detail::random_iterator Iterator,
          std::invocable<detail::element_of<Iterator>, detail::element_of<Iterator>> Op>
std::optional<detail::element_of<Iterator>> reduce(const Policy& policy, Iterator first, Iterator last, Op op,
                                                   call_site where = call_site::current()) {
  using T = detail::element_of<Iterator>;
  detail::Same same;
  detail::Reduction<Iterator, T, Op, detail::Same> folder{first, op, same};
  detail::Result<T> result;
  if (first != last)
    detail::fold_tree(policy, static_cast<std::uint64_t>(last - first), folder, result, where);
  if (!result.has_value()) return {};
  return std::optional<T>(std::move(result.value()));
}
template <detail::random_iterator Iterator,
          std::invocable<detail::element_of<Iterator>, detail::element_of<Iterator>> Op>
std::optional<detail::element_of<Iterator>> reduce(Iterator first, Iterator last, Op op,
                                                   call_site where = call_site::current()) {
  return reduce(par(), first, last, std::move(op), where);
}

} // namespace v1
} // namespace wstree

#include "wstree/parallel/reduce_forms.h" // forms for policies with a fixed order
