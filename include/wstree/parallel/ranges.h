// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the algorithms accept as elements: two random-access iterators, two integers, or a range.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector> // the concepts of iterators and std::begin(), at half of what <iterator> costs

namespace wstree {
inline namespace v1 {
namespace detail {

template <class T>
concept index = std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool>;

/// An integer stands for itself, an iterator for what it refers to. std::random_access_iterator and not
/// iterator_category: the latter calls the iterators of std::views::iota input iterators.
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

/// Where something can be written from: an iterator, or a range from its beginning.
template <class T>
concept destination = range<T> || std::random_access_iterator<std::remove_cvref_t<T>>;

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

/// What is no reference is returned as a value: the elements of views do not outlive the call.
struct Identity {
  template <class T> constexpr T operator()(T&& value) const { return std::forward<T>(value); }
};

struct Less {
  template <class A, class B> constexpr bool operator()(const A& a, const B& b) const { return a < b; }
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
  using Value = std::remove_cvref_t<Reference>;

  /// The position of element i: what a search returns.
  constexpr First at(std::size_t i) const {
    if constexpr (index<First>)
      return static_cast<First>(first + static_cast<First>(i));
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

template <class First, class Last>
constexpr Elements<std::remove_cvref_t<First>> elements_between(First&& first, const Last& last) {
  if constexpr (index<std::remove_cvref_t<First>>) {
    using I = std::remove_cvref_t<First>;
    const auto end = static_cast<I>(last);
    return {first, end > first ? static_cast<std::size_t>(end) - static_cast<std::size_t>(first) : 0};
  } else {
    const auto count = last - first;
    return {std::forward<First>(first), count > 0 ? static_cast<std::size_t>(count) : 0};
  }
}

template <class R> constexpr auto elements_of(R& r) { return elements_between(std::begin(r), std::end(r)); }

/// Whether Pred says yes or no about what Proj makes of the elements of In.
template <class Pred, class In, class Proj = Identity> constexpr bool is_predicate() {
  if constexpr (std::is_invocable_v<Proj&, typename In::Reference>) {
    using Projected = std::invoke_result_t<Proj&, typename In::Reference>;
    if constexpr (std::is_invocable_v<Pred&, Projected>)
      return std::is_constructible_v<bool, std::invoke_result_t<Pred&, Projected>>;
  }
  return false;
}

/// The iterator that a destination begins with.
template <class Out> constexpr auto beginning(Out&& out) {
  if constexpr (range<Out>)
    return std::begin(out);
  else
    return out;
}

template <class Iterator> constexpr Iterator ahead(const Iterator& iterator, std::size_t n) {
  return iterator + static_cast<std::iter_difference_t<Iterator>>(n);
}

} // namespace detail
} // namespace v1
} // namespace wstree
