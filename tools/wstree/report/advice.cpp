// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advice.h"

#include "inspect/statistics.h"
#include "support/terminal.h"

#include <fmt/format.h>

namespace wstree::cli {

namespace {

/// Returns "tri.c:6 wstree chunk=1", if rules can name the loop.
std::string rule_for(const ReportLoop& loop, std::string_view settings) {
  return loop.place.empty() ? std::string() : fmt::format("{} {}", loop.place, settings);
}

bool is_on_tree(const ReportLoop& loop) {
  return loop.schedule == "wstree" || loop.schedule.starts_with("wstree,") ||
         loop.schedule.starts_with("wstree ");
}

/// Returns the command that measures whether a change makes the program faster.
std::string compare_of(const RunReport& report) {
  return fmt::format("wstree compare --loops -- {}", report.command.empty() ? "PROGRAM" : report.command);
}

LoopAdvice for_lost_time(const ReportLoop& loop, const RunReport& report) {
  if (loop.preempted > k_lost * loop.seconds && loop.preempted >= loop.late)
    return {fmt::format("The mean thread waits {} for a processor, which no schedule saves.",
                        duration_text(loop.preempted)),
            "OMP_NUM_THREADS to the processors that are free, or end what else runs",
            {},
            {}};
  if (const auto* const before = report.without_barrier(loop))
    return {
        fmt::format("The mean thread begins {} after the first, because it leaves {} so, which is uneven and "
                    "has no barrier.",
                    duration_text(loop.late), report.brief_name(*before)),
        {},
        {},
        {}};
  return {fmt::format("The mean thread begins {} after the first, which no schedule saves.",
                      duration_text(loop.late)),
          {},
          {},
          "see what threads do before the loop"};
}

/// Returns the command that starts the program of the report: "wstree run --rules 'tri.c:6 wstree chunk=1' --
/// ./tri". Empty for a label with a quote in it, which a shell would interpret.
std::string run_with(const std::string& rule, const RunReport& report) {
  if (rule.find('\'') != std::string::npos) return {};
  return fmt::format("wstree run {}-- {}", rule.empty() ? "" : "--rules '" + rule + "' ",
                     report.command.empty() ? "PROGRAM" : report.command);
}

LoopAdvice for_uneven(const ReportLoop& loop, const RunReport& report) {
  const auto saves = fmt::format("An even loop would have saved {}", duration_text(loop.even_saves));
  if (const auto* const next = report.without_barrier(loop))
    return {
        fmt::format("{}, unless {} makes up for it: threads go on to it without a barrier, and the mean one "
                    "comes {} after the first.",
                    saves, report.brief_name(*next), duration_text(next->late)),
        {},
        {},
        {},
        compare_of(report)};
  constexpr const char* k_write_runtime = "write schedule(runtime)";
  if (loop.schedule.starts_with("static"))
    return {saves + ": the loop is static.", {}, {}, k_write_runtime}; // no variable reaches it
  if (!is_on_tree(loop))
    return {fmt::format("{} under {}.", saves, loop.schedule), "OMP_SCHEDULE=wstree",
            rule_for(loop, "wstree"), k_write_runtime, run_with(rule_for(loop, "wstree"), report)};
  const auto shares = loop.calls * report.threads;
  const double share = shares == 0 ? 0 : static_cast<double>(loop.iterations) / static_cast<double>(shares);
  if (!loop.counts_pieces && share < static_cast<double>(k_few_chunks))
    return {fmt::format("{}: an execution has {:.1f} iterations for each thread, too few to be shared.",
                        saves, share),
            {},
            {},
            "make more and smaller iterations: collapse(2), or a loop further out"};
  if (!loop.has_statistics)
    return {saves + ", unless threads had no processor, which a trace alone does not tell.",
            "WSTREE_STATS=json=FILE in the next run, beside WSTREE_TRACE",
            {},
            {}};
  return {
      saves + ", though threads share the iterations: some cost as much as a thread's part.",
      {},
      {},
      "split the dearest iterations (the cost over the iterations shows where they are), or start with them"};
}

} // namespace

LoopAdvice advice_for(const ReportLoop& loop, const RunReport& report) {
  if (loop.is_only_recorded())
    return {"A record tells what iterations cost, and not whether the loop is even.",
            "WSTREE_STATS or WSTREE_TRACE in the next run",
            {},
            {}};
  if (has_new_lengths(loop.new_lengths, loop.calls))
    return {fmt::format("Its number of iterations never repeats ({} of {} calls), so its parts stay equal.",
                        loop.new_lengths, loop.calls),
            {},
            {},
            "write schedule(runtime) if the iterations are uneven"};
  if (loop.too_short) return {"Too short to tell whether it is even.", {}, {}, {}};
  if (loop.imbalance >= k_uneven && has_few_chunks(loop.chunk, loop.iterations, loop.calls, report.threads))
    return {fmt::format("The chunk is too large: whole chunks of {} iterations are handed out, {:.1f} in an "
                        "execution for {} threads.",
                        loop.chunk,
                        static_cast<double>(loop.iterations) / static_cast<double>(loop.calls * loop.chunk),
                        report.threads),
            {},
            rule_for(loop, "wstree chunk=1"),
            "write a smaller chunk, or schedule(dynamic); the rule is for programs that do not count on "
            "whole chunks",
            run_with(rule_for(loop, "wstree chunk=1"), report)};
  const double lost = std::max(loop.preempted, loop.late);
  const bool loses = lost > k_lost * loop.seconds;
  if (loop.imbalance >= k_uneven && loop.even_saves > k_worth * loop.seconds &&
      (!loses || loop.even_saves > lost))
    return for_uneven(loop, report);
  if (loses) return for_lost_time(loop, report);
  if (loop.processes > 1 && loop.mean_seconds > 0 && loop.seconds >= k_ranks_apart * loop.mean_seconds)
    return {fmt::format("It takes the slowest process {:.1f} times what it takes the mean one, which no "
                        "schedule of threads changes.",
                        loop.seconds / loop.mean_seconds),
            {},
            {},
            "share the work between the processes anew"};
  return {
      fmt::format("Even: no schedule could save more than {}.", duration_text(loop.even_saves)), {}, {}, {}};
}

} // namespace wstree::cli
