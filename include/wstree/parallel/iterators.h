// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterators that the algorithms take.
#pragma once

#include <concepts>
#include <type_traits>
#include <vector> // the concepts of iterators, at half of what <iterator> costs

namespace wstree {
inline namespace v1 {
namespace detail {

/// An iterator to elements at any distance. Judged by its operations and not by its category: the iterators
/// of std::views::iota have the category "input", and all of the operations.
template <class T>
concept random_iterator = std::random_access_iterator<T> && !std::integral<T>;

template <class Iterator> using distance_of = std::iter_difference_t<Iterator>;
template <class Iterator> using element_of = std::iter_value_t<Iterator>;

} // namespace detail
} // namespace v1
} // namespace wstree
