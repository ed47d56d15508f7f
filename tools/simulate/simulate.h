// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop on one virtual machine: the production templates of core, with any schedule.
#pragma once

#include "caches.h"
#include "distance.h"
#include "machine.h"
#include "workload.h"

#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace wstree::simulate {

/// A machine and what it charges, in ns; for any number of members.
struct MachineSpec {
  Prices prices;
  std::uint32_t domain = 8;  ///< members that are near each other; 0: all
  std::uint32_t package = 0; ///< members of a package, a multiple of `domain`; 0: there is one
  Time dispatch = 30 * k_ns; ///< what a call of the runtime costs besides its accesses to memory
  Time skew = 1'000 * k_ns;  ///< from the first arrival to the latest possible one
  bool aware = true;         ///< members know who is near them, as threads do that are pinned

  VirtualMachine machine(std::uint32_t members) const;
};

struct Schedule {
  core::Model model = core::Model::tree;
  std::uint64_t chunk = 0; ///< 0: none given
};

/// As the library has them when nobody asks for statistics.
inline core::Settings unmeasured() {
  core::Settings settings;
  settings.clocked = false;
  return settings;
}

struct Job {
  const Workload* workload = nullptr;
  Schedule schedule;
  std::uint32_t members = 1;
  core::Settings settings = unmeasured(); ///< durations in ticks of 0.4 ns
  MachineSpec machine;
  std::uint64_t seed = 1;
  std::uint32_t rounds = 1; ///< the loop is run so many times in the same slot, with other arrivals
  /// Told of every piece that a member is handed; may be empty.
  std::function<void(std::uint32_t round, std::uint32_t member, const core::Range&)> seen = {};
};

/// One execution of the loop.
struct Round {
  Time time = 0;       ///< from the earliest possible arrival until the last member has left
  core::Counts counts; ///< of all members
  Traffic traffic;
  Travel travel;
};

std::vector<Round> simulate(const Job& job);

/// The round with the median of the times.
const Round& median(const std::vector<Round>& rounds);

} // namespace wstree::simulate
