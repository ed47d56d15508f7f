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

/// Machines with cores of two or three kinds, in the order in which Linux counts them. Ratios:
///   P, E    Intel's Golden Cove and Gracemont at their own frequencies: an E core of a Core i9-12900K does
///           0.64 of a P core in SPECint 2017 and 0.54 in SPECfp 2017 (AnandTech, 2021-11-04, one thread).
///   LPE     Meteor Lake's two at 2.5 GHz, of an E core's 3.8 GHz: 0.6 * 2.5 / 3.8.
///   little  of Exynos 5422, Cortex-A7 at 1.4 GHz beside Cortex-A15 at 2.0 GHz: capacity-dmips-mhz of 539 and
///           1024 in Linux's device tree. Of Snapdragon 865, Cortex-A55 at 1.8 GHz beside Cortex-A77 at 2.84
///           (prime) and 2.42 (big): 448 and 1024 there.
///   slow    assumed: a neighbour, or heat, has 70 % of two cores for good.
struct UnequalRow {
  KnownMachine machine;
  std::array<std::pair<std::uint32_t, std::uint32_t>, 3> kinds; // cores, speed in thousandths
};
constexpr std::array k_unequal_rows{
    UnequalRow{{"6P+8E", "6 P and 8 E cores, one thread each", 14}, {{{6, 1'000}, {8, 600}}}},
    UnequalRow{{"8P+16E", "8 P and 16 E cores, one thread each", 24}, {{{8, 1'000}, {16, 600}}}},
    UnequalRow{{"6P+8E+2LPE", "6 P, 8 E and 2 LPE cores", 16}, {{{6, 1'000}, {8, 600}, {2, 400}}}},
    UnequalRow{{"4little+4big", "4 little and 4 big cores", 8}, {{{4, 370}, {4, 1'000}}}},
    UnequalRow{{"4little+3big+1prime", "little, big and prime cores", 8}, {{{4, 280}, {3, 850}, {1, 1'000}}}},
    UnequalRow{{"6full+2slow", "8 cores, two of which have 0.3 of their speed", 8}, {{{6, 1'000}, {2, 300}}}},
};

/// Returns the machine of a row, whose cores all share a cache; its transfers are those of `generic`.
MachineSpec spec_of(const UnequalRow& row) {
  MachineSpec spec;
  spec.name = row.machine.name;
  spec.levels = {{"package", row.machine.cores, spec.levels.front().transfer}};
  for (const auto& [cores, speed] : row.kinds) spec.speeds.insert(spec.speeds.end(), cores, speed);
  return spec;
}

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
  for (const UnequalRow& row : k_unequal_rows) machines.push_back(row.machine);
  return machines;
}

std::optional<MachineSpec> machine_named(std::string_view name) {
  if (name == "generic") return MachineSpec{};
  for (const UnequalRow& row : k_unequal_rows)
    if (row.machine.name == name) return spec_of(row);
  const auto* const row =
      std::ranges::find_if(k_rows, [&](const Row& known) { return known.machine.name == name; });
  return row == k_rows.end() ? std::nullopt : std::optional(spec_of(*row));
}

std::vector<KnownMachine> unequal_machines() {
  std::vector<KnownMachine> machines;
  for (const UnequalRow& row : k_unequal_rows) machines.push_back(row.machine);
  return machines;
}

// Between 2.1 and 2.9 times as long to the other package as within one, on the Xeons above; 1.8 and 4.7 on
// the EPYC from level to level.
Time farther_than(Time transfer) { return transfer * 22 / 10; }

} // namespace wstree::simulate
