// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of --machine: a machine to begin with, and the differences from it.
#pragma once

#include "machine_spec.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace wstree::cli {

/// The longest duration that --machine accepts, but for noise.
inline constexpr std::uint64_t k_most_ns = 1'000'000;
/// The longest access to a line that a machine may have: ten times the slowest one.
inline constexpr std::uint64_t k_most_access_ns = 10'000;

struct ChosenMachine {
  simulate::MachineSpec spec;
  std::uint32_t cores = 0; ///< cores of the machine; 0: as many as there are members
};

/// Stores the machine of the text in `machine`. Returns the error in the text; nothing if there is none.
std::optional<std::string> parse_machine(const std::string& text, ChosenMachine& machine);

/// Returns a text for this machine: its name and all its values. Values that are 0 or empty by default are
/// left out.
std::string machine_text(const simulate::MachineSpec& machine);
nlohmann::ordered_json machine_json(const simulate::MachineSpec& machine);

/// Returns the machines and settings to choose from, a line for each.
std::string machine_help();

} // namespace wstree::cli
