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

/// Calls `function(i)` for each integer of [first, last).
template <execution_policy Policy, std::integral Index, class Function>
void for_each(const Policy& policy, Index first, std::type_identity_t<Index> last, Function&& function,
              call_site where = call_site::current()) {
  detail::check_function<Function, Index&>();
  for_each_chunk(
      policy, first, last,
      [&function](Index begin, Index end) {
        detail::InLoop<std::remove_reference_t<Function>, Index&> call = function;
        for (Index i = begin; i != end; ++i) call(i);
      },
      where);
}
template <std::integral Index, class Function>
void for_each(Index first, std::type_identity_t<Index> last, Function&& function,
              call_site where = call_site::current()) {
  for_each(par(), first, last, function, where);
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
  for_each(par(), first, last, function, where);
}

/// Calls `function(element)` for each element of [first, last).
template <execution_policy Policy, detail::random_iterator Iterator, class Function>
void for_each(const Policy& policy, Iterator first, Iterator last, Function&& function,
              call_site where = call_site::current()) {
  constexpr bool k_is_packed = detail::has_packed_bools<Iterator>();
  static_assert(!k_is_packed || std::is_invocable_v<Function&, const bool&>,
                "wstree: threads cannot write to neighbours in a vector<bool>; use a vector of char");
  if constexpr (!k_is_packed) detail::check_function<Function, std::iter_reference_t<Iterator>>();
  for_each_chunk(
      policy, std::size_t{0}, detail::elements_between(first, last).count, // differences may have 128 bits
      [&function, first](std::size_t begin, std::size_t end) {
        detail::InLoop<std::remove_reference_t<Function>, std::iter_reference_t<Iterator>> call = function;
        const Iterator past = detail::ahead(first, end);
        for (Iterator at = detail::ahead(first, begin); at != past; ++at) {
          if constexpr (k_is_packed) {
            const bool element = *at; // in memory of its own, so that a function that writes does not compile
            call(element);
          } else {
            call(*at);
          }
        }
      },
      where);
}
template <detail::random_iterator Iterator, class Function>
void for_each(Iterator first, Iterator last, Function&& function, call_site where = call_site::current()) {
  for_each(par(), first, last, function, where);
}

} // namespace v1
} // namespace wstree
