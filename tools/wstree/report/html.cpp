// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "advice.h"
#include "page.h"
#include "text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace wstree::cli {

namespace {

using nlohmann::ordered_json;

constexpr std::string_view k_format = "wstree-report";
constexpr std::string_view k_style = "/*STYLE*/", k_place = "/*DATA*/",
                           k_script = "/*SCRIPT*/"; // in the page
constexpr std::size_t k_most_pictures = 60;
constexpr std::size_t k_most_bytes = 900'000;
constexpr std::size_t k_coarsest = 16; // pieces of a timeline together
constexpr unsigned k_most_side = 64;   // rows and columns of a matrix

/// Returns the value with five digits, which are enough to draw.
double few_digits(double value) { return std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr); }

/// Returns the states of so many pieces together: busy if one of them is, or else the state of the first one.
std::string joined(std::string_view runs, std::size_t together) {
  std::string result;
  std::size_t position = 0; // number of the piece
  std::size_t length = 0;
  char last = 0;
  char state = 0; // state of the pieces that are not full yet
  const auto end_one = [&] {
    if (state != last && last != 0) result += last + std::to_string(std::exchange(length, 0));
    last = state;
    ++length;
    state = 0;
  };
  while (!runs.empty()) {
    const char kind = runs.front();
    std::size_t count = 0;
    const auto [rest, error] = std::from_chars(runs.data() + 1, runs.data() + runs.size(), count);
    runs.remove_prefix(static_cast<std::size_t>(rest - runs.data()));
    for (std::size_t i = 0; i < count; ++i) {
      if (state == 0 || kind == 'b') state = kind;
      if (++position % together == 0) end_one();
    }
  }
  return last == 0 ? result : result + last + std::to_string(length);
}

