// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.h"
#include "inspect/statistics.h"
#include "support/text_file.h"
#include "trace/trace_input.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using nlohmann::json;

constexpr std::size_t k_longest_source = 200;
constexpr std::string_view k_profile = "wstree-profile ";

std::string line_of(const std::string& file, std::uint32_t number) {
  const auto text = read_text(file);
  if (!text) return {};
  std::size_t at = 0;
  for (std::uint32_t line = 1; line < number; ++line) {
    at = text->find('\n', at);
    if (at == std::string::npos) return {};
    ++at;
  }
  auto line = text->substr(at, std::min(text->find('\n', at) - at, k_longest_source));
  line.erase(0, line.find_first_not_of(" \t"));
  return line;
}

} // namespace

std::string ReportInputs::add(const std::string& path) {
  const auto text = read_packed(path);
  if (!text) return fmt::format("'{}' cannot be read", path);
  if (text->starts_with(k_profile)) {
    profiles_.push_back(*text);
    return {};
  }
  auto document = json::parse(*text, nullptr, false);
  if (is_trace(document)) {
    learn_names(document);
    traces_.push_back(std::move(document));
  } else if (document.is_object() && document.contains("loops") && document["loops"].is_array()) {
    add_statistics(document);
  } else {
    return fmt::format(
        "'{}' is none of the files that WSTREE_STATS=json=FILE, WSTREE_RECORD and WSTREE_TRACE write", path);
  }
  return {};
}

void ReportInputs::find_source(const std::string& where, const names::Name& name) {
  if (name.line == 0 || name.file.empty()) return;
  auto line = line_of(name.file, name.line);
  if (!line.empty()) sources_.try_emplace(names_[where], std::move(line));
}

void ReportInputs::add_statistics(const json& document) {
  const auto statistics =
      read_statistics(document.dump(-1, ' ', false, json::error_handler_t::replace), resolver_);
  if (!statistics) return;
  ++report_.processes;
  report_.threads = std::max(report_.threads, statistics->threads);
  report_.programs.push_back(fmt::format("{} (process {})", statistics->program, statistics->process));
  for (const auto& loop : document["loops"]) {
    if (!loop.is_object() || !loop.contains("where") || !loop["where"].is_string()) continue;
    const auto name = name_of_loop(loop, resolver_);
    const auto where = name_in_traces(loop);
    names_[where] = loop_text(loop, name);
    find_source(where, name);
  }
  ReportRank& rank = report_.rank(statistics->rank.empty() ? "0" : statistics->rank);
  rank.program = statistics->program;
  rank.threads = std::max(rank.threads, statistics->threads);
  for (const auto& row : statistics->loops) {
    rank.iterations += row.iterations;
    rank.seconds += row.seconds;
    ReportLoop& loop = report_.loop(row.name, row.schedule);
    ++loop.processes;
    loop.rank_seconds[rank.rank] += row.seconds;
    loop.has_statistics = true;
    loop.calls += row.calls;
    loop.iterations += row.iterations;
    loop.batches += row.batches;
    loop.steals += row.steals;
    loop.mean_seconds += row.seconds; // divided in finish()
    loop.seconds = std::max(loop.seconds, row.seconds);
    if (row.too_short) continue;
    loop.too_short = false;
    loop.imbalance = std::max(loop.imbalance, row.imbalance);
    loop.even_saves = std::max(loop.even_saves, row.even_saves);
  }
}

void ReportInputs::learn_names(const json& document) {
  for (auto& [where, name] : names_in(document, resolver_)) names_[where] = name;
  if (document["otherData"].contains("sites"))
    for (const auto& site : document["otherData"]["sites"])
      if (site.is_object() && site.contains("where") && site["where"].is_string())
        find_source(name_in_traces(site), name_of_loop(site, resolver_));
}

std::string ReportInputs::name_of(const std::string& where) const {
  const auto found = names_.find(where);
  return found != names_.end() ? found->second : where;
}

RunReport ReportInputs::finish() {
  for (const auto& trace : traces_) add_trace_figures(trace, names_, report_);
  for (const auto& profile : profiles_)
    for (auto& [where, costs] : read_costs(profile))
      report_.loop(name_of(where), "").costs = std::move(costs);
  for (auto& loop : report_.loops) {
    if (loop.processes > 1) loop.mean_seconds /= static_cast<double>(loop.processes);
    if (const auto found = sources_.find(loop.name); found != sources_.end()) loop.source = found->second;
  }
  if (report_.programs.empty()) report_.programs = report_.traced_programs;
  report_.processes = std::max<std::uint64_t>(report_.processes, report_.programs.size());
  report_.sort();
  return std::move(report_);
}

} // namespace wstree::cli
