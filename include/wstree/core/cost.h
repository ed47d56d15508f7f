// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates in whole numbers. The thread that computes them is the program's: it may round upwards, trap
// inexact results, or test the exceptions that its own operations have raised.
#pragma once

#include "wstree/core/extrema.h"

#include <cstdint>

namespace wstree::core {

/// Returns a * b, or the largest number there is.
constexpr std::uint64_t product(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t exact = 0;
  return __builtin_mul_overflow(a, b, &exact) ? UINT64_MAX : exact;
}
/// Returns value * by / of, rounded down, or the largest number that has room for a sign. of != 0.
constexpr std::uint64_t scaled(std::uint64_t value, std::uint64_t by, std::uint64_t of) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>(std::min(Wide{value} * by / of, Wide{INT64_MAX}));
}
/// As scaled(), to the nearest number. `by` is below 2^63.
constexpr std::uint64_t rounded_ratio(std::uint64_t value, std::uint64_t by, std::uint64_t of) noexcept {
  return (scaled(value, 2 * by, of) + 1) / 2;
}

/// A constant that multiplies estimates, in 1,024ths.
class Factor {
public:
  explicit constexpr Factor(double number) noexcept
      : parts_(static_cast<std::uint64_t>(number * (1 << k_bits))) {}
  friend constexpr std::uint64_t operator*(Factor factor, std::uint64_t value) noexcept {
    return product(value, factor.parts_) >> k_bits;
  }
  friend constexpr std::int64_t operator*(Factor factor, std::int64_t value) noexcept {
    return value * static_cast<std::int64_t>(factor.parts_) / (1 << k_bits);
  }

private:
  static constexpr unsigned k_bits = 10;
  std::uint64_t parts_;
};

/// Ticks per unit, with k_cost_bits bits behind the point.
using Cost = std::uint64_t;
inline constexpr unsigned k_cost_bits = 16;

/// Returns the cost of a unit that takes `ticks`.
constexpr Cost unit_cost(std::uint64_t ticks) noexcept {
  return product(ticks, std::uint64_t{1} << k_cost_bits);
}
/// Returns the ticks that `units` of such a cost take.
constexpr std::uint64_t ticks_of(Cost cost, std::uint64_t units = 1) noexcept {
  return product(cost, units) >> k_cost_bits;
}
/// Returns the units of such a cost that `ticks` have room for; the largest number if they cost nothing.
constexpr std::uint64_t units_in(std::uint64_t ticks, Cost cost) noexcept {
  return cost == 0 ? UINT64_MAX : unit_cost(ticks) / cost;
}

} // namespace wstree::core
