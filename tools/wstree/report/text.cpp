// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text.h"

#include "inspect/statistics.h"
#include "support/loop_name.h"
#include "support/visible.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr std::size_t k_most_programs = 3;
constexpr std::size_t k_most_columns = 6; // of loops

std::string programs_of(const RunReport& report) {
  std::string text;
  for (std::size_t i = 0; i < std::min(report.programs.size(), k_most_programs); ++i)
    text += (i == 0 ? "" : ", ") + visible(report.programs[i]);
  if (report.programs.size() > k_most_programs)
    text += fmt::format(" and {} more", report.programs.size() - k_most_programs);
  return text;
}

/// The load of each rank, and its loops beside those of the others.
std::string ranks_text(const RunReport& report) {
  double most = 0;
  for (const auto& rank : report.ranks) most = std::max(most, rank.seconds);
  std::string text =
      fmt::format("\n  {:>6}  {:>10}  {:>6}  {:>7}  {:>12}", "rank", "time", "load", "threads", "iterations");
  const auto columns = std::min(report.loops.size(), k_most_columns);
  for (std::size_t i = 0; i < columns; ++i) text += fmt::format("  {:>10}", fmt::format("loop {}", i + 1));
  text += '\n';
  for (const auto& rank : report.ranks) {
    text += fmt::format(
        "  {:>6}  {:>10}  {:>6}  {:>7}  {:>12}", visible(rank.rank), duration_text(rank.seconds),
        most > 0 ? fmt::format("{:.0f} %", 100 * rank.seconds / most) : "", rank.threads, rank.iterations);
    for (std::size_t i = 0; i < columns; ++i) {
      const auto& seconds = report.loops[i].rank_seconds;
      const auto found = seconds.find(rank.rank);
      text += fmt::format("  {:>10}", found == seconds.end() ? "-" : duration_text(found->second));
    }
    text += '\n';
  }
  return text + "  (load: of the slowest rank's time; loops in the order of the table above)\n";
}

} // namespace

std::string report_text(const RunReport& report, const Terminal& terminal) {
  std::string text;
  if (!report.programs.empty()) text += inked(terminal, Ink::bold, programs_of(report)) + "\n";
  for (const auto& line : verdict(report)) text += visible(line) + "\n";
  if (report.loops.empty()) return text;
  text += fmt::format("\n  {:>10}  {:>9}  {:>6}  {:>10}  {:>10}  {:>10}  {:>8}  {:>9}  {}\n", "time",
                      "imbalance", "idle", "even saves", "late", "preempted", "calls", "steals", "loop");
  for (const auto& loop : report.loops) {
    if (loop.is_only_recorded()) {
      text +=
          fmt::format("  {:>10}  {:>9}  {:>6}  {:>10}  {:>10}  {:>10}  {:>8}  {:>9}  {}  ({}; {} of work)\n",
                      "", "", "", "", "", "", loop.calls, "", folded_name(visible(loop.name)),
                      visible(loop.schedule), duration_text(loop.work));
      continue;
    }
    const auto idle = loop.idle_share();
    const auto line = fmt::format("  {:>10}  {:>9}  {:>6}  {:>10}  {:>10}  {:>10}  {:>8}  {:>9}  {}  ({})",
                                  duration_text(loop.seconds),
                                  loop.too_short ? "too short" : fmt::format("{:.2f}", loop.imbalance),
                                  idle < 0 ? "" : fmt::format("{:.1f} %", 100 * idle),
                                  loop.too_short ? "to tell" : duration_text(loop.even_saves),
                                  loop.has_statistics ? duration_text(loop.late) : "",
                                  loop.has_statistics ? duration_text(loop.preempted) : "", loop.calls,
                                  loop.steals, folded_name(visible(loop.name)), visible(loop.schedule));
    text += (loop.too_short ? inked(terminal, Ink::dim, line) : line) + "\n";
    if (!loop.source.empty())
      text += inked(terminal, Ink::dim, fmt::format("{:90}{}", "", visible(loop.source))) + "\n";
  }
  return report.has_ranks() ? text + ranks_text(report) : text;
}

} // namespace wstree::cli
