// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The forms in which every algorithm can be called.
#pragma once

#include "wstree/parallel/fold.h"
#include "wstree/parallel/ranges.h"

#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// An algorithm that hands the place of its call on.
struct Called {
  call_site where{};
};

/// An algorithm that does not ask its policy for the place of its call.
struct Placed : Called {};

template <class Algorithm> constexpr Algorithm algorithm_at(const call_site& where) {
  Algorithm algorithm{};
  algorithm.where = where;
  return algorithm;
}

/// An algorithm that returns one or two positions in its range.
struct Finder {};

/// An algorithm whose elements have a middle: (first, middle, last, rest...) or (range, middle, rest...). It
/// is called with (policy, Elements, middle, rest...).
struct WithMiddle {};

/// `{}` where an algorithm has its comparison.
struct UsualComparison {};
template <class Algorithm> constexpr auto usual_comparison() {
  if constexpr (requires { typename Algorithm::Comparison; })
    return typename Algorithm::Comparison{};
  else
    return Less{};
}

/// An algorithm as a function object, so that argument-dependent lookup does not find another of its name
/// in std:
///     algorithm([policy,] first, last, rest...)   two random-access iterators or two integers
///     algorithm([policy,] range, rest...)
/// Calls make(where)(policy, Elements, rest...).
template <class Algorithm> struct Entry {
  using Where = call_site;

  template <class A> constexpr decltype(auto) operator()(A&& a, Where where = Where::current()) const {
    return start(where, std::forward<A>(a));
  }
  template <class A, class B>
  constexpr decltype(auto) operator()(A&& a, B&& b, Where where = Where::current()) const {
    return start(where, std::forward<A>(a), std::forward<B>(b));
  }
  template <class A, class B, class C>
  constexpr decltype(auto) operator()(A&& a, B&& b, C&& c, Where where = Where::current()) const {
    return start(where, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
  }
  template <class A, class B, class C, class D>
  constexpr decltype(auto) operator()(A&& a, B&& b, C&& c, D&& d, Where where = Where::current()) const {
    return start(where, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d));
  }
  template <class A, class B, class C, class D, class E>
  constexpr decltype(auto) operator()(A&& a, B&& b, C&& c, D&& d, E&& e,
                                      Where where = Where::current()) const {
    return start(where, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d),
                 std::forward<E>(e));
  }
  // {} has no type that a template could deduce. It stands in front of projections.
  template <class A, class C>
  constexpr decltype(auto) operator()(A&& a, UsualComparison, C&& c, Where where = Where::current()) const {
    return start(where, std::forward<A>(a), usual_comparison<Algorithm>(), std::forward<C>(c));
  }
  template <class A, class B, class D>
  constexpr decltype(auto) operator()(A&& a, B&& b, UsualComparison, D&& d,
                                      Where where = Where::current()) const {
    return start(where, std::forward<A>(a), std::forward<B>(b), usual_comparison<Algorithm>(),
                 std::forward<D>(d));
  }
  template <class A, class B, class D, class E>
  constexpr decltype(auto) operator()(A&& a, B&& b, UsualComparison, D&& d, E&& e,
                                      Where where = Where::current()) const {
    return start(where, std::forward<A>(a), std::forward<B>(b), usual_comparison<Algorithm>(),
                 std::forward<D>(d), std::forward<E>(e));
  }
  template <class A, class B, class C, class E>
  constexpr decltype(auto) operator()(A&& a, B&& b, C&& c, UsualComparison, E&& e,
                                      Where where = Where::current()) const {
    return start(where, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c),
                 usual_comparison<Algorithm>(), std::forward<E>(e));
  }
  template <class A, class B, class C, class E, class F>
  constexpr decltype(auto) operator()(A&& a, B&& b, C&& c, UsualComparison, E&& e, F&& f) const {
    return start(Where{}, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c),
                 usual_comparison<Algorithm>(), std::forward<E>(e), std::forward<F>(f));
  }
  template <class A, class B, class C, class D, class E, class... More>
  requires(sizeof...(More) > 0 && sizeof...(More) < 4) constexpr decltype(auto)
  operator()(A&& a, B&& b, C&& c, D&& d, E&& e, More&&... more) const {
    return start(Where{}, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c), std::forward<D>(d),
                 std::forward<E>(e), std::forward<More>(more)...);
  }

