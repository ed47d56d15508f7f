// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CPUs of this machine, two at a time, by the domains that they share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wstree::place {
class Machine;
}

namespace wstree::simulate {

/// Two CPUs, by the system's numbers.
struct CpuPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
};

struct PairsOfLevel {
  std::string level; ///< the smallest domain that holds both
  std::vector<CpuPair> pairs;
};

struct CpuList {
  std::vector<std::uint32_t>
      cpus; ///< CPUs that this thread may use; in the order of the topology if it is known
  std::vector<PairsOfLevel> levels; ///< nearest first; only levels that some pair has
};

/// Returns at most `most` pairs of each level, from all over the machine.
CpuList cpu_list(std::size_t most);
CpuList cpu_list(std::size_t most, const place::Machine& machine);

} // namespace wstree::simulate
