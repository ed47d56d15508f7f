// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "found_machine.h"

#include "machines.h"

#include "../../../runtime/place/machine.h" // "machine.h" is the simulator's own

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <vector>

namespace wstree::cli {

namespace {

using simulate::k_ns;
using simulate::MachineSpec;
using simulate::Time;

constexpr std::uint32_t k_most_cores = 1024;

/// As --machine calls them.
constexpr std::array<std::string_view, place::k_levels> k_names{"core", "l2", "l3", "numa", "package", ""};

/// Returns the number of `rows` in each domain of that level; 0: not all alike, or there is no such level.
std::uint32_t domain_size(const std::vector<place::Cpu>& rows, std::size_t level) {
  std::vector<std::uint32_t> sizes;
  std::uint32_t last = place::Cpu::k_none;
  for (const auto& cpu : rows) {
    const auto domain = cpu.domain[level];
    if (domain == place::Cpu::k_none) return 0;
    if (domain != last) sizes.push_back(0);
    ++sizes.back();
    last = domain;
  }
  const bool alike = std::ranges::all_of(sizes, [&](std::uint32_t size) { return size == sizes.front(); });
  return alike ? sizes.front() : 0;
}

/// Returns the first hardware thread of each core, or all of them.
std::vector<place::Cpu> rows_of(const place::Machine& machine, bool cores_only) {
  std::vector<place::Cpu> rows;
  for (std::uint32_t i = 0; i < machine.cpus(); ++i)
    if (!cores_only || machine.cpu(i).smt == 0) rows.push_back(machine.cpu(i));
  return rows;
}

/// Domains of more than one and of fewer than all; of two levels with the same domains the smaller one.
std::vector<simulate::Level> levels_of(const std::vector<place::Cpu>& rows) {
  std::vector<simulate::Level> levels;
  for (std::size_t level = 0; level < static_cast<std::size_t>(place::Level::machine); ++level) {
    const auto size = domain_size(rows, level);
    const auto before = levels.empty() ? 1 : levels.back().members;
    if (size > before && size < rows.size() && size % before == 0)
      levels.push_back({std::string(k_names[level]), size, 0});
  }
  return levels;
}

/// Returns the time, at most the one that --machine accepts: where two threads share a processor, one waits
/// for the time slice of the other.
Time time_of(double ns) {
  return static_cast<Time>(std::llround(std::clamp(ns, 0.0, static_cast<double>(k_most_ns)) * k_ns));
}

} // namespace

std::optional<std::string> describe_machine(const std::string& description, ChosenMachine& machine) {
  // hwloc wants hardware threads; here only cores count.
  const auto complete = description.find("pu:") == std::string::npos ? description + " pu:1" : description;
  std::string_view why;
  const auto found =
      place::Machine::load({place::MachineSource::Kind::synthetic, complete.c_str(), nullptr}, why);
  if (!found) return std::string(why);
  const auto rows = rows_of(*found, true);
  machine.spec = MachineSpec{};
  machine.spec.name = description;
  machine.spec.levels = levels_of(rows);
  machine.cores = static_cast<std::uint32_t>(rows.size());
  Time transfer = MachineSpec{}.levels.front().transfer;
  for (auto& level : machine.spec.levels) {
    level.transfer = transfer;
    transfer = simulate::farther_than(transfer);
  }
  machine.spec.across = transfer;
  return std::nullopt;
}

ChosenMachine calibrated_machine(const simulate::Calibration& measured) {
  ChosenMachine machine;
  MachineSpec& spec = machine.spec;
  spec.name = "here";
  spec.levels.clear();
  std::string_view why;
  std::uint32_t cpus = 1;
  if (const auto here = place::Machine::load({}, why)) {
    const auto rows = rows_of(*here, false);
    cpus = here->cpus();
    for (std::size_t level = 0; level < k_names.size(); ++level) {
      const auto name = place::name_of(static_cast<place::Level>(level));
      const auto at = std::ranges::find(measured.levels, name);
      const auto size = domain_size(rows, level);
      if (at == measured.levels.end() || size < 2) continue;
      const auto transfer = measured.transfer_ns[static_cast<std::size_t>(at - measured.levels.begin())];
      spec.levels.push_back(
          {std::string(level + 1 < k_names.size() ? k_names[level] : "machine"), size, time_of(transfer)});
    }
  } else if (!measured.transfer_ns.empty()) {
    spec.levels.push_back({"machine", 2, time_of(measured.transfer_ns.front())});
  }
  machine.cores = std::min(cpus, k_most_cores);
  spec.across = std::min(simulate::farther_than(spec.levels.empty() ? MachineSpec{}.levels.front().transfer
                                                                    : spec.levels.back().transfer),
                         time_of(k_most_ns));
  spec.prices.hit = time_of(measured.hit_ns);
  spec.prices.rmw = time_of(measured.rmw_ns);
  spec.prices.claim = time_of(measured.claim_ns);
  spec.prices.fault = time_of(measured.fault_ns);
  spec.tick = time_of(measured.tick_ns);
  spec.dispatch = time_of(measured.dispatch_ns);
  spec.skew = time_of(measured.skew_ns);
  spec.region = time_of(measured.leave_ns);
  return machine;
}

std::optional<std::string> absurdity_of(const simulate::MachineSpec& calibrated) {
  // Longest transfer of a line between processors; a thread that waits for its time slice takes a hundred
  // times as long.
  constexpr Time k_most = k_most_access_ns * k_ns;
  Time longest =
      std::max({calibrated.across, calibrated.prices.hit, calibrated.prices.rmw, calibrated.prices.claim});
  for (const auto& level : calibrated.levels) longest = std::max(longest, level.transfer);
  if (longest <= k_most) return std::nullopt;
  return fmt::format(
      "this machine is too busy to be measured: a step that takes nanoseconds took {} us. Try again when "
      "less runs, or name a machine, such as --machine generic",
      longest / (1'000 * k_ns));
}

} // namespace wstree::cli
