// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text.h"

#include "advice.h"
#include "inspect/statistics.h"
#include "support/loop_name.h"
#include "support/visible.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace wstree::cli {

namespace {

constexpr std::size_t k_most_programs = 3;
constexpr std::size_t k_most_columns = 6; // columns of loops
constexpr std::size_t k_most_advice = 5;

std::string programs_of(const RunReport& report) {
  std::string text;
  for (std::size_t i = 0; i < std::min(report.programs.size(), k_most_programs); ++i)
    text += (i == 0 ? "" : ", ") + visible(report.programs[i]);
  if (report.programs.size() > k_most_programs)
    text += fmt::format(" and {} more", report.programs.size() - k_most_programs);
  return text;
}

/// Returns the load of each rank, and its loops beside those of the others.
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

/// Returns the loops' times in the earlier run; loops that changed most come first.
std::string against_text(const RunReport& report, const Terminal& terminal) {
  std::vector<const ReportLoop*> loops;
  for (const auto& loop : report.loops)
    if (loop.earlier) loops.push_back(&loop);
  const auto change = [](const ReportLoop* loop) { return loop->seconds - loop->earlier_seconds(); };
  std::ranges::sort(loops,
                    [&](const auto* a, const auto* b) { return std::abs(change(a)) > std::abs(change(b)); });
  auto text =
      fmt::format("\n  {:>10}  {:>10}  {:>9}  {:>15}  {}\n", "before", "now", "change", "imbalance", "loop");
  for (const auto* loop : loops) {
    const double before = loop->earlier_seconds();
    const auto imbalance = [](bool too_short, double value) {
      return too_short ? std::string("-") : fmt::format("{:.2f}", value);
    };
    const auto line = fmt::format(
        "  {:>10}  {:>10}  {:>9}  {:>15}  {}", duration_text(before), duration_text(loop->seconds),
        before > 0 ? fmt::format("{:+.1f} %", 100 * (loop->seconds / before - 1)) : "",
        fmt::format("{} -> {}", imbalance(loop->earlier->too_short, loop->earlier->imbalance),
                    imbalance(loop->too_short, loop->imbalance)),
        folded_name(visible(loop->name)));
    const bool matters = std::abs(change(loop)) > k_worth * before;
    text += (matters ? inked(terminal, change(loop) < 0 ? Ink::good : Ink::bad, line) : line) + "\n";
  }
  for (const auto& name : report.gone)
    text += fmt::format("  {:>10}  {:>10}  {:>9}  {:>15}  {}\n", "", "-", "", "", folded_name(visible(name)));
  return text + "  (before: what as many calls took)\n";
}

/// Returns "1.52 instructions per cycle, 3 page faults"; empty: nothing was counted.
std::string counters_text(const ReportLoop& loop) {
  std::string text;
  const auto add = [&](std::optional<double> value, int digits, std::string_view words) {
    if (value) text += fmt::format("{}{:.{}f} {}", text.empty() ? "" : ", ", *value, digits, words);
  };
  const auto counters = loop.counters.value_or(CounterSums{});
  add(counters.instructions_per_cycle(), 2, "instructions per cycle");
  add(counters.misses_per_1000_instructions(), 2, "cache misses per 1,000 instructions");
  add(counters.page_faults, 0, "page faults");
  add(counters.context_switches, 0, "context switches");
  return text;
}

/// Returns the first loops about which a user can do something.
std::string advice_text(const RunReport& report) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& loop : report.loops) {
    const auto advice = advice_for(loop, report);
    if (loop.is_only_recorded() || !advice.asks_for_something()) continue;
    text += fmt::format("  {}: {}\n", visible(report.brief_name(loop)), visible(advice.reason));
    const auto add = [&](std::string_view what, const std::string& words) {
      if (!words.empty()) text += fmt::format("    {:<7} {}\n", what, visible(words));
    };
    add("set", advice.set);
    add("rule", advice.rule);
    add("source", advice.source);
    add("run", advice.command);
    if (++shown == k_most_advice) break;
  }
  return text.empty() ? text : "\nWhat to do\n" + text;
}

} // namespace

std::string report_text(const RunReport& report, const Terminal& terminal) {
  std::string text;
  if (!report.programs.empty()) text += inked(terminal, Ink::bold, programs_of(report)) + "\n";
  if (const auto origin = origin_text(report); !origin.empty()) text += visible(origin) + "\n";
  for (const auto& line : verdict(report)) text += visible(line) + "\n";
  if (report.loops.empty()) return text + rank_loops_text(report.rank_loops, terminal);
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
    if (const auto counters = counters_text(loop); !counters.empty())
      text += inked(terminal, Ink::dim, fmt::format("{:90}{}", "", counters)) + "\n";
    if (const auto source = loop.source_line(); !source.empty())
      text += inked(terminal, Ink::dim, fmt::format("{:90}{}", "", visible(source))) + "\n";
  }
  if (report.is_against) text += against_text(report, terminal);
  if (report.has_ranks()) text += ranks_text(report);
  text += rank_loops_text(report.rank_loops, terminal);
  return text + advice_text(report);
}

} // namespace wstree::cli
