// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of elements that the algorithms accept: two random-access iterators, two integers, or a range.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector> // the concepts of iterators and std::begin(), at half of what <iterator> costs

#if __has_include(<bits/ranges_util.h>)
#include <bits/ranges_util.h> // std::ranges::dangling without the rest of <algorithm>; needs those above
#else
#include <algorithm>
#endif

namespace wstree {
inline namespace v1 {
namespace detail {

template <class T>
concept index = std::integral<T> && sizeof(T) <= sizeof(std::size_t) &&
                !std::same_as<std::remove_cv_t<T>, bool>;

/// An integer stands for itself, an iterator for the element that it refers to. std::random_access_iterator
/// and not iterator_category: the latter calls the iterators of std::views::iota input iterators.
template <class T>
concept position = index<std::remove_cvref_t<T>> || std::random_access_iterator<std::remove_cvref_t<T>>;

template <class Last, class First>
concept end_of = (index<std::remove_cvref_t<First>> && index<std::remove_cvref_t<Last>>) ||
                 std::sized_sentinel_for<std::remove_cvref_t<Last>, std::remove_cvref_t<First>>;

template <class R>
concept range = requires(R& r) {
  std::begin(r);
  std::end(r);
}
&&std::random_access_iterator<decltype(std::begin(std::declval<R&>()))>&&
    std::sized_sentinel_for<decltype(std::end(std::declval<R&>())), decltype(std::begin(std::declval<R&>()))>;

/// Positions in the range stay valid when the call's expression has ended. R is the type of a
/// forwarding reference.
template <class R>
concept outlives_call = std::is_lvalue_reference_v<R> || std::ranges::enable_borrowed_range<R>;

/// The result of a call in place of positions in a range that does not outlive it.
template <class Position> struct Dangling { using type = std::ranges::dangling; };
template <class First, class Second> struct Dangling<std::pair<First, Second>> {
  using type = std::pair<std::ranges::dangling, std::ranges::dangling>;
};

/// The beginning of a target: an iterator, or a range from its beginning.
template <class T>
concept destination = range<T> || std::random_access_iterator<std::remove_cvref_t<T>>;

/// The integers between a First and a Last: wide enough for both, because `0` is an int and its end is often
/// a size. Signed if one of them can be negative, as far as there is such a type.
template <index First, index Last> constexpr auto index_between() {
  if constexpr (std::is_signed_v<First> == std::is_signed_v<Last> || std::is_unsigned_v<First>) {
    if constexpr (sizeof(Last) > sizeof(First))
      return std::type_identity<Last>{};
    else
      return std::type_identity<First>{};
  } else if constexpr (sizeof(Last) < sizeof(First)) {
    return std::type_identity<First>{};
  } else {
    return std::type_identity<std::ptrdiff_t>{};
  }
}

/// std::cmp_less() for characters, too.
template <index A, index B> constexpr bool is_less(A a, B b) {
  if constexpr (std::is_signed_v<A> == std::is_signed_v<B>)
    return a < b;
  else if constexpr (std::is_signed_v<A>)
    return a < 0 || static_cast<std::make_unsigned_t<A>>(a) < b;
  else
    return b > 0 && a < static_cast<std::make_unsigned_t<B>>(b);
}

/// An end that need not fit into the type of the beginning: it may be too large, or negative.
template <class End, class First>
concept other_end = index<End> && index<First> && !std::same_as<End, First> &&
                    (sizeof(End) >= sizeof(First) || (std::is_signed_v<End> && std::is_unsigned_v<First>));

/// Two ends in a type that holds both; equal if there is nothing in between.
template <class Index> struct Ends { Index first, last; };
template <index First, index Last> constexpr auto ends_of(First first, Last last) {
  using Both = typename decltype(index_between<First, Last>())::type;
  return Ends<Both>{static_cast<Both>(first),
                    is_less(first, last) ? static_cast<Both>(last) : static_cast<Both>(first)};
}

template <class...> inline constexpr bool k_never = false;

/// As the first argument of std::invoke: members of the elements are projections, too.
template <class F, class T> constexpr decltype(auto) invoke(F& f, T&& value) {
  if constexpr (std::is_member_object_pointer_v<F> && !std::is_lvalue_reference_v<T>)
    return std::remove_cvref_t<decltype(value.*f)>(std::forward<T>(value).*f); // outlives the element
  else if constexpr (std::is_member_object_pointer_v<F>)
    return (value.*f);
  else if constexpr (std::is_member_function_pointer_v<F>)
    return (std::forward<T>(value).*f)();
  else
    return f(std::forward<T>(value));
}

/// Returns a reference for a reference, and a value otherwise: the elements of views do not outlive the call.
struct Identity {
  template <class T> constexpr T operator()(T&& value) const { return std::forward<T>(value); }
};

struct Less {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const -> decltype(static_cast<bool>(a < b)) {
    return static_cast<bool>(a < b);
  }
};

/// `count` elements from `first` on. A copy is as cheap as two iterators.
template <class First> struct Elements {
  First first;
  std::size_t count;
  /// Elements are read, not computed.
  static constexpr bool k_in_memory = std::contiguous_iterator<First>;

  using Reference = decltype([](const First& f) -> decltype(auto) {
    if constexpr (index<First>)
      return First{f};
    else
      return *f;
  }(std::declval<const First&>()));
  /// The type of a value: bool for a std::vector<bool>, and not its reference type.
  using Value = typename decltype([] {
    if constexpr (index<First>)
      return std::type_identity<First>{};
    else
      return std::type_identity<std::iter_value_t<First>>{};
  }())::type;

  /// Returns the position of element i, as searches do.
  constexpr First at(std::size_t i) const {
    if constexpr (index<First>)
      return static_cast<First>(static_cast<std::size_t>(first) + i); // i may be more than a First holds
    else
      return first + static_cast<std::iter_difference_t<First>>(i);
  }
  constexpr Reference operator[](std::size_t i) const {
    if constexpr (index<First>)
      return at(i);
    else
      return *at(i);
  }
};

template <class First, class Last> constexpr auto elements_between(First&& first, const Last& last) {
  using From = std::remove_cvref_t<First>;
  if constexpr (index<From>) {
    using I = typename decltype(index_between<From, Last>())::type;
    const std::size_t count = static_cast<std::size_t>(last) - static_cast<std::size_t>(first);
    return Elements<I>{static_cast<I>(first), is_less(first, last) ? count : 0};
  } else {
    const auto count = last - first;
    return Elements<From>{std::forward<First>(first), count > 0 ? static_cast<std::size_t>(count) : 0};
  }
}

template <class R> constexpr auto elements_of(R& r) { return elements_between(std::begin(r), std::end(r)); }

/// Returns whether Pred returns a bool for the projections by Proj of the elements of In.
template <class Pred, class In, class Proj = Identity> constexpr bool is_predicate() {
  if constexpr (std::is_invocable_v<Proj&, typename In::Reference>) {
    using Projected = std::invoke_result_t<Proj&, typename In::Reference>;
    if constexpr (std::is_invocable_v<Pred&, Projected>)
      return std::is_constructible_v<bool, std::invoke_result_t<Pred&, Projected>>;
  }
  return false;
}

/// Returns the iterator that a destination begins with.
template <class Out> constexpr auto beginning(Out&& out) {
  if constexpr (range<Out>)
    return std::begin(out);
  else
    return out;
}

/// Elements that are bools in a byte with others, of which *iterator is an object that finds its bit: those
/// of std::vector<bool>, with iterators in any order.
template <class Iterator> constexpr bool has_packed_bools() {
  if constexpr (std::indirectly_readable<Iterator>)
    return std::same_as<std::iter_value_t<Iterator>, bool> &&
           std::is_class_v<std::iter_reference_t<Iterator>>;
  else
    return false;
}

/// Checks that a call can pass its arguments to `function`.
template <class Function, class... Arguments> constexpr void check_function() {
  static_assert(
      std::is_invocable_v<Function&, Arguments...>,
      "wstree: the function of this call does not take what the call gives it: an element or two, the "
      "number of one, or the ends of a chunk");
}

/// Writes to an element, as the algorithms of the standard do: numbers are converted without a warning.
template <class Iterator, class Value> constexpr void write_to(const Iterator& to, Value&& value) {
  using Target = std::iter_value_t<Iterator>;
  static_assert(std::is_assignable_v<std::iter_reference_t<Iterator>, Value>,
                "wstree: what this call writes cannot be assigned to an element of its output");
  if constexpr (std::is_arithmetic_v<Target> && std::is_arithmetic_v<std::remove_cvref_t<Value>>)
    *to = static_cast<Target>(value);
  else if constexpr (std::is_assignable_v<std::iter_reference_t<Iterator>, Value>)
    *to = std::forward<Value>(value);
}

/// Checks the target that members write to, each its own elements. Packed bools share their bytes.
template <class Iterator> constexpr void check_target() {
  static_assert(std::random_access_iterator<Iterator>,
                "wstree: what is written to has to be an iterator or a range that has random access");
  static_assert(!has_packed_bools<Iterator>(),
                "wstree: threads cannot write to neighbours in a vector<bool>; use a vector of char");
}
template <class Out> constexpr auto target(Out&& out) {
  check_target<std::remove_cvref_t<decltype(beginning(out))>>();
  return beginning(out);
}

template <class Iterator> constexpr Iterator ahead(const Iterator& iterator, std::size_t n) {
  return iterator + static_cast<std::iter_difference_t<Iterator>>(n);
}

} // namespace detail
} // namespace v1
} // namespace wstree
