// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of a range that thieves may take, as one word.
#pragma once

#include <cstdint>

namespace wstree::core {

/// Units [mid, high) in absolute numbers: | high:32 | mid:32 |. Empty if mid = high.
class StealWord {
public:
  constexpr StealWord() = default;
  constexpr explicit StealWord(std::uint64_t raw) noexcept : raw_(raw) {}
  constexpr StealWord(std::uint32_t mid, std::uint32_t high) noexcept
      : raw_(std::uint64_t{high} << 32 | mid) {}

  /// Returns the last quarter of [low, high), rounded up: of one unit that unit, of nothing nothing.
  static constexpr StealWord last_quarter(std::uint32_t low, std::uint32_t high) noexcept {
    const std::uint32_t units = high - low;
    return {high - (units / 4 + (units % 4 != 0)), high};
  }

  constexpr std::uint32_t mid() const noexcept { return static_cast<std::uint32_t>(raw_); }
  constexpr std::uint32_t high() const noexcept { return static_cast<std::uint32_t>(raw_ >> 32); }
  constexpr bool empty() const noexcept { return mid() == high(); }
  /// Returns the units that a thief may take if everything below `low` is taken: this, or if `low` is in it,
  /// the last quarter of the rest.
  constexpr StealWord beyond(std::uint32_t low) const noexcept {
    return low <= mid() ? *this : last_quarter(low < high() ? low : high(), high());
  }
  /// Returns whether the steal range is more than a third of the rest of [low, high): a thief would take more
  /// than half as much as it leaves.
  constexpr bool is_large_for(std::uint32_t low) const noexcept {
    return std::uint64_t{mid()} - low <= 2 * (std::uint64_t{high()} - mid());
  }
  constexpr std::uint64_t raw() const noexcept { return raw_; }
  constexpr bool operator==(const StealWord&) const = default;

private:
  std::uint64_t raw_ = 0;
};

} // namespace wstree::core
