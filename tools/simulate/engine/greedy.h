// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time that no schedule can expect to beat without knowing the costs in advance.
#pragma once

#include "workload.h"

#include <cstdint>

namespace wstree::simulate {

/// Returns the time of list scheduling (Graham 1966): a member that is free takes the next iteration, in
/// their order, and taking one costs nothing; a central queue with chunks of 1 and free atomics. Only long
/// iterations near the end make it slower than Workload::ideal().
Time greedy(const Workload& workload, std::uint32_t members);

} // namespace wstree::simulate
