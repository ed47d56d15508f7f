// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace wstree::cli {

/// Loops that were served, by the schedule in the program: "runtime", "dynamic", "guided", "auto",
/// or k_calls.
struct ServedCount {
  std::uint64_t loops = 0;       ///< places in the program
  std::uint64_t calls = 0;       ///< executions of them
  std::uint64_t new_lengths = 0; ///< executions of static loops with a length that had not come before
};
inline constexpr std::string_view k_calls = "C++"; ///< algorithms of wstree/parallel.hpp
using ServedLoops = std::map<std::string, ServedCount>;

/// Returns the kind in the schedule that figures show: "dynamic" in "wstree,8 (dynamic)", "runtime"
/// in "wstree,8".
std::string kind_of_schedule(std::string_view schedule);

/// Adds the loops of a report in JSON; nothing if it is damaged.
void add_loops(std::string_view report, ServedLoops& loops);

} // namespace wstree::cli
