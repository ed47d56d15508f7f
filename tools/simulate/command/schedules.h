// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedules that can be simulated, by the names that users give them.
#pragma once

#include "schedule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

/// A list as users write it: "wsfixed,64,wstree", "all" for the library's own, "peers" for all others.
/// nullopt: they stand behind those in `schedules`; else the error in it.
std::optional<std::string> take_schedules(const std::string& text,
                                          std::vector<simulate::Schedule>& schedules);

/// Returns the name of a schedule, as in OMP_SCHEDULE.
std::string name_of(const simulate::Schedule& schedule);
std::vector<std::string> names_of(const std::vector<simulate::Schedule>& schedules);
std::optional<simulate::Schedule> schedule_named(std::string_view name);

/// Returns whether the schedule is the library's, which can serve loops whatever schedule their source has.
bool is_own(const simulate::Schedule& schedule);
/// Returns whether schedule(runtime) loops can have the schedule by OMP_SCHEDULE, with the library
/// or without.
bool can_be_set(const simulate::Schedule& schedule);

/// Returns the number of batches that the schedule makes of a loop, if that does not depend on events;
/// else 0.
std::uint64_t batches_of(const simulate::Schedule& schedule, std::uint64_t iterations);

} // namespace wstree::cli