/// `together`: pieces that are one.
ordered_json timeline_json(const Timeline& timeline, std::size_t together) {
  auto rows = ordered_json::array();
  for (const auto& row : timeline.rows)
    rows.push_back(
        {row.member, together == 1 ? row.runs : joined(row.runs, together), few_digits(row.preempted)});
  return {{"seconds", timeline.seconds},
          {"members", timeline.members},
          {"pieces", Timeline::k_pieces / together},
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

void add_pictures(ordered_json& json, const ReportLoop& loop, std::size_t together) {
  const auto& traced = loop.traced;
  if (!traced.longest.rows.empty()) json["timeline"] = timeline_json(traced.longest, together);
  if (!traced.threads.empty()) {
    auto threads = ordered_json::array();
    for (const auto& [member, times] : traced.threads)
      threads.push_back({member, few_digits(times.late), few_digits(times.busy), few_digits(times.preempted),
                         few_digits(times.searching), few_digits(times.waiting)});
    json["threads"] = threads;
  }
  if (!loop.costs.empty()) {
    auto points = ordered_json::array();
    for (const auto& point : loop.costs)
      points.push_back({few_digits(point.begin), few_digits(point.end), few_digits(point.seconds)});
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

ordered_json advice_json(const LoopAdvice& advice) {
  return {{"reason", advice.reason},
          {"set", advice.set},
          {"rule", advice.rule},
          {"source", advice.source},
          {"command", advice.command}};
}

ordered_json earlier_json(const ReportLoop& loop) {
  const auto& earlier = *loop.earlier;
  return {{"schedule", earlier.schedule},
          {"calls", earlier.calls},
          {"seconds", earlier.seconds},
          {"seconds_of_as_many_calls", loop.earlier_seconds()},
          {"imbalance", rounded(earlier.imbalance)},
          {"too_short", earlier.too_short}};
}

void add_counters(ordered_json& json, const CounterSums& counters) {
  const auto add = [&](const char* key, std::optional<double> value) {
    if (value) json[key] = rounded(*value);
  };
  add("instructions_per_cycle", counters.instructions_per_cycle());
  add("misses_per_1000_instructions", counters.misses_per_1000_instructions());
  add("page_faults", counters.page_faults);
  add("context_switches", counters.context_switches);
}

/// Returns the figures of one loop for the page, without pictures; figures that were not measured are null.
ordered_json loop_json(const ReportLoop& loop, const RunReport& report) {
  const auto measured = [&](auto value) {
    return loop.is_only_recorded() ? ordered_json(nullptr) : ordered_json(value);
  };
  const double idle = loop.idle_share();
  ordered_json json = {{"name", loop.name},
                       {"schedule", loop.schedule},
                       {"source", loop.source_line()},
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
  if (loop.counts_pieces) json["counts_pieces"] = true;
  if (!loop.costs.empty()) json["work_seconds"] = loop.work;
  if (loop.counters) add_counters(json, *loop.counters);
  if (!loop.source.lines.empty())
    json["source_lines"] = {
        {"first", loop.source.first}, {"loop", loop.source.loop}, {"lines", loop.source.lines}};
  json["advice"] = advice_json(advice_for(loop, report));
  if (loop.earlier) json["earlier"] = earlier_json(loop);
  return json;
}

/// `stolen`: thief, victim, steals, iterations.
ordered_json rank_loop_json(const RankLoop& loop) {
  auto ranks = ordered_json::array(), stolen = ordered_json::array();
  for (const auto& [rank, figures] : loop.ranks) {
    ranks.push_back({{"rank", rank},
                     {"executions", figures.executions},
                     {"iterations", figures.iterations},
                     {"pieces", figures.pieces},
                     {"remote_operations", figures.operations},
                     {"work_seconds", figures.work},
                     {"looking_seconds", figures.looking},
                     {"steal_seconds", figures.stealing},
                     {"on_steal_seconds", figures.on_steal}});
    for (const auto& [victim, from] : figures.stolen)
      stolen.push_back({rank, victim, from.steals, from.iterations});
  }
  return {{"name", loop.name}, {"ranks", ranks}, {"stolen", stolen}};
}

/// Loops with pictures, and pieces of their timelines that are one.
struct Detail {
  std::size_t pictures, together;
};

std::string json_text(const RunReport& report, Detail detail) {
  ordered_json json = {{"format", std::string(k_format) + " 1"},
                       {"programs", report.programs},
                       {"processes", report.processes},
                       {"threads", report.threads},
                       {"dropped", report.dropped},
                       {"command", report.command},
                       {"host", report.host},
                       {"ended", report.ended},
                       {"origin", origin_text(report)},
                       {"verdict", verdict(report)}};
  if (report.wall.is_known())
    json["wall"] = {{"seconds", report.wall.all},
                    {"loops_seconds", report.wall.loops},
                    {"unserved_seconds", report.wall.refused},
                    {"between_regions_seconds", report.wall.between},
                    {"most_to_gain", rounded(report.wall.most_to_gain())}};
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
  for (const auto& loop : report.rank_loops) json["rank_loops"].push_back(rank_loop_json(loop));
  if (report.is_against) json["against"] = {{"programs", report.earlier_programs}, {"gone", report.gone}};
  auto loops = ordered_json::array();
  for (const auto& loop : report.loops) {
    loops.push_back(loop_json(loop, report));
    if (detail.pictures != 0 && (loop.is_traced() || !loop.costs.empty())) {
      add_pictures(loops.back(), loop, detail.together);
      --detail.pictures;
    }
    if (report.has_ranks())
      for (const auto& rank : report.ranks) {
        const auto found = loop.rank_seconds.find(rank.rank);
        loops.back()["by_rank"].push_back(found == loop.rank_seconds.end() ? 0 : few_digits(found->second));
      }
  }
  json["loops"] = loops;
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

} // namespace

std::string report_json(const RunReport& report) { return json_text(report, {report.loops.size(), 1}); }

std::string report_page(const RunReport& report) {
  std::string data;
  // Timelines become coarser before loops go without.
  constexpr std::size_t k_finer = 4;
  for (Detail detail{k_most_pictures, 1};;) {
    data = json_text(report, detail);
    if (data.size() <= k_most_bytes || detail.pictures == 0) break;
    if (detail.together < k_coarsest)
      detail.together *= k_finer;
    else
      detail.pictures /= 2;
  }
  // Nothing in the figures ends the script that they stand in.
  for (auto at = data.find('<'); at != std::string::npos; at = data.find('<', at))
    data.replace(at, 1, "\\u003c");
  std::string page(k_report_page);
  for (const auto& [place, text] : {std::pair<std::string_view, std::string_view>{k_script, k_report_script},
                                    {k_place, data},
                                    {k_style, k_report_style}})
    page.replace(page.find(place), place.size(),
                 text); // from the last one, so that no figures are taken for a place
  return page;
}

bool is_report_page(std::string_view text) {
  const auto end = k_report_page.find(k_place);
  constexpr std::size_t k_shown = 40; // characters in front of the figures in pages of every version
  const auto front = std::string(k_report_page.substr(end - k_shown, k_shown)) + "{\"format\":\"" +
                     std::string(k_format) + ' ';
  return text.starts_with("<!DOCTYPE html>") && text.find(front) != std::string_view::npos;
}

} // namespace wstree::cli
