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

} // namespace wstree::place