private:
  template <class A, class... Rest>
  static constexpr decltype(auto) start(const Where& where, A&& a, Rest&&... rest) {
    if constexpr (execution_policy<A>) {
      static_assert(sizeof...(Rest) > 0, "wstree: elements have to follow the policy");
      return with_policy(where, a.at(where), std::forward<Rest>(rest)...);
    } else if constexpr (std::is_base_of_v<Placed, Algorithm>) {
      return with_policy(where, k_usual_policy, std::forward<A>(a), std::forward<Rest>(rest)...);
    } else {
      return with_policy(where, par{}.at(where), std::forward<A>(a), std::forward<Rest>(rest)...);
    }
  }

  template <class Policy, class A, class... Rest>
  static constexpr decltype(auto) with_policy(const Where& where, const Policy& policy, A&& a,
                                              Rest&&... rest) {
    if constexpr (range<A> && std::is_base_of_v<Finder, Algorithm> && !outlives_call<A>) {
      using Position = decltype(call(where, policy, elements_of(a), std::forward<Rest>(rest)...));
      static_cast<void>(call(where, policy, elements_of(a), std::forward<Rest>(rest)...));
      return typename Dangling<Position>::type{};
    } else if constexpr (range<A>)
      return call(where, policy, elements_of(a), std::forward<Rest>(rest)...);
    else if constexpr (position<A> && std::is_base_of_v<WithMiddle, Algorithm> && sizeof...(Rest) > 1)
      return with_middle(where, policy, std::forward<A>(a), std::forward<Rest>(rest)...);
    else if constexpr (position<A> && sizeof...(Rest) > 0)
      return with_end(where, policy, std::forward<A>(a), std::forward<Rest>(rest)...);
    else
      static_assert(k_never<A>,
                    "wstree: the elements have to be two random-access iterators, two integers, or a "
                    "range that has random access and knows its size; the first argument is none");
  }

  template <class Policy, class A, class B, class... Rest>
  static constexpr decltype(auto) with_end(const Where& where, const Policy& policy, A&& first, B&& last,
                                           Rest&&... rest) {
    static_assert(end_of<B, A>,
                  "wstree: the second argument is not the end of elements that the first one begins");
    if constexpr (end_of<B, A>)
      return call(where, policy, elements_between(first, last), std::forward<Rest>(rest)...);
  }

  template <class Policy, class A, class Middle, class B, class... Rest>
  static constexpr decltype(auto) with_middle(const Where& where, const Policy& policy, A&& first,
                                              Middle&& middle, B&& last, Rest&&... rest) {
    static_assert(end_of<B, A>,
                  "wstree: the third argument is not the end of elements that the first one begins");
    if constexpr (end_of<B, A>)
      return call(where, policy, elements_between(first, last), middle, std::forward<Rest>(rest)...);
  }

  /// Returns whether the arguments behind the elements begin with a place among them, if the algorithm needs
  /// a place.
  template <class E, class... Rest> static constexpr bool has_place() {
    if constexpr (!std::is_base_of_v<WithMiddle, Algorithm> || sizeof...(Rest) == 0)
      return true;
    else
      return []<class Middle, class... More>(std::type_identity<Middle>, More...) {
        return end_of<Middle, decltype(E::first)>;
      }(std::type_identity<Rest>()...);
  }

  static constexpr Algorithm make([[maybe_unused]] const Where& where) {
    if constexpr (std::is_base_of_v<Called, Algorithm>)
      return algorithm_at<Algorithm>(where);
    else
      return Algorithm{};
  }

  template <class Policy, class E, class... Rest>
  static constexpr decltype(auto) call(const Where& where, const Policy& policy, const E& elements,
                                       Rest&&... rest) {
    if constexpr (std::is_base_of_v<WithMiddle, Algorithm>)
      static_assert(has_place<E, Rest...>(),
                    "wstree: behind the elements of this call stands a place among them, an iterator such as "
                    "v.begin() + 3");
    constexpr bool k_callable = has_place<E, Rest...>() && requires {
      make(where)(policy, elements, std::forward<Rest>(rest)...);
    };
    static_assert(k_callable || !has_place<E, Rest...>(),
                  "wstree: the arguments behind the elements are not those of this algorithm: too "
                  "many, too few, or in another order than in the standard");
    if constexpr (k_callable) return make(where)(policy, elements, std::forward<Rest>(rest)...);
  }
};

} // namespace detail
} // namespace v1
} // namespace wstree
