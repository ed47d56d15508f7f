// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over integers and over elements between random-access iterators.
#pragma once

#include "wstree/parallel/fold.h"
#include "wstree/parallel/iterators.h"
#include "wstree/parallel/ranges.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace wstree {
inline namespace v1 {
namespace detail {

template <class Index, class Function> struct EachInteger {
  HeldCall<Function, Index&> function;
  Index first;

  void operator()(std::uint64_t begin, std::uint64_t end) const {
    InLoop<Function, Index&> call = function.f;
    const Index past = advanced(first, end);
    for (Index i = advanced(first, begin); i != past; ++i) call(i);
  }
};

template <class Iterator, class Function> struct EachElement {
  using Reference = std::iter_reference_t<Iterator>;
  HeldCall<Function, Reference> function;
  Iterator first;

  void operator()(std::uint64_t begin, std::uint64_t end) const {
    InLoop<Function, Reference> call = function.f;
    const Iterator past = ahead(first, end);
    for (Iterator at = ahead(first, begin); at != past; ++at) {
      if constexpr (has_packed_bools<Iterator>()) {
        const bool element = *at; // in memory of its own, so that a function that writes does not compile
        call(element);
      } else {
        call(*at);
      }
    }
  }
};

} // namespace detail

/// Calls `function(i)` for each integer of [first, last).
template <execution_policy Policy, std::integral Index, class Function>
void for_each(const Policy& policy, Index first, std::type_identity_t<Index> last, Function&& function,
              call_site where = call_site::current()) {
  detail::check_function<Function, Index&>();
  using Called = std::remove_reference_t<Function>;
  if (first < last)
    detail::run_loop<detail::EachInteger<Index, Called>>(policy, detail::distance(first, last), where,
                                                         detail::HeldCall<Called, Index&>{function}, first);
}
template <std::integral Index, class Function>
void for_each(Index first, std::type_identity_t<Index> last, Function&& function,
              call_site where = call_site::current()) {
  for_each(detail::k_usual_policy, first, last, function, where);
}

/// Calls `function` for numbers whose end may not fit into the type of the beginning: `i` has a type that
/// holds both.
template <execution_policy Policy, std::integral Index, detail::other_end<Index> End, class Function>
void for_each(const Policy& policy, Index first, End last, Function&& function,
              call_site where = call_site::current()) {
  const auto ends = detail::ends_of(first, last);
  for_each(policy, ends.first, ends.last, function, where);
}
template <std::integral Index, detail::other_end<Index> End, class Function>
void for_each(Index first, End last, Function&& function, call_site where = call_site::current()) {
  for_each(detail::k_usual_policy, first, last, function, where);
}

/// Calls `function(element)` for each element of [first, last).
template <execution_policy Policy, detail::random_iterator Iterator, class Function>
void for_each(const Policy& policy, Iterator first, Iterator last, Function&& function,
              call_site where = call_site::current()) {
  constexpr bool k_is_packed = detail::has_packed_bools<Iterator>();
  static_assert(!k_is_packed || std::is_invocable_v<Function&, const bool&>,
                "wstree: threads cannot write to neighbours in a vector<bool>; use a vector of char");
  if constexpr (!k_is_packed) detail::check_function<Function, std::iter_reference_t<Iterator>>();
  using Loop = detail::EachElement<Iterator, std::remove_reference_t<Function>>;
  const std::size_t n = detail::elements_between(first, last).count; // differences may have 128 bits
  if (n != 0) detail::run_loop<Loop>(policy, n, where, decltype(Loop::function){function}, first);
}
template <detail::random_iterator Iterator, class Function>
void for_each(Iterator first, Iterator last, Function&& function, call_site where = call_site::current()) {
  for_each(detail::k_usual_policy, first, last, function, where);
}

} // namespace v1
} // namespace wstree
