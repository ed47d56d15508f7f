// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine.h"

namespace wstree::place {

std::string_view name_of(Level level) noexcept {
  constexpr std::array<std::string_view, k_levels> names{"core",      "L2",      "L3",
                                                         "NUMA node", "package", "machine"};
  return names[static_cast<std::size_t>(level)];
}

std::uint32_t Machine::find(std::uint32_t os) const noexcept {
  return os < by_os_count_ && by_os_[os] != k_absent ? by_os_[os] : count_;
}

Level Machine::distance(std::uint32_t a, std::uint32_t b) const noexcept {
  std::uint32_t level = 0;
  const std::uint32_t last = k_levels - 1; // everybody shares the machine
  while (level < last &&
         (cpus_[a].domain[level] != cpus_[b].domain[level] || cpus_[a].domain[level] == Cpu::k_none))
    ++level;
  return static_cast<Level>(level);
}

} // namespace wstree::place
