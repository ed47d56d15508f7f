// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layout of a loop's iterations over the roots of its tree.
#pragma once

#include "wstree/core/extrema.h"

#include <bit>
#include <cstdint>

namespace wstree::core {

/// A piece of the iteration space: iterations [begin, end) of 0..n-1; `last` if it holds iteration n-1.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool last = false;
};

/// n / parts. A 64-bit division costs three times a 32-bit one, and that as much as the rest of entering
/// a loop.
constexpr std::uint64_t quotient_of(std::uint64_t n, std::uint32_t parts) noexcept {
  // std::has_single_bit calls a function where there is no popcnt, and std::countr_zero checks for zero.
  if ((parts & (parts - 1)) == 0) return n >> __builtin_ctz(parts);
  return n >> 32 == 0 ? static_cast<std::uint32_t>(n) / parts : n / parts;
}

/// Returns part `index` of the `parts` of schedule(static): sizes differ by one at most, and the first ones
/// are larger.
constexpr Range equal_part(std::uint64_t iterations, std::uint32_t parts, std::uint32_t index) noexcept {
  const std::uint64_t size = quotient_of(iterations, parts);
  const std::uint64_t larger = iterations - size * parts;
  const std::uint64_t begin = size * index + std::min<std::uint64_t>(larger, index);
  const std::uint64_t end = begin + size + (index < larger);
  return {begin, end, end == iterations};
}

/// Units in one member's share that every model can count.
inline constexpr std::uint32_t k_max_share = (1U << 27) - 1;
/// The longest share if units are handed out from both ends.
inline constexpr std::uint32_t k_max_share_from_both_ends = (1U << 21) - 1;

/// Iterations 0..n-2 are grouped into units of 2^shift iterations, which the tree hands out; shift is 0
/// unless a root would get more units than a node's word can count. Iteration n-1 is kept out of the tree
/// (see last_taken.h).
///
/// Every member computes the same shape from (n, roots), so that none has to publish it. Root i starts
/// where member i's share of schedule(static) starts.
class Shape {
public:
  constexpr Shape() = default;

  /// 1 <= iterations < 2^63, 1 <= roots < 2^20. A root gets at most `comfortable` + 1 units, of which there
  /// are at least 1; the default leaves room for the remainders below.
  constexpr Shape(std::uint64_t iterations, std::uint32_t roots, std::uint32_t comfortable = k_max_share / 2)
      : iterations_(iterations), roots_(roots) {
    const std::uint64_t share = quotient_of(iterations, roots) + 1;
    if (share > comfortable) shift_ = static_cast<unsigned>(std::bit_width(share / comfortable));
    units_ = ((iterations - 1) >> shift_) + (((iterations - 1) & ((1ULL << shift_) - 1)) != 0);
    const std::uint64_t total = units_ + 1; // the last iteration counts as a unit of the last root's share
    quotient_ = quotient_of(total, roots);
    remainder_ = static_cast<std::uint32_t>(total - quotient_ * roots);
  }

  constexpr std::uint64_t iterations() const { return iterations_; }
  constexpr std::uint64_t units() const { return units_; }
  constexpr std::uint32_t roots() const { return roots_; }
  constexpr unsigned shift() const { return shift_; }

  /// Returns the units per member, rounded up.
  constexpr std::uint64_t share(std::uint32_t members) const {
    return quotient_of(units_ + members - 1, members);
  }

  /// Returns the first unit of root i; i may be roots(), which gives units().
  constexpr std::uint64_t root_begin(std::uint32_t i) const {
    return std::min(i * quotient_ + std::min(i, remainder_), units_);
  }
  constexpr std::uint32_t root_size(std::uint32_t i) const {
    return static_cast<std::uint32_t>(root_begin(i + 1) - root_begin(i));
  }

  /// Returns the iterations of units [begin, end).
  constexpr Range range(std::uint64_t begin, std::uint64_t end) const {
    return {begin << shift_, std::min(end << shift_, iterations_ - 1), false};
  }
  /// Returns the iterations of units that are not at the end: end < units().
  constexpr Range inner_range(std::uint64_t begin, std::uint64_t end) const {
    return {begin << shift_, end << shift_, false};
  }

private:
  std::uint64_t iterations_ = 0;
  std::uint64_t units_ = 0;
  std::uint64_t quotient_ = 0;
  std::uint32_t remainder_ = 0;
  std::uint32_t roots_ = 1;
  unsigned shift_ = 0;
};

} // namespace wstree::core
