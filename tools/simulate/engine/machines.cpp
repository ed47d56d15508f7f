// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machines.h"

#include <algorithm>
#include <array>

namespace wstree::simulate {

namespace {

struct Row {
  KnownMachine machine;
  std::array<std::pair<std::string_view, std::uint32_t>, 2> levels; // 0 members: no such level
  std::array<Time, 2> transfers;                                    // ns, within each level
  Time across;                                                      // ns, between packages; 0: there is one
};

/// Transfers: N. Viennot and contributors, core-to-core-latency, tables "Single socket results" and "Dual
/// sockets results" of its README: medians over all pairs of cores of half the time in which two threads send
/// a line to each other and back by compare-and-exchange. The second socket of that EPYC 7R13 was slower than
/// the first; the figures are those of the first. The other prices are those of `generic`.
constexpr std::array k_rows{
    Row{{"cascadelake", "2 x Xeon Platinum 8275CL, 24 cores each", 48}, {{{"package", 24}}}, {47}, 134},
    Row{{"icelake", "2 x Xeon Platinum 8375C, 32 cores each", 64}, {{{"package", 32}}}, {51}, 108},
    Row{{"milan", "2 x EPYC 7R13, each 6 groups of 8 cores with an L3", 96},
        {{{"l3", 8}, {"package", 48}}},
        {23, 107},
        197},
    Row{{"graviton3", "AWS Graviton3, 64 cores", 64}, {{{"package", 64}}}, {46}, 0},
};

MachineSpec spec_of(const Row& row) {
  MachineSpec spec;
  spec.name = row.machine.name;
  spec.levels.clear();
  for (std::size_t i = 0; i < row.levels.size(); ++i)
    if (const auto& [name, members] = row.levels[i]; members != 0)
      spec.levels.push_back({std::string(name), members, row.transfers[i] * k_ns});
  spec.across = row.across != 0 ? row.across * k_ns : farther_than(spec.levels.back().transfer);
  return spec;
}

} // namespace

std::vector<KnownMachine> known_machines() {
  std::vector<KnownMachine> machines{{"generic", "domains of 8, as many as are wanted", 0}};
  for (const Row& row : k_rows) machines.push_back(row.machine);
  return machines;
}

std::optional<MachineSpec> machine_named(std::string_view name) {
  if (name == "generic") return MachineSpec{};
  const auto* const row =
      std::ranges::find_if(k_rows, [&](const Row& known) { return known.machine.name == name; });
  return row == k_rows.end() ? std::nullopt : std::optional(spec_of(*row));
}

// Between 2.1 and 2.9 times as long to the other package as within one, on the Xeons above; 1.8 and 4.7 on
// the EPYC from level to level.
Time farther_than(Time transfer) { return transfer * 22 / 10; }

} // namespace wstree::simulate
