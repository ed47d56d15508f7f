// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu_pairs.h"

#include "../../../runtime/place/machine.h" // "machine.h" is the simulator's own
#include "process_limits.h"

#include <array>
#include <memory>
#include <string_view>

namespace wstree::simulate {

namespace {

using place::Cpu;

place::Level nearest_common(const Cpu& a, const Cpu& b) {
  for (std::uint32_t level = 0; level < place::k_levels; ++level)
    if (a.domain[level] == b.domain[level] && a.domain[level] != Cpu::k_none)
      return static_cast<place::Level>(level);
  return place::Level::machine;
}

/// Returns at most `most` of `all`, from all over it.
std::vector<CpuPair> some(const std::vector<CpuPair>& all, std::size_t most) {
  std::vector<CpuPair> chosen;
  const std::size_t step = (all.size() + most - 1) / most;
  for (std::size_t i = 0; i < all.size(); i += step) chosen.push_back(all[i]);
  return chosen;
}

/// Returns the CPUs of the mask, with pairs of one level: the topology is not known.
CpuList without_topology(const place::CpuSet& mask, std::size_t most) {
  CpuList list;
  for (std::uint32_t cpu = mask.next(0); cpu < place::CpuSet::k_cpus; cpu = mask.next(cpu + 1))
    list.cpus.push_back(cpu);
  std::vector<CpuPair> pairs;
  for (std::size_t i = 1; i < list.cpus.size(); ++i) pairs.push_back({list.cpus[0], list.cpus[i]});
  if (!pairs.empty()) list.levels.push_back({std::string(name_of(place::Level::machine)), some(pairs, most)});
  return list;
}

} // namespace

/// Returns each CPU with the next one of each level behind it: all levels, without all pairs of a
/// large machine.
CpuList cpu_list(std::size_t most, const place::Machine& machine) {
  std::array<std::vector<CpuPair>, place::k_levels> pairs;
  CpuList list;
  for (std::uint32_t a = 0; a < machine.cpus(); ++a) {
    list.cpus.push_back(machine.cpu(a).os);
    std::array<bool, place::k_levels> seen{};
    for (std::uint32_t b = a + 1; b < machine.cpus(); ++b) {
      const auto level = static_cast<std::size_t>(nearest_common(machine.cpu(a), machine.cpu(b)));
      if (!seen[level]) pairs[level].push_back({machine.cpu(a).os, machine.cpu(b).os});
      seen[level] = true;
    }
  }
  for (std::size_t level = 0; level < place::k_levels; ++level)
    if (!pairs[level].empty())
      list.levels.push_back(
          {std::string(name_of(static_cast<place::Level>(level))), some(pairs[level], most)});
  return list;
}

CpuList cpu_list(std::size_t most) {
  std::string_view why;
  if (const auto machine = place::Machine::load({}, why)) return cpu_list(most, *machine);
  return without_topology(place::current_mask(), most);
}

} // namespace wstree::simulate
