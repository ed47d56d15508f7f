// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inspect/rank_loops.h"

#include "inspect/statistics.h"
#include "support/loop_name.h"
#include "support/table.h"
#include "support/visible.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

namespace wstree::cli {

namespace {

using nlohmann::json;

std::uint64_t count_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

double seconds_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

/// Calls `function(loop, place)` for each loop of a report that ranks share, and `place` in it.
template <class Function> void for_each_rank_loop(const json& report, Function&& function) {
  const auto loops = report.find("rank_loops");
  if (loops == report.end() || !loops->is_array()) return;
  for (std::size_t i = 0; i < loops->size(); ++i)
    if ((*loops)[i].is_object()) function((*loops)[i], fmt::format("rank_loops[{}].", i));
}

void add_figures(const json& told, RankFigures& figures) {
  figures.executions += count_of(told, "executions");
  figures.iterations += count_of(told, "iterations");
  figures.pieces += count_of(told, "pieces");
  figures.operations += count_of(told, "remote_operations");
  figures.work += seconds_of(told, "work_seconds");
  figures.looking += seconds_of(told, "looking_seconds");
  figures.stealing += seconds_of(told, "steal_seconds");
  figures.on_steal += seconds_of(told, "on_steal_seconds");
  const auto stolen = told.find("stolen");
  if (stolen == told.end() || !stolen->is_array()) return;
  for (const auto& one : *stolen) {
    if (!one.is_object()) continue;
    auto& from = figures.stolen[count_of(one, "rank")];
    from.steals += count_of(one, "steals");
    from.iterations += count_of(one, "iterations");
  }
}

/// Returns "rank 1 (120 in 3 steals), rank 0 (4 in 1)": the ranks that lost most.
std::string victims_text(const RankFigures& figures) {
  constexpr std::size_t k_most = 4;
  std::vector<std::pair<std::uint64_t, RankFigures::Stolen>> victims(figures.stolen.begin(),
                                                                     figures.stolen.end());
  std::ranges::sort(victims, [](const auto& a, const auto& b) {
    return std::pair(b.second.iterations, a.first) < std::pair(a.second.iterations, b.first);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(victims.size(), k_most); ++i)
    text += fmt::format("{}rank {} ({} in {}{})", i == 0 ? "" : ", ", victims[i].first,
                        victims[i].second.iterations, victims[i].second.steals,
                        i != 0                          ? ""
                        : victims[i].second.steals == 1 ? " steal"
                                                        : " steals");
  if (victims.size() > k_most) text += fmt::format(" and {} more", victims.size() - k_most);
  return text;
}

} // namespace

void add_rank_loops(const json& report, std::vector<RankLoop>& loops) {
  for_each_rank_loop(report, [&](const json& told, const std::string&) {
    const auto name = told.value("name", json());
    const auto text = name.is_string() ? name.get<std::string>() : std::string();
    auto found = std::ranges::find(loops, text, &RankLoop::name);
    if (found == loops.end()) found = loops.insert(loops.end(), RankLoop{text, {}});
    add_figures(told, found->ranks[count_of(told, "rank")]);
    if (const auto ranks = count_of(told, "ranks"); ranks > 0)
      found->executions += static_cast<double>(count_of(told, "executions")) / static_cast<double>(ranks);
  });
}

std::string negative_rank_figure(const json& report) {
  std::string problem;
  for_each_rank_loop(report, [&](const json& told, const std::string& place) {
    if (problem.empty())
      problem = negative_member(told, place,
                                {"rank", "executions", "iterations", "pieces", "remote_operations",
                                 "work_seconds", "looking_seconds", "steal_seconds", "on_steal_seconds"});
  });
  return problem;
}

std::string rank_loops_text(const std::vector<RankLoop>& loops, const Terminal& terminal) {
  std::string text;
  for (const auto& loop : loops) {
    // Executions in all communicators together, as far as their ranks are known; if only some ranks are, the
    // number of one of them.
    auto executions = static_cast<std::uint64_t>(std::llround(std::min(loop.executions, 1e18)));
    for (const auto& [rank, figures] : loop.ranks) executions = std::max(executions, figures.executions);
    text += fmt::format("\n  {}, shared by {} rank{}, {} execution{}\n", folded_name(visible(loop.name)),
                        loop.ranks.size(), loop.ranks.size() == 1 ? "" : "s", executions,
                        executions == 1 ? "" : "s");
    Table table;
    table.add({"rank", "iterations", "pieces", "remote operations", "work", "looking for work", "in steals",
               "on_steal", "stolen from"});
    for (const auto& [rank, figures] : loop.ranks)
      table.add({std::to_string(rank), std::to_string(figures.iterations), std::to_string(figures.pieces),
                 std::to_string(figures.operations), duration_text(figures.work),
                 duration_text(figures.looking), duration_text(figures.stealing),
                 figures.on_steal > 0 ? duration_text(figures.on_steal) : "", victims_text(figures)});
    text += table.text({.left = TableStyle::Left::first_and_last, .terminal = &terminal});
  }
  return text;
}

} // namespace wstree::cli
