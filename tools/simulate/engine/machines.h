// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines that others have measured, by name.
#pragma once

#include "machine_spec.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace wstree::simulate {

struct KnownMachine {
  std::string_view name;
  std::string_view description;
  std::uint32_t cores = 0; ///< cores of the machine; 0: as many as are wanted
};
/// Returns all machines. The default machine comes first.
std::vector<KnownMachine> known_machines();
/// Returns the machines whose cores are of two or three kinds.
std::vector<KnownMachine> unequal_machines();

std::optional<MachineSpec> machine_named(std::string_view name);

/// Extrapolates a core-to-core transfer time to the next larger domain: 2.2 times as long.
Time farther_than(Time transfer);

} // namespace wstree::simulate
