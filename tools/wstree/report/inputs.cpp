// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.h"
#include "inspect/statistics.h"
#include "support/text_file.h"
#include "trace/trace_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <variant>

namespace wstree::cli {

namespace {

using nlohmann::json;

constexpr std::size_t k_longest_source = 200;
constexpr std::string_view k_profile = "wstree-profile ";

/// Returns the line with this number and two on either side, without their common indentation.
SourceLines source_of(const std::string& file, std::uint32_t number) {
  constexpr std::uint32_t k_around = 2;
  std::istringstream text(read_text(file).value_or(""));
  SourceLines source{number > k_around ? number - k_around : 1, number, {}};
  std::size_t indentation = k_longest_source;
  std::uint32_t at = 1;
  for (std::string line; at <= number + k_around && std::getline(text, line); ++at) {
    if (at < source.first) continue;
    source.lines.push_back(line.substr(0, k_longest_source));
    indentation = std::min(indentation, line.find_first_not_of(" \t"));
  }
  if (at <= number) return {}; // another file than the compiled one
  for (auto& line : source.lines) line.erase(0, indentation);
  return source;
}

/// Returns the loop's name in rules: "label:x", "tri.c:6" or "libx.so+0x12f0"; empty: it has none.
std::string place_of(const json& told, const names::Name& name) {
  if (const auto label = told.find("label"); label != told.end() && label->is_string() && *label != "")
    return "label:" + label->get<std::string>();
  const auto file_name = [](const std::string& path) {
    return std::filesystem::path(path).filename().string();
  };
  if (name.line != 0) return fmt::format("{}:{}", file_name(name.file), name.line);
  const auto module = told.find("module");
  const auto offset = told.find("offset");
  if (module == told.end() || !module->is_string() || *module == "" || offset == told.end() ||
      !offset->is_number_unsigned())
    return {};
  return fmt::format("{}+0x{:x}", file_name(*module), offset->get<std::uint64_t>());
}

/// Returns the rows of one process, with rows of one name and schedule added up: a compiler may split a loop.
std::vector<LoopRow> joined_rows(const std::vector<LoopRow>& rows) {
  std::vector<LoopRow> joined;
  for (const auto& row : rows) {
    const auto known = std::ranges::find_if(joined, [&](const LoopRow& other) {
      return other.name == row.name && other.schedule == row.schedule;
    });
    if (known == joined.end())
      joined.push_back(row);
    else
      *known += row;
  }
  return joined;
}

/// Returns the member of an event that cannot be, for the user; empty: none.
std::string impossible_event(const json& trace) {
  const auto& events = trace.at("traceEvents");
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!events[i].is_object()) continue;
    const auto place = fmt::format("traceEvents[{}].", i);
    if (auto problem = negative_member(events[i], place, {"ts", "dur"}); !problem.empty()) return problem;
    const auto told = events[i].find("args");
    if (told == events[i].end() || !told->is_object()) continue;
    auto problem = negative_member(*told, place + "args.",
                                   {"member", "members", "units", "chunk", "first", "past", "batches",
                                    "victim", "dropped", "preempted"});
    if (!problem.empty()) return problem;
    const auto first = told->find("first");
    const auto past = told->find("past");
    if (first != told->end() && past != told->end() && first->is_number() && past->is_number() &&
        past->get<double>() < first->get<double>())
      return fmt::format("{0}args.past is {1}, and a batch that begins with {2} ends behind that", place,
                         past->dump(), first->dump());
  }
  return {};
}

} // namespace

std::string ReportInputs::add(const std::string& path) {
  const auto text = read_packed(path);
  if (!text) return fmt::format("'{}' cannot be read: {}", path, std::strerror(errno));
  if (text->starts_with(k_profile)) {
    std::istringstream lines(*text);
    auto read = simulate::read_profile(lines, true);
    if (const auto* problem = std::get_if<std::string>(&read)) return fmt::format("'{}': {}", path, *problem);
    records_.push_back(std::get<0>(std::move(read)));
    return {};
  }
  auto document = json::parse(*text, nullptr, false);
  if (is_trace(document)) {
    if (const auto problem = impossible_event(document); !problem.empty())
      return fmt::format("'{}': {}", path, problem);
    learn_names(document);
    traces_.push_back(std::move(document));
  } else if (document.is_object() && document.contains("loops") && document["loops"].is_array()) {
    if (const auto problem = negative_figure(document); !problem.empty())
      return fmt::format("'{}': {}", path, problem);
    add_statistics(document);
  } else {
    return fmt::format(
        "'{}' is none of the files that WSTREE_STATS=json=FILE, WSTREE_RECORD and WSTREE_TRACE write", path);
  }
  return {};
}

