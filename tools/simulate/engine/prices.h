// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Costs of accesses to memory.
#pragma once

#include "machine.h"
#include "virtual_time.h"

#include <array>
#include <cstdint>

namespace wstree::simulate {

struct Prices {
  Time hit = 1 * k_ns; ///< load or store of a line that the member has
  Time rmw = 8 * k_ns; ///< read-modify-write, the line being there
  /// Transfer of a line by the distance of the nearest member that has it; for a write, by that of the
  /// farthest member.
  std::array<Time, VirtualMachine::k_levels> transfer{45 * k_ns,  110 * k_ns, 110 * k_ns,
                                                      110 * k_ns, 110 * k_ns, 110 * k_ns};
  /// Transfer of a line for a read-modify-write, from the nearest members; from others in proportion to their
  /// transfers. 0: as for a load.
  Time claim = 0;
  /// Loads that follow one another: so many are under way at a time. A core can do more with loads that do
  /// not depend on each other, and only one with those that do.
  std::uint32_t overlap = 2;
  /// One of so many transfers of lines that others want as well leaves its line there long enough for a
  /// read-modify-write at once, ahead of the queue. So a compare-and-swap after a load can succeed on a line
  /// that its owner writes all the time. A loop around one costs some transfers per success, and not as many
  /// as there are members that try.
  std::uint32_t keep = 4;
  Time fault = 500 * k_ns; ///< the first access to a page of memory that was allocated during a loop
};

} // namespace wstree::simulate
