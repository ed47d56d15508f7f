// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An item of a work-stealing queue.
#pragma once

#include <cstdint>

namespace wstree::core {

/// Units [begin, end) of a loop, in one word: a thief that reads it while it is overwritten sees the old item
/// or the new one, never half of each.
struct Item {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  constexpr std::uint32_t size() const noexcept { return end - begin; }
  constexpr std::uint64_t word() const noexcept { return std::uint64_t{begin} << 32 | end; }
  static constexpr Item of(std::uint64_t word) noexcept {
    return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint32_t>(word)};
  }
  bool operator==(const Item&) const = default;
};

/// The result of an attempt to steal.
enum class Theft : std::uint8_t {
  taken,
  empty,     ///< there was nothing
  lost_race, ///< another member was at it: there may be more
};

} // namespace wstree::core
