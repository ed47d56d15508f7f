// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine that exists only in the simulator: which members are near which.
#pragma once

#include <cstdint>
#include <vector>

namespace wstree::simulate {

/// Members stand in a row; domains of one size divide the row, and each divides those of the next size.
struct VirtualMachine {
  std::uint32_t members = 0;
  std::vector<std::uint32_t> domain_sizes; ///< growing, each a multiple of the last one, below `members`

  static constexpr std::uint32_t k_levels = 6;
  /// Returns the level of the innermost common domain. 0: the smallest domain; domain_sizes.size(): nothing
  /// in common but the machine.
  std::uint32_t distance(std::uint32_t a, std::uint32_t b) const {
    std::uint32_t level = 0;
    while (level < domain_sizes.size() && a / domain_sizes[level] != b / domain_sizes[level]) ++level;
    return level;
  }
  std::uint32_t farthest() const { return static_cast<std::uint32_t>(domain_sizes.size()); }
};

} // namespace wstree::simulate
