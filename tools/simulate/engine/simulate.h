// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One loop on one virtual machine: the production templates of core, with any schedule.
#pragma once

#include "caches.h"
#include "distance.h"
#include "machine_spec.h"
#include "noise.h"
#include "schedule.h"
#include "workload.h"

#include "wstree/core/scheduler.h"
#include "wstree/core/settings.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace wstree::simulate {

/// Returns the library's settings without statistics: no clock is read for them.
inline core::Settings unmeasured() {
  core::Settings settings;
  settings.clocked = false;
  return settings;
}

/// Another program gets the processor of a member once.
struct Preemption {
  std::uint32_t round = 0;
  std::uint32_t member = 0;
  Time after = 0; ///< from the earliest possible arrival
  Time lasts = 0;
};

struct Job {
  const Workload* workload = nullptr;
  Schedule schedule;
  std::uint32_t members = 1;
  core::Settings settings = unmeasured(); ///< durations in ticks of 0.4 ns
  MachineSpec machine;
  std::uint64_t seed = 1;
  std::uint32_t rounds = 1;   ///< the loop is run so many times in the same slot, with other arrivals
  Suspension suspension = {}; ///< in every round
  /// Told of every piece that a member is handed; may be empty.
  std::function<void(std::uint32_t round, std::uint32_t member, const core::Range&)> seen = {};
  /// Returns the workload of a round, if the costs differ between the rounds; the workload outlives the call.
  std::function<const Workload&(std::uint32_t round)> workload_of = {};
  /// The iteration that cancels the loop in a round: no member gets another batch once it has been executed.
  std::function<std::optional<std::uint64_t>(std::uint32_t round)> cancelled_by = {};
  std::optional<Preemption> preemption = {};
  std::function<double(std::uint32_t member)> speed_error = {}; ///< times the speed that a member measures
};

/// One execution of the loop.
struct Round {
  Time time = 0;       ///< from the earliest possible arrival until the last member has left
  Time ideal = 0;      ///< for the speeds that the machine had then
  core::Counts counts; ///< sums over all members
  Traffic traffic;
  Travel travel;
  std::vector<Time> left; ///< by each member, as `time`
  /// When Job::suspension came, as `time`; nothing: its member had left before.
  std::optional<Time> suspended;
  /// The shared access that the member was about to make then; nothing: the member was executing a batch, or
  /// had just arrived.
  std::optional<core::Tag> suspended_at;
};

std::vector<Round> simulate(const Job& job);

/// Returns a lower bound of the time under any schedule: all members busy all the time, as fast as they
/// are, or the longest iteration on the fastest of them. `begin`: when the loop begins, for machines whose
/// speeds change.
Time ideal(const Workload& workload, std::uint32_t members, const MachineSpec& machine, Time begin = 0);

/// Returns the round with the median of the times.
const Round& median(const std::vector<Round>& rounds);

} // namespace wstree::simulate
