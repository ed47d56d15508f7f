// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nobody can expect to beat who does not know the costs in advance.
#pragma once

#include "workload.h"

#include <cstdint>

namespace wstree::simulate {

/// List scheduling (Graham 1966): whoever is free takes the next iteration, in their order, and taking one
/// costs nothing. A central queue with chunks of 1 and free atomics. What is left to its disadvantage against
/// Workload::ideal() are long iterations near the end.
Time greedy(const Workload& workload, std::uint32_t members);

} // namespace wstree::simulate
