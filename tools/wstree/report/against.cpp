// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "against.h"

#include "advice.h"
#include "support/terminal.h"
#include "support/time_elsewhere.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

template <class T> T member(const nlohmann::json& object, const char* key, T otherwise) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return otherwise;
  if constexpr (std::is_same_v<T, std::string>)
    return found->is_string() ? found->get<T>() : otherwise;
  else if constexpr (std::is_same_v<T, bool>)
    return found->is_boolean() ? found->get<T>() : otherwise;
  else
    return found->is_number() && *found >= 0 ? found->get<T>() : otherwise;
}

/// Returns the loop of this name: with the same schedule if there is one, because the schedule itself may
/// have been changed.
const ReportLoop* find(const RunReport& report, const ReportLoop& wanted) {
  const ReportLoop* other = nullptr;
  for (const auto& loop : report.loops) {
    if (loop.name != wanted.name || loop.is_only_recorded()) continue;
    if (loop.schedule == wanted.schedule) return &loop;
    if (other == nullptr) other = &loop;
  }
  return other;
}

} // namespace

std::optional<RunReport> read_report(const nlohmann::json& document) {
  if (!document.is_object() || !member(document, "format", std::string()).starts_with("wstree-report ") ||
      !document.contains("loops") || !document["loops"].is_array())
    return std::nullopt;
  RunReport report;
  report.threads = member(document, "threads", std::uint64_t{0});
  if (const auto programs = document.find("programs"); programs != document.end() && programs->is_array())
    for (const auto& program : *programs)
      if (program.is_string()) report.programs.push_back(program);
  for (const auto& told : document["loops"]) {
    if (!told.is_object()) continue;
    ReportLoop& loop = report.loops.emplace_back();
    loop.name = member(told, "name", std::string());
    loop.schedule = member(told, "schedule", std::string());
    loop.calls = member(told, "calls", std::uint64_t{0});
    loop.processes = member(told, "processes", std::uint64_t{0});
    loop.seconds = member(told, "seconds", 0.0);
    loop.imbalance = member(told, "imbalance", 1.0);
    loop.too_short = member(told, "too_short", true);
  }
  return report;
}

void set_against(RunReport& now, const RunReport& then) {
  now.earlier_programs = then.programs;
  now.earlier_threads = then.threads;
  now.is_against = true;
  for (auto& loop : now.loops) {
    if (loop.is_only_recorded()) continue;
    if (const auto* const old = find(then, loop))
      loop.earlier = Earlier{old->schedule, old->calls, old->seconds, old->imbalance, old->too_short};
  }
  for (const auto& old : then.loops)
    if (!old.is_only_recorded() && find(now, old) == nullptr) now.gone.push_back(old.name);
}

namespace {

/// Returns whether no loop that matters is uneven, or has threads that come late or without processors.
bool are_even(const RunReport& report, double seconds) {
  return std::ranges::none_of(report.loops, [&](const ReportLoop& loop) {
    return loop.seconds > k_lost * seconds && ((!loop.too_short && loop.imbalance >= k_uneven) ||
                                               std::max(loop.late, loop.preempted) > k_lost * loop.seconds);
  });
}

} // namespace

std::vector<std::string> against_verdict(const RunReport& report) {
  if (!report.is_against) return {};
  double now = 0;
  double then = 0;
  std::size_t added = 0;
  const ReportLoop* fastest = nullptr;
  const ReportLoop* slowest = nullptr;
  for (const auto& loop : report.loops) {
    if (loop.is_only_recorded()) continue;
    if (!loop.earlier) {
      ++added;
      continue;
    }
    now += loop.seconds;
    then += loop.earlier_seconds();
    const double change = loop.seconds - loop.earlier_seconds();
    if (fastest == nullptr || change < fastest->seconds - fastest->earlier_seconds()) fastest = &loop;
    if (slowest == nullptr || change > slowest->seconds - slowest->earlier_seconds()) slowest = &loop;
  }
  if (fastest == nullptr) return {"None of these loops were in the earlier run."};
  std::string text =
      fmt::format("Against the earlier run: {} instead of {}", duration_text(now), duration_text(then));
  if (then > 0) text += fmt::format(" ({:+.1f} %)", 100 * (now / then - 1));
  const auto add = [&](const ReportLoop& loop, std::string_view word) {
    const double change = loop.seconds - loop.earlier_seconds();
    if (std::abs(change) > k_worth * then)
      text += fmt::format("; {} is {} {}", report.brief_name(loop), duration_text(std::abs(change)), word);
  };
  if (fastest->seconds < fastest->earlier_seconds()) add(*fastest, "faster");
  if (slowest->seconds > slowest->earlier_seconds()) add(*slowest, "slower");
  if (added != 0)
    text += fmt::format("; {} new", added == 1 ? "1 loop is" : fmt::format("{} loops are", added));
  if (!report.gone.empty())
    text += fmt::format(
        "; {} gone", report.gone.size() == 1 ? "1 loop is" : fmt::format("{} loops are", report.gone.size()));
  std::vector<std::string> lines = {text +
                                    ". These are two runs: wstree compare tells what is more than noise."};
  if (report.earlier_threads == 1 && are_even(report, now))
    if (auto elsewhere = time_elsewhere(report.threads, now, then); !elsewhere.empty())
      lines.push_back(std::move(elsewhere));
  return lines;
}

} // namespace wstree::cli
