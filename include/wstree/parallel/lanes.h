// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of a block of elements, always by the same additions.
#pragma once

#include "wstree/parallel/operators.h"
#include "wstree/parallel/ranges.h"

#include <cstddef>
#include <type_traits>
#include <utility>
#if __has_include(<bits/stl_function.h>)
#include <bits/stl_function.h> // std::plus and std::multiplies without the rest of <functional>
#else
#include <functional>
#endif

#if defined(__clang__)
#define WSTREE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define WSTREE_UNROLL _Pragma("GCC unroll 16")
#endif

namespace wstree {
inline namespace v1 {
namespace detail {

template <class T, class Op> inline constexpr bool k_is_plus_or_times = false;
template <class T> inline constexpr bool k_is_plus_or_times<T, plus> = true;
template <class T> inline constexpr bool k_is_plus_or_times<T, multiplies> = true;
template <class T> inline constexpr bool k_is_plus_or_times<T, std::plus<>> = true;
template <class T> inline constexpr bool k_is_plus_or_times<T, std::plus<T>> = true;
template <class T> inline constexpr bool k_is_plus_or_times<T, std::multiplies<>> = true;
template <class T> inline constexpr bool k_is_plus_or_times<T, std::multiplies<T>> = true;

/// True if the operands may change places: known of sums and products of numbers only.
template <class T, class Op>
inline constexpr bool k_commutes = std::is_arithmetic_v<T>&& k_is_plus_or_times<T, std::remove_cvref_t<Op>>;

/// A cache line of sums: enough independent additions to hide how long one takes, and compilers make vectors
/// of them without -ffast-math.
template <class T> inline constexpr std::size_t k_lanes = sizeof(T) >= 8 ? 8 : 16;

/// get(begin), ..., get(end - 1) combined from left to right; there is at least one.
template <class T, class Get, class Op> T fold_left(std::size_t begin, std::size_t end, Get& get, Op& op) {
  T sum = get(begin);
  for (std::size_t i = begin + 1; i < end; ++i) sum = static_cast<T>(op(std::move(sum), get(i)));
  return sum;
}

/// Folds in lanes, whose number depends on the number of elements and on nothing else.
template <class T, class Get, class Op> T fold_lanes(std::size_t begin, std::size_t end, Get& get, Op& op) {
  constexpr std::size_t k = k_lanes<T>;
  if (end - begin < 2 * k) return fold_left<T>(begin, end, get, op);
  T lane[k];
  WSTREE_UNROLL
  for (std::size_t l = 0; l < k; ++l) lane[l] = get(begin + l);
  std::size_t i = begin + k;
  for (; i + k <= end; i += k) {
    WSTREE_UNROLL
    for (std::size_t l = 0; l < k; ++l) lane[l] = static_cast<T>(op(lane[l], get(i + l)));
  }
  for (std::size_t l = 0; i + l < end; ++l) lane[l] = static_cast<T>(op(lane[l], get(i + l)));
  WSTREE_UNROLL
  for (std::size_t half = k / 2; half > 0; half /= 2) {
    WSTREE_UNROLL
    for (std::size_t l = 0; l < half; ++l) lane[l] = static_cast<T>(op(lane[l], lane[l + half]));
  }
  return lane[0];
}

template <class T, class Get, class Op> T fold_block(std::size_t begin, std::size_t end, Get& get, Op& op) {
  if constexpr (k_commutes<T, Op>)
    return fold_lanes<T>(begin, end, get, op);
  else
    return fold_left<T>(begin, end, get, op);
}

} // namespace detail
} // namespace v1
} // namespace wstree
