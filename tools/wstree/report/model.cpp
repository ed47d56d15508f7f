// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.h"

#include "advice.h"
#include "against.h"

#include "support/loop_name.h"
#include "support/terminal.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <tuple>

namespace wstree::cli {

namespace {

std::string rank_verdict(const RunReport& report) {
  double seconds = 0;
  for (const auto& rank : report.ranks) seconds += rank.seconds;
  const auto slowest = std::ranges::max_element(report.ranks, {}, &ReportRank::seconds);
  const double mean = seconds / static_cast<double>(report.ranks.size());
  return fmt::format("Of {} ranks, rank {} is the slowest: {} in served loops, {:.2f} times the mean.",
                     report.ranks.size(), slowest->rank, duration_text(slowest->seconds),
                     mean > 0 ? slowest->seconds / mean : 1.0);
}

/// Returns a sentence about the loops that only records have.
std::string record_verdict(const RunReport& report) {
  std::size_t loops = 0;
  std::uint64_t calls = 0;
  double work = 0;
  for (const auto& loop : report.loops) {
    if (!loop.is_only_recorded()) continue;
    ++loops;
    calls += loop.calls;
    work += loop.work;
  }
  return fmt::format("{} known from records alone: {}, {} of work in all.",
                     loops == 1 ? "One loop is" : fmt::format("{} loops are", loops),
                     calls == 1 ? "1 call" : fmt::format("{} calls", calls), duration_text(work));
}

} // namespace

void ReportLoop::add_evenness(bool of_short_loop, double its_imbalance, double saves) {
  if (of_short_loop && !too_short) return;
  if (!of_short_loop && too_short) {
    too_short = false;
    imbalance = 1;
  }
  imbalance = std::max(imbalance, its_imbalance);
  if (!too_short) even_saves = std::max(even_saves, saves);
}

double ReportLoop::idle_share() const {
  const double all = traced.busy + traced.searching + traced.waiting;
  if (all > 0) return (traced.searching + traced.waiting) / all;
  return too_short || imbalance <= 0 ? -1 : 1 - 1 / imbalance;
}

std::string ReportLoop::source_line() const {
  if (source.loop < source.first || source.loop - source.first >= source.lines.size()) return {};
  const auto& line = source.lines[source.loop - source.first];
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

double ReportLoop::earlier_seconds() const {
  if (!earlier) return 0;
  return earlier->calls == 0 || calls == 0
             ? earlier->seconds
             : earlier->seconds * static_cast<double>(calls) / static_cast<double>(earlier->calls);
}

ReportLoop& RunReport::loop(const std::string& name, const std::string& schedule) {
  const auto found = std::ranges::find_if(loops, [&](const ReportLoop& known) {
    return known.name == name && (known.schedule == schedule || schedule.empty() || known.schedule.empty());
  });
  if (found != loops.end()) {
    if (found->schedule.empty()) found->schedule = schedule;
    return *found;
  }
  loops.emplace_back();
  loops.back().name = name;
  loops.back().schedule = schedule;
  return loops.back();
}

ReportLoop& RunReport::recorded_loop(const std::string& name, const std::string& schedule) {
  const auto found = std::ranges::find_if(
      loops, [&](const ReportLoop& known) { return known.name == name && known.schedule == schedule; });
  if (found != loops.end()) return *found;
  const auto measured = std::ranges::find_if(
      loops, [&](const ReportLoop& known) { return known.name == name && !known.is_only_recorded(); });
  return measured != loops.end() ? *measured : loop(name, schedule);
}

const ReportLoop* RunReport::without_barrier(const ReportLoop& loop) const {
  constexpr double k_alike = 1.25;
  const auto follows = [](const ReportLoop& uneven, const ReportLoop& next) {
    return uneven.calls == next.calls && !uneven.too_short && uneven.imbalance >= k_uneven &&
           next.late > k_lost * next.seconds && next.late * k_alike >= uneven.even_saves &&
           next.late <= uneven.even_saves * k_alike && &uneven != &next;
  };
  const auto found = std::ranges::find_if(
      loops, [&](const ReportLoop& other) { return follows(loop, other) || follows(other, loop); });
  return found == loops.end() ? nullptr : &*found;
}

std::string RunReport::brief_name(const ReportLoop& loop) const {
  const auto brief = [](const std::string& name) { return name.substr(0, name.find(names::k_inlined_in)); };
  const auto own = brief(loop.name);
  const bool is_unique = std::ranges::none_of(
      loops, [&](const ReportLoop& other) { return other.name != loop.name && brief(other.name) == own; });
  return folded_name(is_unique ? own : loop.name);
}

ReportRank& RunReport::rank(const std::string& rank) {
  const auto found = std::ranges::find(ranks, rank, &ReportRank::rank);
  return found != ranks.end() ? *found : ranks.emplace_back(ReportRank{.rank = rank, .program = {}});
}

void RunReport::sort() {
  std::ranges::sort(ranks, [](const ReportRank& a, const ReportRank& b) { // they are numbers
    return a.rank.size() != b.rank.size() ? a.rank.size() < b.rank.size() : a.rank < b.rank;
  });
  std::ranges::sort(loops, [](const ReportLoop& a, const ReportLoop& b) {
    return std::tie(b.even_saves, b.seconds, b.work, a.name, a.schedule) <
           std::tie(a.even_saves, a.seconds, a.work, b.name, b.schedule);
  });
}

namespace {

/// Adds the causes other than the schedule that kept threads from working, if any did; `seconds`: of
/// all loops.
void add_causes(const RunReport& report, double seconds, std::vector<std::string>& lines) {
  double late = 0, preempted = 0;
  const ReportLoop* latest = nullptr;
  const ReportLoop* preempted_most = nullptr;
  for (const auto& loop : report.loops) {
    late += loop.late;
    preempted += loop.preempted;
    if (latest == nullptr || loop.late > latest->late) latest = &loop;
    if (preempted_most == nullptr || loop.preempted > preempted_most->preempted) preempted_most = &loop;
  }
  if (preempted_most != nullptr && preempted > k_lost * seconds)
    lines.push_back(
        fmt::format("Threads have too few processors: the mean one waits {} ({:.0f} % of that time) for one, "
                    "{} of it in {}. Other "
                    "programs run, or there are more threads than processors; no schedule saves that.",
                    duration_text(preempted), 100 * preempted / seconds,
                    duration_text(preempted_most->preempted), report.brief_name(*preempted_most)));
  const auto* const before = latest != nullptr ? report.without_barrier(*latest) : nullptr;
  if (before != nullptr && late > k_lost * seconds)
    lines.push_back(
        fmt::format("Threads go from {} to {} without a barrier: what is uneven in one may make up for "
                    "the other. wstree compare tells.",
                    report.brief_name(*before), report.brief_name(*latest)));
  else if (latest != nullptr && late > k_lost * seconds)
    lines.push_back(fmt::format(
        "Threads come late: the mean one begins {} ({:.0f} % of that time) after the first, {} of it in {}. "
        "No schedule "
        "saves that: they do something else before, they sleep, or there are more threads than processors.",
        duration_text(late), 100 * late / seconds, duration_text(latest->late), report.brief_name(*latest)));
}

/// Names the longest regions that were not served, and the next step. Beside served loops, regions that take
/// little time have no line.
void add_unserved(const RunReport& report, std::vector<std::string>& lines) {
  constexpr std::size_t k_named = 3;
  for (std::size_t i = 0; i < std::min(report.unserved.size(), k_named); ++i) {
    const auto& region = report.unserved[i];
    if (!report.loops.empty() && region.seconds < k_worth * report.wall.all) break;
    lines.push_back(
        fmt::format("Not served: {}, {}: {}.", region.name, duration_text(region.seconds), region.reason));
  }
  if (!report.step.empty()) lines.push_back("Next: " + report.step + ".");
}

} // namespace

std::string origin_text(const RunReport& report) {
  auto text = report.command;
  if (!report.host.empty()) text += (text.empty() ? "on " : " on ") + report.host;
  if (const auto ended = static_cast<std::time_t>(report.ended); ended != 0) {
    std::tm local{};
    localtime_r(&ended, &local);
    text += fmt::format("{}{:04}-{:02}-{:02} {:02}:{:02}", text.empty() ? "" : ", ", local.tm_year + 1900,
                        local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min);
  }
  return text;
}

std::vector<std::string> verdict(const RunReport& report) {
  if (report.loops.empty()) {
    std::vector<std::string> lines{"No loop was served."};
    add_unserved(report, lines);
    return lines;
  }
  double seconds = 0;
  double saves = 0;
  std::size_t measured = 0;
  std::size_t short_ones = 0;
  for (const auto& loop : report.loops) {
    if (loop.is_only_recorded()) continue;
    ++measured;
    seconds += loop.seconds;
    saves += loop.too_short ? 0 : loop.even_saves;
    short_ones += loop.too_short ? 1 : 0;
  }
  if (measured == 0)
    return {record_verdict(report),
            "Records tell what iterations cost, and not whether loops are even: add statistics or a trace."};
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{} of {} took {} in all.", measured == 1 ? "One loop" : fmt::format("{} loops", measured),
                  report.processes == 1 ? "one process" : fmt::format("{} processes", report.processes),
                  duration_text(seconds)));
  if (report.wall.is_known()) {
    const auto text = report.wall.text();
    lines.push_back(report.processes == 1 ? "W" + text.substr(1) + "."
                                          : "The longest process: " + text + ".");
  }
  const auto* const they_are = measured == 1 ? "It is" : "They are";
  // A long loop that is nearly even may come first.
  const auto worst = std::ranges::find_if(
      report.loops, [](const ReportLoop& loop) { return loop.imbalance >= k_uneven && !loop.too_short; });
  if (saves > k_worth * seconds && worst != report.loops.end())
    lines.push_back(
        fmt::format("{} uneven: even loops would have saved {} ({:.0f} % of that time), {} of it in {}.",
                    they_are, duration_text(saves), 100 * saves / seconds, duration_text(worst->even_saves),
                    report.brief_name(*worst)));
  else if (short_ones == measured)
    lines.push_back("All of them are too short to tell whether they are even.");
  else
    lines.push_back(
        fmt::format("{} even: no schedule could save more than {}.", they_are, duration_text(saves)));
  add_unserved(report, lines);
  for (auto& line : against_verdict(report)) lines.push_back(std::move(line));
  add_causes(report, seconds, lines);
  for (const auto& loop : report.loops) {
    if (loop.processes < 2 || loop.mean_seconds <= 0 || loop.seconds < k_ranks_apart * loop.mean_seconds ||
        loop.too_short)
      continue;
    lines.push_back(fmt::format(
        "Processes differ: {} takes the slowest one {:.1f} times what it takes the mean one, which "
        "no schedule of threads changes.",
        report.brief_name(loop), loop.seconds / loop.mean_seconds));
    break;
  }
  if (measured != report.loops.size()) lines.push_back(record_verdict(report));
  if (report.has_ranks()) lines.push_back(rank_verdict(report));
  const auto apart = std::ranges::find_if(report.traced_programs, [&](const std::string& program) {
    return std::ranges::find(report.programs, program) == report.programs.end();
  });
  if (apart != report.traced_programs.end())
    lines.push_back(fmt::format("The trace is of another run, {}, than the statistics, of {}: idle times and "
                                "pictures are those of the trace, all else is that of the statistics.",
                                *apart, report.programs.front()));
  if (report.dropped != 0)
    lines.push_back(fmt::format("Traces lack {} older events, for which there was no room.", report.dropped));
  return lines;
}

} // namespace wstree::cli
