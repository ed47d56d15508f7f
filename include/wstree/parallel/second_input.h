// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that read two ranges: the arguments for the second one.
#pragma once

#include "wstree/parallel/ranges.h"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace wstree {
inline namespace v1 {
namespace detail {

/// The end of the second input, if the call does not give it: needed, or as far away as that of the first.
enum class SecondEnd { is_needed, is_that_of_the_first };

template <class... Rest> inline constexpr bool k_begins_with_end = false;
template <class Second, class Last, class... Rest>
inline constexpr bool k_begins_with_end<Second, Last, Rest...> = end_of<Last, Second>;

/// Calls f(the second input, all arguments behind it): a range, an iterator and its end, or, where the call
/// may leave it out, an iterator to `count` elements.
template <SecondEnd k_end, class F, class Second, class... Rest>
constexpr decltype(auto) with_second(std::size_t count, F&& f, Second&& second, Rest&&... rest) {
  if constexpr (range<Second>) {
    return f(elements_of(second), std::forward<Rest>(rest)...);
  } else if constexpr (position<Second> && k_begins_with_end<Second, Rest...>) {
    return [&]<class Last, class... More>(Last&& last, More&&... more) -> decltype(auto) {
      return f(elements_between(second, last), std::forward<More>(more)...);
    }(std::forward<Rest>(rest)...);
  } else {
    constexpr bool k_is_enough = position<Second> && k_end == SecondEnd::is_that_of_the_first;
    static_assert(k_is_enough,
                  "wstree: behind the elements stands the second input of this call: a range, or an "
                  "iterator and its end");
    if constexpr (k_is_enough)
      return f(Elements<std::remove_cvref_t<Second>>{second, count}, std::forward<Rest>(rest)...);
  }
}

struct Equal {
  template <class A, class B>
  constexpr auto operator()(const A& a, const B& b) const -> decltype(static_cast<bool>(a == b)) {
    return static_cast<bool>(a == b);
  }
};

/// Returns whether Comp compares the projection by Proj1 of an element of In1 and that by Proj2 of an element
/// of In2.
template <class Comp, class In1, class In2, class Proj1, class Proj2>
constexpr bool check_comparison_of_two() {
  constexpr bool k_compares = [] {
    if constexpr (std::is_invocable_v<Proj1&, typename In1::Reference> &&
                  std::is_invocable_v<Proj2&, typename In2::Reference>)
      return std::is_invocable_v<Comp&, std::invoke_result_t<Proj1&, typename In1::Reference>,
                                 std::invoke_result_t<Proj2&, typename In2::Reference>>;
    else
      return false;
  }();
  static_assert(k_compares,
                "wstree: the comparison has to take an element of each input, or their projections; without "
                "one, they have to have a `==`, or a `<` where the call is about order");
  return k_compares;
}

} // namespace detail
} // namespace v1
} // namespace wstree
