// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unordered_map>

namespace wstree::cli {

namespace {

using nlohmann::json;

constexpr std::size_t k_most_rows = 256; // rows of a timeline
constexpr std::size_t k_most_history = 400;
constexpr double k_short_seconds = 1e-3; // seconds of all executions: shorter ones have no meaning
constexpr double k_short_call = 20e-6;

double number(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}
std::uint64_t count(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}
std::string text(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// A member's state in a part of one execution; microseconds.
struct Part {
  double begin, end;
  std::uint32_t member;
  char state;
};

struct TracedExecution {
  std::string loop, schedule;
  double begin = INFINITY, end = 0; ///< first begin and last end of the members
  std::uint64_t members = 0, units = 0, process = 0, steals = 0;
  std::uint64_t chunk = 1; ///< iterations of a unit
  std::vector<Part> parts;
  std::vector<std::pair<std::uint32_t, double>> came;     ///< which member, and when
  std::map<std::uint32_t, double> preempted;              ///< microseconds, by member
  std::vector<std::pair<double, std::uint64_t>> sizes;    ///< units of batches, and how many have them
  std::vector<std::pair<std::uint64_t, unsigned>> arrows; ///< victim and thief

  /// Adds the parts for late members; called when all members are known.
  void note_late() {
    for (const auto& [member, since] : came)
      if (since > begin) parts.push_back({begin, since, member, 'l'});
  }
  /// Adds where the time of the threads went.
  void add_times(std::map<std::uint32_t, ThreadTimes>& threads) const {
    for (const auto& part : parts) {
      auto& times = threads[part.member];
      (part.state == 'b'   ? times.busy
       : part.state == 'l' ? times.late
       : part.state == 's' ? times.searching
                           : times.waiting) += (part.end - part.begin) * 1e-6;
    }
    for (const auto& [member, waited] : preempted) {
      auto& times = threads[member];
      const double share = std::min(waited * 1e-6, times.busy);
      times.busy -= share;
      times.preempted += share;
    }
  }
  [[nodiscard]] double seconds() const { return (end - begin) * 1e-6; }
  [[nodiscard]] double sum(char state) const {
    double all = 0;
    for (const auto& part : parts) all += part.state == state ? part.end - part.begin : 0;
    return all * 1e-6;
  }
  /// Returns the busiest member's time divided by the mean one.
  [[nodiscard]] double imbalance() const {
    std::map<std::uint32_t, double> busy;
    double all = 0;
    double most = 0;
    for (const auto& part : parts) {
      if (part.state != 'b') continue;
      all += part.end - part.begin;
      most = std::max(most, busy[part.member] += part.end - part.begin);
    }
    return all > 0 ? std::max(1.0, most * static_cast<double>(members) / all) : 1;
  }
  [[nodiscard]] double busiest() const {
    const double mean = sum('b') / static_cast<double>(std::max<std::uint64_t>(members, 1));
    return imbalance() * mean;
  }
};

/// Returns "b12s3-2": the states of a row, with their lengths.
std::string runs_of(std::string_view states) {
  std::string text;
  for (std::size_t i = 0; i < states.size();) {
    const auto end = std::min(states.find_first_not_of(states[i], i), states.size());
    text += states[i] + std::to_string(end - i);
    i = end;
  }
  return text;
}

Timeline timeline_of(const TracedExecution& execution) {
  Timeline timeline{execution.seconds(), execution.members, {}};
  std::map<std::uint32_t, std::string> rows;
  const double piece = (execution.end - execution.begin) / Timeline::k_pieces;
  if (piece <= 0) return timeline;
  for (const auto& part : execution.parts) {
    if (part.member >= k_most_rows) continue;
    auto& states = rows.try_emplace(part.member, Timeline::k_pieces, '-').first->second;
    const auto from = static_cast<std::size_t>(std::max(0.0, (part.begin - execution.begin) / piece));
    const auto until = static_cast<std::size_t>(std::ceil((part.end - execution.begin) / piece));
    for (std::size_t i = from; i < std::min(until, Timeline::k_pieces); ++i)
      if (states[i] == '-' || part.state == 'b') states[i] = part.state;
  }
  for (const auto& [member, states] : rows) {
    const auto waited = execution.preempted.find(member);
    timeline.rows.push_back(
        {member, runs_of(states), waited == execution.preempted.end() ? 0 : waited->second * 1e-6});
  }
  return timeline;
}

/// Reads the events of one file, which may hold several processes.
class TraceReader {
public:
  TraceReader(const std::map<std::string, std::string>& names, RunReport& report)
      : names_(names), report_(report) {}

  void read(const json& trace) {
    for (const auto& event : trace["traceEvents"])
      if (event.is_object() && event.contains("args") && event["args"].is_object()) take(event);
    for (auto* execution : in_order()) {
      execution->note_late();
      add(*execution);
    }
    for (const auto& [place, sums] : sums_) add_sums(std::get<0>(place), sums);
    name_processes(trace);
  }

private:
  /// All executions of a loop with one schedule in one process.
  struct Sums {
    std::string schedule;
    std::uint64_t calls = 0, iterations = 0, batches = 0, steals = 0, chunk = 1;
    double seconds = 0, saves = 0, mean_busy = 0;
  };

  static std::string key_of(const json& event) {
    const auto& told = event["args"];
    // Loops of one thread have no number of their own.
    const auto execution = count(told, "execution");
    return std::to_string(count(event, "pid")) + '/' +
           (execution != 0 ? std::to_string(execution) : "t" + std::to_string(count(event, "tid")));
  }

  void take(const json& event) {
    const auto kind = text(event, "cat");
    const auto& told = event["args"];
    if (text(event, "name") == "thread_name") {
      report_.dropped += count(told, "dropped");
      processes_.insert(count(event, "pid"));
    }
    if (text(event, "ph") != "X" || kind == "region" || kind == "") return;
    // Events of a rank: its threads have events of their own.
    if (kind == "piece" || kind == "looking") return;
    const auto member = static_cast<std::uint32_t>(count(told, "member"));
    const auto key = key_of(event);
    auto& execution = executions_[key];
    const double begin = number(event, "ts");
    const double end = begin + number(event, "dur");
    if (kind == "loop") {
      execution.loop = text(event, "name");
      execution.schedule = text(told, "schedule");
      execution.members = count(told, "members");
      execution.units = count(told, "units");
      execution.chunk = std::max<std::uint64_t>(count(told, "chunk"), 1);
      execution.begin = std::min(execution.begin, begin);
      execution.end = std::max(execution.end, end);
      execution.process = count(event, "pid");
      execution.came.emplace_back(member, begin);
      if (told.contains("preempted")) execution.preempted[member] += number(told, "preempted");
      if (count(told, "execution") == 0) end_alone(key);
      return;
    }
    const char state = kind == "batch" ? 'b' : kind == "wait" ? 'w' : 's';
    execution.parts.push_back({begin, end, member, state});
    if (kind == "batch") execution.sizes.push_back(size_of(told));
    if (kind != "steal") return;
    ++execution.steals;
    if (told.contains("victim")) execution.arrows.emplace_back(count(told, "victim"), member);
  }

  /// Closes the thread's execution: its next loop begins a new one.
  void end_alone(const std::string& key) {
    auto ended = executions_.extract(key);
    ended.key() += '#' + std::to_string(executions_.size());
    executions_.insert(std::move(ended));
  }

  /// Units of a batch, and how many batches were put together.
  static std::pair<double, std::uint64_t> size_of(const json& told) {
    const auto batches = std::max<std::uint64_t>(count(told, "batches"), 1);
    return {static_cast<double>(count(told, "past") - count(told, "first")) / static_cast<double>(batches),
            batches};
  }

  std::vector<TracedExecution*> in_order() {
    std::vector<TracedExecution*> order;
    for (auto& [key, execution] : executions_) {
      if (execution.loop.empty()) continue; // its end was dropped, or is to come
      order.push_back(&execution);
    }
    std::ranges::sort(order, [](const auto* a, const auto* b) { return a->begin < b->begin; });
    return order;
  }

  ReportLoop& of_loop(const std::string& where, const std::string& schedule = {}) {
    const auto found = names_.find(where);
    return report_.loop(found != names_.end() ? found->second : where, schedule);
  }

  void add(const TracedExecution& execution) {
    ReportLoop& loop = of_loop(execution.loop, execution.schedule);
    const double busy = execution.sum('b');
    loop.traced.busy += busy;
    loop.traced.searching += execution.sum('s');
    loop.traced.waiting += execution.sum('w');
    execution.add_times(loop.traced.threads);
    if (loop.traced.imbalance.size() < k_most_history) loop.traced.imbalance.push_back(execution.imbalance());
    if (execution.seconds() > loop.traced.longest.seconds) loop.traced.longest = timeline_of(execution);
    report_.threads = std::max(report_.threads, execution.members);
    for (const auto& [size, batches] : execution.sizes) {
      const double iterations = size * static_cast<double>(execution.chunk);
      const auto bin = static_cast<std::size_t>(std::max(0.0, std::log2(std::max(iterations, 1.0))));
      loop.traced.batches[std::min(bin, TracedLoop::k_bins - 1)] += batches;
    }
    for (const auto& [victim, thief] : execution.arrows)
      ++loop.traced.steals[{static_cast<unsigned>(victim), thief}];
    Sums& sums = sums_[{loop.name, execution.schedule, execution.process}];
    const double mean = busy / static_cast<double>(std::max<std::uint64_t>(execution.members, 1));
    sums.schedule = execution.schedule;
    ++sums.calls;
    sums.iterations += execution.units * execution.chunk;
    sums.chunk = std::max(sums.chunk, execution.chunk);
    sums.steals += execution.steals;
    for (const auto& [size, batches] : execution.sizes) sums.batches += batches;
    sums.seconds += execution.seconds();
    sums.mean_busy += mean;
    sums.saves += std::max(0.0, execution.busiest() - mean);
  }

  /// Adds the sums of a loop, as add_statistics() adds those of a process.
  void add_sums(const std::string& name, const Sums& sums) {
    ReportLoop& loop = report_.loop(name, sums.schedule);
    if (loop.has_statistics) return; // they have seen all executions
    ++loop.processes;
    loop.calls += sums.calls;
    loop.iterations += sums.iterations;
    loop.batches += sums.batches;
    loop.steals += sums.steals;
    loop.chunk = std::max(loop.chunk, sums.chunk);
    loop.mean_seconds += sums.seconds;
    loop.seconds = std::max(loop.seconds, sums.seconds);
    loop.add_evenness(sums.seconds < k_short_seconds ||
                              sums.seconds<k_short_call* static_cast<double>(sums.calls), sums.mean_busy> 0
                          ? 1 + sums.saves / sums.mean_busy
                          : 1,
                      sums.saves);
  }

  void name_processes(const json& trace) {
    for (const auto process : processes_)
      report_.traced_programs.push_back(text(trace["otherData"], "program") + " (process " +
                                        std::to_string(process) + ")");
  }

  const std::map<std::string, std::string>& names_;
  RunReport& report_;
  std::unordered_map<std::string, TracedExecution> executions_;
  std::map<std::tuple<std::string, std::string, std::uint64_t>, Sums>
      sums_; ///< by loop, schedule and process
  std::set<std::uint64_t> processes_;
};

} // namespace

void add_trace_figures(const json& trace, const std::map<std::string, std::string>& names,
                       RunReport& report) {
  TraceReader(names, report).read(trace);
}

} // namespace wstree::cli
