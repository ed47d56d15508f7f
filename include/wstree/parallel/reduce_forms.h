// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce, transform_reduce and for_each on ranges and integers, and reductions in an order that policies fix.
#pragma once

#include "wstree/parallel/for_each.h"
#include "wstree/parallel/ranges.h"
#include "wstree/parallel/reduce.h"
#include "wstree/parallel/sum.h"

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {

namespace detail {
template <class Policy>
concept fixed_order = Policy::evaluation != order::associative;

/// Elements are in memory, and nothing is made of them.
template <class Iterator, class Transform>
inline constexpr bool only_reads = std::contiguous_iterator<Iterator> &&
                                   (std::is_same_v<Transform, Same> || std::is_same_v<Transform, Identity>);

/// Integers where an iterator is expected of which only elements are read.
template <class I> struct Counting {
  using difference_type = std::ptrdiff_t;
  using value_type = I;
  I first;
  I operator[](difference_type i) const noexcept { return advanced(first, static_cast<std::uint64_t>(i)); }
};

template <class R> auto past(R& r) { return ahead(std::begin(r), elements_of(r).count); }

/// An end that is no iterator, such as std::default_sentinel behind a std::counted_iterator.
template <class S, class Iterator>
concept sentinel =
    random_iterator<Iterator> && !std::same_as<S, Iterator> && std::sized_sentinel_for<S, Iterator>;
template <class Iterator, class S> Iterator past(Iterator first, S last) {
  return ahead(first, elements_between(first, last).count);
}
} // namespace detail

template <execution_policy Policy, detail::random_iterator Iterator, class T, class Op, class Transform>
requires detail::fixed_order<Policy> T transform_reduce(const Policy& policy, Iterator first, Iterator last,
                                                        T init, Op op, Transform transform,
                                                        call_site where = call_site::current()) {
  static_assert(detail::combines<Op, T>(), "wstree: the operator of a reduction has to take two values and "
                                           "return one, and the initial value has to be one");
  detail::check_function<Transform, std::iter_reference_t<Iterator>>();
  auto get = [&](std::size_t i) -> T { return T(transform(*detail::ahead(first, i))); };
  return detail::reduce_values<detail::only_reads<Iterator, Transform>>(
      policy, detail::elements_between(first, last).count, std::move(init), get, op, where);
}
template <execution_policy Policy, detail::random_iterator Iterator,
          std::invocable<detail::element_of<Iterator>, detail::element_of<Iterator>> Op>
requires detail::fixed_order<Policy> std::optional<detail::element_of<Iterator>>
reduce(const Policy& policy, Iterator first, Iterator last, Op op, call_site where = call_site::current()) {
  using T = detail::element_of<Iterator>;
  if (first == last) return {};
  if constexpr (Policy::evaluation == order::sequential) {
    return transform_reduce(policy, first + 1, last, T(*first), std::move(op), detail::Identity{}, where);
  } else {
    auto get = [&](std::size_t i) -> T { return *detail::ahead(first, i); };
    return detail::fold_reproducibly<T, detail::only_reads<Iterator, detail::Same>>(
        policy, detail::elements_between(first, last).count, get, op, where);
  }
}

/// transform_reduce(first, last, init, op, f) of integers.
template <execution_policy Policy, detail::index I, class T, class Op, class Transform>
T transform_reduce(const Policy& policy, I first, std::type_identity_t<I> last, T init, Op op,
                   Transform transform, call_site where = call_site::current()) {
  static_assert(detail::combines<Op, T>(), "wstree: the operator of a reduction has to take two values and "
                                           "return one, and the initial value has to be one");
  const std::size_t n = detail::elements_between(first, last).count;
  if constexpr (detail::fixed_order<Policy>) {
    auto get = [&](std::size_t i) -> T { return T(transform(detail::advanced(first, i))); };
    return detail::reduce_values(policy, n, std::move(init), get, op, where);
  } else {
    detail::Reduction<detail::Counting<I>, T, Op, Transform> folder{{first}, op, transform};
    detail::Result<T> result;
    if (n != 0) detail::fold_tree(policy, n, folder, result, where);
    if (!result.has_value()) return init;
    return static_cast<T>(op(std::move(init), std::move(result.value())));
  }
}
template <execution_policy Policy, detail::index I, detail::other_end<I> End, class T, class Op,
          class Transform>
T transform_reduce(const Policy& policy, I first, End last, T init, Op op, Transform transform,
                   call_site where = call_site::current()) {
  const auto ends = detail::ends_of(first, last);
  return transform_reduce(policy, ends.first, ends.last, std::move(init), std::move(op), std::move(transform),
                          where);
}
template <detail::index I, detail::other_end<I> End, class T, class Op, class Transform>
T transform_reduce(I first, End last, T init, Op op, Transform transform,
                   call_site where = call_site::current()) {
  return transform_reduce(par(), first, last, std::move(init), std::move(op), std::move(transform), where);
}
template <detail::index I, class T, class Op, class Transform>
T transform_reduce(I first, std::type_identity_t<I> last, T init, Op op, Transform transform,
                   call_site where = call_site::current()) {
  return transform_reduce(par(), first, last, std::move(init), std::move(op), std::move(transform), where);
}

// Ranges

template <execution_policy Policy, detail::range R, class T, class Op, class Transform>
T transform_reduce(const Policy& policy, R&& r, T init, Op op, Transform transform,
                   call_site where = call_site::current()) {
  return transform_reduce(policy, std::begin(r), detail::past(r), std::move(init), std::move(op),
                          std::move(transform), where);
}
template <detail::range R, class T, class Op, class Transform>
T transform_reduce(R&& r, T init, Op op, Transform transform, call_site where = call_site::current()) {
  return transform_reduce(par(), r, std::move(init), std::move(op), std::move(transform), where);
}

/// reduce(range, init) and reduce(range, op).
template <execution_policy Policy, detail::range R, class A>
auto reduce(const Policy& policy, R&& r, A a, call_site where = call_site::current()) {
  if constexpr (detail::initial_value<A, decltype(std::begin(r))>)
    return reduce(policy, std::begin(r), detail::past(r), std::move(a), plus{}, where);
  else
    return reduce(policy, std::begin(r), detail::past(r), std::move(a), where);
}
template <detail::range R, class A> auto reduce(R&& r, A a, call_site where = call_site::current()) {
  return reduce(par(), r, std::move(a), where);
}
template <execution_policy Policy, detail::range R, class T, class Op>
requires(!std::same_as<Op, call_site>) T
    reduce(const Policy& policy, R&& r, T init, Op op, call_site where = call_site::current()) {
  return reduce(policy, std::begin(r), detail::past(r), std::move(init), std::move(op), where);
}
template <detail::range R, class T, class Op>
requires(!std::same_as<Op, call_site>) T
    reduce(R&& r, T init, Op op, call_site where = call_site::current()) {
  return reduce(par(), r, std::move(init), std::move(op), where);
}

template <execution_policy Policy, detail::range R, class Function>
void for_each(const Policy& policy, R&& r, Function&& function, call_site where = call_site::current()) {
  for_each(policy, std::begin(r), detail::past(r), function, where);
}
template <detail::range R, class Function>
void for_each(R&& r, Function&& function, call_site where = call_site::current()) {
  for_each(detail::k_usual_policy, r, function, where);
}

// Elements whose end has another type than their beginning

template <execution_policy Policy, class Iterator, detail::sentinel<Iterator> S, class Function>
void for_each(const Policy& policy, Iterator first, S last, Function&& function,
              call_site where = call_site::current()) {
  for_each(policy, first, detail::past(first, last), function, where);
}
template <class Iterator, detail::sentinel<Iterator> S, class Function>
void for_each(Iterator first, S last, Function&& function, call_site where = call_site::current()) {
  for_each(detail::k_usual_policy, first, last, function, where);
}
template <execution_policy Policy, class Iterator, detail::sentinel<Iterator> S, class T, class Op,
          class Transform>
T transform_reduce(const Policy& policy, Iterator first, S last, T init, Op op, Transform transform,
                   call_site where = call_site::current()) {
  return transform_reduce(policy, first, detail::past(first, last), std::move(init), std::move(op),
                          std::move(transform), where);
}
template <class Iterator, detail::sentinel<Iterator> S, class T, class Op, class Transform>
T transform_reduce(Iterator first, S last, T init, Op op, Transform transform,
                   call_site where = call_site::current()) {
  return transform_reduce(par(), first, last, std::move(init), std::move(op), std::move(transform), where);
}
/// reduce(first, last, init) and reduce(first, last, op).
template <execution_policy Policy, class Iterator, detail::sentinel<Iterator> S, class A>
auto reduce(const Policy& policy, Iterator first, S last, A a, call_site where = call_site::current()) {
  if constexpr (detail::initial_value<A, Iterator>)
    return reduce(policy, first, detail::past(first, last), std::move(a), plus{}, where);
  else
    return reduce(policy, first, detail::past(first, last), std::move(a), where);
}
template <class Iterator, detail::sentinel<Iterator> S, class A>
auto reduce(Iterator first, S last, A a, call_site where = call_site::current()) {
  return reduce(par(), first, last, std::move(a), where);
}
template <execution_policy Policy, class Iterator, detail::sentinel<Iterator> S, class T, class Op>
requires(!std::same_as<Op, call_site>) T reduce(const Policy& policy, Iterator first, S last, T init, Op op,
                                                call_site where = call_site::current()) {
  return reduce(policy, first, detail::past(first, last), std::move(init), std::move(op), where);
}
template <class Iterator, detail::sentinel<Iterator> S, class T, class Op>
requires(!std::same_as<Op, call_site>) T
    reduce(Iterator first, S last, T init, Op op, call_site where = call_site::current()) {
  return reduce(par(), first, last, std::move(init), std::move(op), where);
}

} // namespace v1
} // namespace wstree
