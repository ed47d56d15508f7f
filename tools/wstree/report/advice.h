// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.h"

#include <string>

namespace wstree::cli {

/// Advice to a user about one loop, and its reason; ways that do not help are empty.
struct LoopAdvice {
  std::string reason;
  std::string set;          ///< variables and options of a run
  std::string rule;         ///< a line for WSTREE_RULES
  std::string source;       ///< a change in the program
  std::string command = {}; ///< a whole command that does it

  [[nodiscard]] bool asks_for_something() const { return !(set + rule + source + command).empty(); }
};

/// From here on a loop is uneven: the busiest thread's time by the mean one's.
inline constexpr double k_uneven = 1.1;
/// Part of a loop's time: a smaller gain is noise.
inline constexpr double k_worth = 0.02;
/// Part of a loop's time: smaller losses by threads that come late or wait for a processor are noise.
inline constexpr double k_lost = 0.1;

LoopAdvice advice_for(const ReportLoop& loop, const RunReport& report);

} // namespace wstree::cli
