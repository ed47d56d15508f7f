// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time that no schedule can expect to beat without knowing the costs in advance.
#pragma once

#include "machine_spec.h"
#include "workload.h"

#include <cstdint>

namespace wstree::simulate {

/// Returns the time of list scheduling (Graham 1966): a member that is free takes the next iteration, in
/// their order, and taking one costs nothing; a central queue with chunks of 1 and free atomics. Only long
/// iterations near the end make it slower than Workload::ideal().
Time greedy(const Workload& workload, std::uint32_t members);

/// Returns the time if the dearest iterations come first, each for the member that ends it first, on a
/// machine whose speeds do not change: the time that a schedule can reach that knows all costs and speeds.
/// (The best of all is at most some per cent shorter.)
Time longest_first(const Workload& workload, std::uint32_t members, const MachineSpec& machine);

} // namespace wstree::simulate
