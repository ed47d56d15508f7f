// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machines whose levels hwloc has found.
#pragma once

#include "calibrate.h"
#include "machine_text.h"

#include <optional>
#include <string>

namespace wstree::cli {

/// hwloc's synthetic one, such as "package:2 numa:4 core:16". Members are cores; transfers are assumed: 45 ns
/// in the smallest domain, as on `generic`, and further ones each by a rule. nullopt: it is in `machine`;
/// else hwloc's error, or that its domains are not all of one size.
std::optional<std::string> describe_machine(const std::string& description, ChosenMachine& machine);

/// Returns this machine, with its measured costs. Only levels whose domains are all of one size.
ChosenMachine calibrated_machine(const simulate::Calibration& measured);

/// Returns the figure of a calibration that cannot be true, because another process had the processors;
/// nullopt: there is none.
std::optional<std::string> absurdity_of(const simulate::MachineSpec& calibrated);

} // namespace wstree::cli
