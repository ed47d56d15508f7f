// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "served_loops.h"

#include <nlohmann/json.hpp>

namespace wstree::cli {

std::string kind_of_schedule(std::string_view schedule) {
  const auto open = schedule.rfind('(');
  if (open == std::string_view::npos || !schedule.ends_with(')')) return "runtime";
  return std::string(schedule.substr(open + 1, schedule.size() - open - 2));
}

void add_loops(std::string_view report, ServedLoops& loops) {
  const auto parsed = nlohmann::json::parse(report, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("loops") || !parsed["loops"].is_array()) return;
  for (const auto& loop : parsed["loops"]) {
    if (!loop.is_object()) continue;
    const auto schedule = loop.find("schedule");
    const auto calls = loop.find("calls");
    auto& count =
        loops[schedule != loop.end() && schedule->is_string() ? kind_of_schedule(schedule->get<std::string>())
                                                              : "runtime"];
    ++count.loops;
    if (calls != loop.end() && calls->is_number_unsigned()) count.calls += calls->get<std::uint64_t>();
    const auto lengths = loop.find("new_lengths");
    if (lengths != loop.end() && lengths->is_number_unsigned())
      count.new_lengths += lengths->get<std::uint64_t>();
  }
}

} // namespace wstree::cli
