// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A member's times for static loops.
#pragma once

#include "wstree/core/platform.h"

#include <array>
#include <cstdint>

namespace wstree::loop {

/// A member's times for the static loops of a region, by their numbers of iterations. The member writes it in
/// the region, the opener reads it after the join.
struct alignas(core::k_line_pair) StaticAccount {
  struct Entry {
    /// In `loops`: the region has a loop with so many iterations that the runtime cuts equally.
    static constexpr std::uint64_t k_equal = std::uint64_t{1} << 63;
    std::uint64_t iterations, ticks, loops;
  };
  static constexpr std::uint32_t k_most = 9; ///< the others are not measured

  /// Returns the entry of `iterations` for region number `now`; nullptr: there is no room.
  Entry* find(std::uint64_t now, std::uint64_t iterations) noexcept {
    if (region != now) {
      region = now;
      count = traced = 0;
    }
    for (std::uint32_t i = 0; i < count; ++i)
      if (entries[i].iterations == iterations) return &entries[i];
    if (count == k_most) return nullptr;
    entries[count] = {iterations, 0, 0};
    return &entries[count++];
  }

  std::uint64_t region = 0; ///< region of the entries
  std::uint32_t count = 0;
  std::uint32_t members = 0; ///< size of the team
  // About the latest loop, if loops are traced: the member's part, whether the members have equal parts, and
  // which loop of the region it is.
  std::uint64_t first = 0, past = 0;
  std::uint32_t traced = 0;
  bool is_equal = true;
  std::array<Entry, k_most> entries{};
};

} // namespace wstree::loop
