// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine's structure and costs, for any number of members.
#pragma once

#include "machine.h"
#include "prices.h"
#include "virtual_time.h"

#include <cstdint>
#include <string>
#include <vector>

namespace wstree::simulate {

/// Domains of so many members each, which share a cache, a memory or a package.
struct Level {
  std::string name;
  std::uint32_t members = 1;
  Time transfer = 0; ///< transfer of a line between two members that have no smaller domain in common
};

/// An operating system that has other things to do: each member is held up now and then, wherever it is.
struct Noise {
  Time every = 0; ///< mean of the times between two interruptions of a member, which are random; 0: none
  Time lasts = 0; ///< mean of the durations
};

/// Some members have only a part of their speed for some time: heat, or a neighbour on their cores.
struct Change {
  Time after = 0;             ///< from the start of the simulation, or of each period
  Time lasts = 0;             ///< 0: for ever
  Time every = 0;             ///< length of a period; 0: it happens once
  std::uint32_t part = 1'000; ///< part of the speed, in thousandths
  std::uint32_t members = 1;  ///< so many
  bool last_members = false;  ///< the last ones of the team, not the first

  bool concerns(std::uint32_t member, std::uint32_t all) const {
    return last_members ? member + members >= all : member < members;
  }
  bool is_on(Time now) const {
    const Time at = every != 0 ? now % every : now;
    return at >= after && (lasts == 0 || at - after < lasts);
  }
  /// Returns the first time behind `now` at which this begins or ends, or may.
  Time next(Time now) const {
    const Time period = every != 0 ? now - now % every : 0;
    const Time at = now - period;
    if (at < after) return period + after;
    if (lasts != 0 && at - after < lasts) return period + after + lasts;
    return every != 0 ? period + every : ~Time{0};
  }
};

/// Iterations that wait for memory, which is as far from each core.
struct MemoryBound {
  std::uint32_t part = 0;    ///< part of each iteration's time, in thousandths; 0: they do not wait
  std::uint32_t members = 1; ///< if more are busy, each waits longer
};

struct MachineSpec {
  std::string name = "generic";
  /// Smallest first, each a multiple of the level before. At most VirtualMachine::k_levels - 1.
  std::vector<Level> levels{{"domain", 8, 45 * k_ns}};
  Time across = 110 * k_ns; ///< transfer of a line between members that share no domain
  Prices prices;
  Time tick = 12 * k_ns;    ///< reading the clock
  Time clock_step = k_tick; ///< between two values that members read of it
  Time dispatch =
      18 * k_ns;            ///< cost of a call of the runtime besides its accesses to memory and to the clock
  Time enter = 0;           ///< cost of entering a loop besides that
  Time region = 0;          ///< fork and join, with any schedule
  Time skew = 1'000 * k_ns; ///< from the first arrival to the latest possible one
  Noise noise;
  /// Speeds of members 0, 1, 2, ..., again and again, in thousandths; empty: all alike. Iterations and calls
  /// take 1000 / speed of their time.
  std::vector<std::uint32_t> speeds;
  std::vector<Change> changes;
  /// Members 0 and 1, 2 and 3, ... share a core: the part of its speed, in thousandths, that each of two has
  /// while both are in the loop. 0: each has a core of its own.
  std::uint32_t smt = 0;
  MemoryBound memory;
  bool aware = true; ///< members know which others are near, as pinned threads do

  VirtualMachine machine(std::uint32_t members) const;
  /// Returns the time of a transfer at each distance on that machine.
  Prices prices_on(const VirtualMachine& machine) const;
  std::uint32_t speed(std::uint32_t member) const {
    return speeds.empty() ? 1'000 : speeds[member % speeds.size()];
  }
};

} // namespace wstree::simulate
