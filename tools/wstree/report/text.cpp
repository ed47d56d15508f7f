// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text.h"

#include "inspect/statistics.h"
#include "support/visible.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr std::size_t k_most_programs = 3;

std::string programs_of(const RunReport& report) {
  std::string text;
  for (std::size_t i = 0; i < std::min(report.programs.size(), k_most_programs); ++i)
    text += (i == 0 ? "" : ", ") + visible(report.programs[i]);
  if (report.programs.size() > k_most_programs)
    text += fmt::format(" and {} more", report.programs.size() - k_most_programs);
  return text;
}

} // namespace

std::string report_text(const RunReport& report, const Terminal& terminal) {
  std::string text;
  if (!report.programs.empty()) text += inked(terminal, Ink::bold, programs_of(report)) + "\n";
  for (const auto& line : verdict(report)) text += visible(line) + "\n";
  if (report.loops.empty()) return text;
  text += fmt::format("\n  {:>10}  {:>9}  {:>6}  {:>10}  {:>8}  {:>9}  {}\n", "time", "imbalance", "idle",
                      "even saves", "calls", "steals", "loop");
  for (const auto& loop : report.loops) {
    const auto idle = loop.idle_share();
    const auto line =
        fmt::format("  {:>10}  {:>9}  {:>6}  {:>10}  {:>8}  {:>9}  {}  ({})", duration_text(loop.seconds),
                    loop.too_short ? "too short" : fmt::format("{:.2f}", loop.imbalance),
                    idle < 0 ? "" : fmt::format("{:.1f} %", 100 * idle),
                    loop.too_short ? "to tell" : duration_text(loop.even_saves), loop.calls, loop.steals,
                    visible(loop.name), visible(loop.schedule));
    text += (loop.too_short ? inked(terminal, Ink::dim, line) : line) + "\n";
    if (!loop.source.empty())
      text += inked(terminal, Ink::dim, fmt::format("{:66}{}", "", visible(loop.source))) + "\n";
  }
  return text;
}

} // namespace wstree::cli
