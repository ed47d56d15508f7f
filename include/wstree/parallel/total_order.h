// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An order of floating-point numbers that has a place for NaN.
#pragma once

#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace wstree {
inline namespace v1 {

/// A comparison for sorts whose keys may be NaN, which `<` has no place for: the total order of IEEE 754, in
/// which -NaN < -infinity < ... < -0 < +0 < ... < infinity < NaN. For all other types it is `<`.
struct total_order_t {
  template <class T> constexpr bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, float>)
      return key<std::int32_t>(a) < key<std::int32_t>(b);
    else if constexpr (std::is_same_v<T, double>)
      return key<std::int64_t>(a) < key<std::int64_t>(b);
    else if constexpr (std::floating_point<T>)
      return std::strong_order(a, b) < 0;
    else
      return static_cast<bool>(a < b);
  }

private:
  /// Returns the bits, of negative numbers all but the sign turned round.
  template <class Bits, class T> static constexpr Bits key(T number) noexcept {
    const auto bits = std::bit_cast<Bits>(number);
    return bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits;
  }
};
inline constexpr total_order_t total_order{};

} // namespace v1
} // namespace wstree
