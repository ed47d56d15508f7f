// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "page.h"
#include "text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view k_format = "wstree-report";
constexpr std::string_view k_place = "/*DATA*/"; // of the figures in the page
constexpr std::size_t k_most_pictures = 60;
constexpr std::size_t k_most_bytes = 900'000;
constexpr unsigned k_most_side = 64; // of a matrix

/// "b12s3-2": what a row says, with how often.
std::string runs_of(const std::string& states) {
  std::string text;
  for (std::size_t i = 0; i < states.size();) {
    const auto end = std::min(states.find_first_not_of(states[i], i), states.size());
    text += (states[i] == ' ' ? '-' : states[i]) + std::to_string(end - i);
    i = end;
  }
  return text;
}

ordered_json timeline_json(const Timeline& timeline) {
  auto rows = ordered_json::array();
  for (const auto& row : timeline.rows) rows.push_back({row.member, runs_of(row.states)});
  return {{"seconds", timeline.seconds},
          {"members", timeline.members},
          {"pieces", timeline.rows.front().states.size()},
          {"rows", rows}};
}

/// Threads next to each other share a cell if there are many.
void add_steals(ordered_json& json, const TracedLoop& traced) {
  unsigned side = 2;
  for (const auto& [pair, steals] : traced.steals) side = std::max({side, pair.first + 1, pair.second + 1});
  const unsigned together = (side + k_most_side - 1) / k_most_side;
  std::map<std::pair<unsigned, unsigned>, std::uint64_t> cells;
  for (const auto& [pair, steals] : traced.steals)
    cells[{pair.first / together, pair.second / together}] += steals;
  auto list = ordered_json::array();
  for (const auto& [pair, steals] : cells) list.push_back({pair.first, pair.second, steals});
  json["stolen"] = list;
  json["stolen_size"] = (side + together - 1) / together;
}

double rounded(double value) {
  constexpr double k_most = 1e12; // larger numbers have no such digits
  return value < k_most ? static_cast<double>(std::llround(value * 1000)) / 1000 : value;
}

void add_pictures(ordered_json& json, const ReportLoop& loop) {
  const auto& traced = loop.traced;
  if (!traced.longest.rows.empty()) json["timeline"] = timeline_json(traced.longest);
  if (!loop.costs.empty()) {
    auto points = ordered_json::array();
    for (const auto& point : loop.costs) points.push_back({point.begin, point.end, point.seconds});
    json["costs"] = points;
  }
  if (!traced.imbalance.empty()) {
    auto values = ordered_json::array();
    for (const double value : traced.imbalance) values.push_back(rounded(value));
    json["imbalances"] = values;
  }
  if (!traced.steals.empty()) add_steals(json, traced);
  const auto last =
      std::find_if(traced.batches.rbegin(), traced.batches.rend(), [](auto n) { return n != 0; });
  if (last != traced.batches.rend()) json["sizes"] = std::vector(traced.batches.begin(), last.base());
  json["pictures"] = json.contains("timeline") || json.contains("costs") || json.contains("sizes");
}

/// Returns the figures of one loop for the page; figures that were not measured are null.
ordered_json loop_json(const ReportLoop& loop, bool pictures) {
  const auto measured = [&](auto value) {
    return loop.is_only_recorded() ? ordered_json(nullptr) : ordered_json(value);
  };
  const double idle = loop.idle_share();
  ordered_json json = {{"name", loop.name},
                       {"schedule", loop.schedule},
                       {"source", loop.source},
                       {"calls", loop.calls},
                       {"iterations", loop.iterations},
                       {"batches", measured(loop.batches)},
                       {"steals", measured(loop.steals)},
                       {"processes", loop.processes},
                       {"seconds", measured(loop.seconds)},
                       {"mean_seconds", measured(loop.mean_seconds)},
                       {"even_saves", measured(loop.even_saves)},
                       {"imbalance", measured(rounded(loop.imbalance))},
                       {"idle", idle < 0 ? ordered_json(nullptr) : ordered_json(rounded(idle))},
                       {"too_short", measured(loop.too_short)},
                       {"late", measured(loop.late)},
                       {"preempted", measured(loop.preempted)},
                       {"chunk", loop.chunk}};
  if (!loop.costs.empty()) json["work_seconds"] = loop.work;
  if (pictures) add_pictures(json, loop);
  return json;
}

std::string json_text(const RunReport& report, std::size_t pictures) {
  ordered_json json = {{"format", std::string(k_format) + " 1"},
                       {"programs", report.programs},
                       {"processes", report.processes},
                       {"threads", report.threads},
                       {"dropped", report.dropped},
                       {"verdict", verdict(report)}};
  if (report.has_ranks()) {
    auto ranks = ordered_json::array();
    for (const auto& rank : report.ranks)
      ranks.push_back({{"rank", rank.rank},
                       {"program", rank.program},
                       {"threads", rank.threads},
                       {"iterations", rank.iterations},
                       {"seconds", rank.seconds}});
    json["ranks"] = ranks;
  }
  auto loops = ordered_json::array();
  for (const auto& loop : report.loops) {
    const bool pictured = pictures != 0 && (loop.is_traced() || !loop.costs.empty());
    loops.push_back(loop_json(loop, pictured));
    if (report.has_ranks())
      for (const auto& rank : report.ranks) {
        const auto found = loop.rank_seconds.find(rank.rank);
        loops.back()["by_rank"].push_back(found == loop.rank_seconds.end() ? 0 : found->second);
      }
    if (pictured) --pictures;
  }
  json["loops"] = loops;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

} // namespace

std::string report_json(const RunReport& report) { return json_text(report, report.loops.size()); }

std::string report_page(const RunReport& report) {
  std::string data;
  for (std::size_t pictures = k_most_pictures;; pictures /= 2) {
    data = json_text(report, pictures);
    if (data.size() <= k_most_bytes || pictures == 0) break;
  }
  std::string page(k_report_page);
  // Nothing in the figures ends the script that they stand in.
  for (auto at = data.find('<'); at != std::string::npos; at = data.find('<', at))
    data.replace(at, 1, "\\u003c");
  return page.replace(page.find(k_place), k_place.size(), data);
}

bool is_report_page(std::string_view text) {
  const auto end = k_report_page.find(k_place);
  constexpr std::size_t k_shown = 40; // what stands in front of the figures in pages of every version
  const auto front = std::string(k_report_page.substr(end - k_shown, k_shown)) + "{\"format\":\"" +
                     std::string(k_format) + ' ';
  return text.starts_with("<!DOCTYPE html>") && text.find(front) != std::string_view::npos;
}

} // namespace wstree::cli
