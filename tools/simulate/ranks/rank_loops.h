// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that ranks share, in virtual time: by stealing, and as others share them.
#pragma once

#include "network.h"
#include "virtual_time.h"
#include "workload.h"

#include <cstdint>
#include <string>

namespace wstree::simulate {

struct Cluster {
  std::uint32_t ranks = 1;
  std::uint32_t threads = 1; ///< threads of each rank
  Network network;
};

/// Returns the time from the start of all ranks until the last rank has found the loop done.
Time stolen_time(const Workload& workload, const Cluster& cluster);

/// Chunks of one counter on rank 0, of which ranks get theirs by one operation (for the rules of
/// self-scheduling, whose chunk needs two or more, too).
enum class Rule : std::uint8_t {
  equal,     ///< equal shares, without the counter
  fixed,     ///< `chunks` for each rank, all as large
  guided,    ///< GSS: the rest divided by the ranks
  factoring, ///< FAC2: half of the rest in equal chunks
  trapezoid, ///< TSS: from half a share down to one iteration
};
Time central_time(const Workload& workload, const Cluster& cluster, Rule rule, std::uint64_t chunks = 1);

} // namespace wstree::simulate
