// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// std::min() and std::max() without the rest of <algorithm>, which takes compilers longest of all.
#pragma once

#if __has_include(<bits/stl_algobase.h>)
#include <bits/stl_algobase.h>
#else
#include <algorithm>
#endif

namespace wstree::core {

/// As std::clamp().
template <class T> constexpr T clamp(T value, T least, T most) noexcept {
  return value < least ? least : most < value ? most : value;
}

template <class T, class... More> constexpr T least_of(T first, More... more) noexcept {
  ((first = more < first ? more : first), ...);
  return first;
}

} // namespace wstree::core