void ReportInputs::find_place(const json& told) {
  const auto name = name_of_loop(told, resolver_);
  const auto text = loop_text(told, name);
  names_[name_in_traces(told)] = text;
  if (auto place = place_of(told, name); !place.empty()) places_.try_emplace(text, std::move(place));
  if (name.line == 0 || name.file.empty() || sources_.contains(text)) return;
  sources_.emplace(text, source_of(name.file, name.line));
}

void ReportInputs::add_statistics(const json& document) {
  const auto statistics =
      read_statistics(document.dump(-1, ' ', false, json::error_handler_t::replace), resolver_);
  if (!statistics) return;
  ++report_.processes;
  report_.threads = std::max(report_.threads, statistics->threads);
  report_.programs.push_back(fmt::format("{} (process {})", statistics->program, statistics->process));
  if (const auto time = wall_time_of(*statistics); time.all > report_.wall.all) report_.wall = time;
  if (report_.ended == 0) {
    report_.command = statistics->command;
    report_.host = statistics->host;
    report_.ended = statistics->ended;
  }
  for (const auto& loop : document["loops"]) {
    if (loop.is_object() && loop.contains("where") && loop["where"].is_string()) find_place(loop);
  }
  add_rank_loops(document, report_.rank_loops);
  if (auto step = next_step(*statistics); !step.empty()) report_.step = std::move(step);
  for (const auto& region : statistics->unserved) {
    const auto known = std::ranges::find_if(report_.unserved, [&](const UnservedRegion& other) {
      return other.name == region.name && other.reason == region.reason;
    });
    if (known == report_.unserved.end())
      report_.unserved.push_back(region);
    else
      known->seconds = std::max(known->seconds, region.seconds); // in another process
  }
  std::ranges::stable_sort(report_.unserved, std::greater(), &UnservedRegion::seconds);
  ReportRank& rank = report_.rank(statistics->rank.empty() ? "0" : statistics->rank);
  rank.program = statistics->program;
  rank.threads = std::max(rank.threads, statistics->threads);
  for (const auto& row : joined_rows(statistics->loops)) {
    rank.iterations += row.iterations;
    rank.seconds += row.seconds;
    ReportLoop& loop = report_.loop(row.name, row.schedule);
    ++loop.processes;
    loop.rank_seconds[rank.rank] += row.seconds;
    loop.has_statistics = true;
    loop.calls += row.calls;
    loop.iterations += row.iterations;
    loop.counts_pieces = loop.counts_pieces || row.counts_pieces;
    loop.batches += row.batches;
    loop.steals += row.steals;
    loop.mean_seconds += row.seconds; // divided in finish()
    loop.seconds = std::max(loop.seconds, row.seconds);
    loop.late = std::max(loop.late, row.late);
    loop.preempted = std::max(loop.preempted, row.preempted);
    loop.chunk = std::max(loop.chunk, row.chunk);
    loop.new_lengths += row.new_lengths;
    if (loop.counters)
      *loop.counters += row.counters;
    else
      loop.counters = row.counters;
    loop.add_evenness(row.too_short, row.imbalance, row.even_saves);
  }
}

void ReportInputs::add_recorded(const simulate::RecordedLoop& recorded) {
  ReportLoop& loop = report_.recorded_loop(name_of(recorded.name), recorded.schedule);
  constexpr double k_ns = 1e-9;
  loop.work += recorded.total_ns * k_ns;
  if (loop.costs.empty()) loop.costs = costs_of(recorded);
  if (!loop.is_only_recorded()) return;
  loop.calls += recorded.executions_seen;
  loop.iterations += recorded.iterations * recorded.executions_seen;
  for (const auto& execution : recorded.executions)
    report_.threads = std::max<std::uint64_t>(report_.threads, execution.members);
}

void ReportInputs::learn_names(const json& document) {
  for (auto& [where, name] : names_in(document, resolver_)) names_[where] = name;
  if (document["otherData"].contains("sites"))
    for (const auto& site : document["otherData"]["sites"])
      if (site.is_object() && site.contains("where") && site["where"].is_string()) find_place(site);
}

std::string ReportInputs::name_of(const std::string& where) const {
  const auto found = names_.find(where);
  return found != names_.end() ? found->second : where;
}

RunReport ReportInputs::finish() {
  for (const auto& trace : traces_) add_trace_figures(trace, names_, report_);
  for (const auto& record : records_)
    for (const auto& loop : record) add_recorded(loop);
  for (auto& loop : report_.loops) {
    if (loop.processes > 1) loop.mean_seconds /= static_cast<double>(loop.processes);
    if (const auto found = sources_.find(loop.name); found != sources_.end()) loop.source = found->second;
    if (const auto found = places_.find(loop.name); found != places_.end()) loop.place = found->second;
  }
  if (report_.programs.empty()) report_.programs = report_.traced_programs;
  report_.processes = std::max<std::uint64_t>(report_.processes, report_.programs.size());
  if (report_.processes == 0) report_.processes = records_.size();
  report_.sort();
  return std::move(report_);
}

} // namespace wstree::cli
