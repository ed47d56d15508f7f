// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pictures.h"

#include "strategies.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace wstree::cli::bench {

namespace {

using Pictures = std::vector<std::pair<std::string, Picture>>;

/// A value that a program has measured.
struct Found {
  std::string runtime, row, column;
  double value;
};

/// Returns the rows and facts that one program has written, in its order.
std::vector<Found> found_in(const Json& data) {
  std::vector<Found> all;
  for (const auto* list : {"rows", "facts"})
    for (const auto& row : member(data, list))
      all.push_back({row.value("runtime", ""), row.at("row"), row.at("column"), row.at("value")});
  return all;
}

double value_of(const std::vector<Found>& all, const std::string& runtime, const std::string& row,
                std::string_view column) {
  for (const auto& found : all)
    if (found.runtime == runtime && found.row == row && found.column == column) return found.value;
  return 0;
}

/// Returns 4 for "P=4"; 0: `name` does not have this form.
unsigned threads_in(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix) ? static_cast<unsigned>(std::stoul("0" + name.substr(prefix.size()))) : 0;
}

Curve curve_of(const std::string& name, const Pen& pen, std::vector<Mark> marks) {
  std::ranges::sort(marks, {}, &Mark::x);
  for (auto& mark : marks) mark.hint = fmt::format("{}: {:.4g}", name, mark.y);
  return {name, pen, std::move(marks)};
}

/// Adds diagrams, both of whose axes are logarithmic. Diagrams without a mark are left out; no diagram:
/// no picture.
void add_diagrams(const std::string& file, const std::string& title, std::vector<Diagram> diagrams,
                  Pictures& pictures) {
  for (auto& diagram : diagrams) {
    std::erase_if(diagram.curves, [](const Curve& curve) { return curve.marks.empty(); });
    std::vector<double> x, y;
    for (const auto& curve : diagram.curves)
      for (const auto& mark : curve.marks) x.push_back(mark.x), y.push_back(mark.y);
    diagram.x = axis_for(diagram.x.label, x, true);
    diagram.y = axis_for(diagram.y.label, y, true);
  }
  std::erase_if(diagrams, [](const Diagram& diagram) { return diagram.curves.empty(); });
  if (diagrams.empty()) return;
  pictures.emplace_back(file, Picture{title, title, std::move(diagrams)});
}

/// Returns the page of a workload: "paper-1ms" for "EXP/16/1ms", "program" for "MANDEL".
std::string page_of(const std::string& workload) {
  const auto first = workload.find('/');
  if (first == std::string::npos) return "program";
  const auto second = workload.find('/', first + 1);
  return second == std::string::npos ? "paper" : "paper-" + workload.substr(second + 1);
}

/// Dots for each workload in a line, those of the tree above the others.
Diagram ratios_of(const std::vector<Found>& all, const std::string& runtime, const std::string& page) {
  constexpr double k_least = 0.88, k_most = 16; // marks further out stand at the edge
  constexpr std::string_view k_bare = " without the library";
  std::vector<std::string> workloads;
  std::map<std::string, std::map<std::string, double>> values; // by candidate and workload
  for (const auto& [of, row, column, value] : all) {
    if ((of != runtime && of != "oneTBB") || page_of(row) != page || column == "ideal" || column == "seq ms")
      continue;
    if (std::ranges::find(workloads, row) == workloads.end()) workloads.push_back(row);
    const double ideal = std::max(1.0, value_of(all, of, row, "ideal"));
    // The runtime's own schedules count without the library, where that was measured: those values come last.
    const bool is_bare = column.ends_with(k_bare);
    values[is_bare ? column.substr(0, column.size() - k_bare.size()) : column][row] = value / ideal;
  }
  const auto count = static_cast<double>(workloads.size());
  Diagram diagram{"", "", {"time / ideal", k_least, k_most, true}, {"", 0.4, count + 0.6}};
  for (const double at : {0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0})
    diagram.x.ticks.push_back({at, fmt::format("{:g}{}", at, at == k_most ? "+" : "")});
  for (std::size_t w = 0; w < workloads.size(); ++w)
    diagram.y.ticks.push_back({count - static_cast<double>(w), workloads[w]});
  std::size_t index = 0;
  for (const auto& [candidate, of_workload] : values) {
    const double shift = 0.3 - 0.6 * static_cast<double>(index) / static_cast<double>(values.size());
    Curve curve{candidate, pen_of(candidate, index++), {}};
    curve.width = 0;
    for (std::size_t w = 0; w < workloads.size(); ++w)
      if (const auto found = of_workload.find(workloads[w]); found != of_workload.end())
        curve.marks.push_back({found->second, count - static_cast<double>(w) + shift,
                               fmt::format("{}, {}: {:.3f}", workloads[w], candidate, found->second)});
    diagram.curves.insert(candidate == "wstree" ? diagram.curves.begin() : diagram.curves.end(),
                          std::move(curve));
  }
  return diagram;
}

void add_ratios(const Json& parts, Pictures& pictures) {
  const auto all = found_in(member(member(member(parts, "loops"), "data"), "loops"));
  std::map<std::pair<std::string, std::string>, int> pages;
  for (const auto& found : all)
    if (found.runtime != "oneTBB")
      pages[{found.runtime, page_of(found.row)}] = 0; // oneTBB stands beside each of the others
  for (const auto& [key, unused] : pages) {
    const auto& [runtime, page] = key;
    auto file = fmt::format("ratio-{}-{}", runtime, page);
    std::ranges::replace_if(
        file, [](char c) { return c == ' ' || c == '/'; }, '-');
    Picture picture{
        fmt::format("Time / ideal, {}, {}", runtime, page), "", {ratios_of(all, runtime, page)}, 1, 900};
    picture.height = 130 + 24 * static_cast<int>(picture.diagrams.front().y.ticks.size());
    pictures.emplace_back(file, std::move(picture));
  }
}

void add_steps(const Json& parts, Pictures& pictures) {
  const auto& data = member(member(parts, "step"), "data");
  if (!data.is_object()) return;
  for (const auto& [runtime, steps] : data.items()) {
    const auto all = found_in(steps);
    std::map<std::string, std::vector<Mark>> marks; // by column: "wstree P=2"
    for (const auto& found : all)
      if (const auto step = threads_in(found.row, "STEP="))
        marks[found.column].push_back({double(step), found.value / value_of(all, "", "ideal", found.column)});
    std::map<std::string, Diagram> diagrams;
    for (const auto& [column, points] : marks) {
      const auto blank = column.find(' ');
      auto& diagram = diagrams[column.substr(blank + 1)];
      diagram.title = column.substr(blank + 1);
      diagram.x.label = "STEP, iterations in a batch", diagram.y.label = "time / ideal";
      const auto name = column.substr(0, blank);
      diagram.curves.push_back(curve_of(name, pen_of(name, diagram.curves.size()), points));
    }
    std::vector<Diagram> list;
    for (auto& [threads, diagram] : diagrams) list.push_back(std::move(diagram));
    add_diagrams("figure-06-" + runtime, "Time of cheap iterations against STEP, " + runtime, list, pictures);
  }
}

/// Returns the loops per second of each candidate on one workload; runtimes that are not the first are named.
std::map<std::string, std::vector<Mark>> throughput_of(const Json& data, const std::string& workload) {
  std::map<std::string, std::vector<Mark>> marks;
  for (const auto& [name, run] : data.items()) {
    const unsigned threads = threads_in(name, "P=");
    if (threads == 0) continue;
    const auto all = found_in(run);
    for (const auto& [runtime, row, column, value] : all) {
      if (row != workload || column == "ideal" || column == "seq ms") continue;
      const bool is_first = runtime == all.front().runtime || runtime == "oneTBB";
      marks[is_first ? column : column + ", " + runtime].push_back(
          {double(threads), 1000 * threads / (value * value_of(all, runtime, row, "seq ms"))});
    }
  }
  return marks;
}

std::vector<Mark> nodes_of(const Json& data, const std::string& strategy) {
  std::vector<Mark> marks;
  for (const auto& [name, found] : data.items())
    if (const unsigned threads = threads_in(name, "nodes P="))
      if (const double nodes = value_of(found_in(found), "", "nodes", strategy); nodes > 0)
        marks.push_back({double(threads), nodes});
  return marks;
}

Diagram against_threads(const std::string& title, const std::string& what = "loops per second") {
  return {title, "", {"threads"}, {what}};
}

void add_strategies(const Json& parts, Pictures& pictures) {
  const auto& data = member(member(parts, "strategies"), "data");
  if (!data.is_object()) return;
  const auto workload = std::string(k_even_shape) + k_strategies_suffix;
  auto speed = against_threads(workload), nodes = against_threads("nodes of the tree", "nodes");
  auto even = throughput_of(data, workload);
  for (const auto strategy : k_strategies) {
    const std::string name(strategy);
    const Pen pen = pen_of(speed.curves.size());
    speed.curves.push_back(curve_of(name, pen, even[name]));
    nodes.curves.push_back(curve_of(name, pen, nodes_of(data, name)));
  }
  add_diagrams("figure-07", "Strategies: throughput and size of the tree", {speed, nodes}, pictures);
  std::vector<Diagram> batches;
  for (const auto shape : k_step_shapes) {
    const auto step = std::string(shape) + k_strategies_suffix;
    auto found = throughput_of(data, step);
    auto& diagram = batches.emplace_back(against_threads(step));
    for (const auto batch : k_batches)
      diagram.curves.push_back(
          curve_of(std::string(batch), pen_of(diagram.curves.size()), found[std::string(batch)]));
  }
  add_diagrams("figure-19", "Batches by time, doubling, and from either end by the toss of a coin", batches,
               pictures);
}

void add_workers(const Json& parts, Pictures& pictures) {
  const auto& data = member(member(parts, "workers"), "data");
  if (!data.is_object()) return;
  std::vector<std::string> names;
  for (const auto& [name, run] : data.items())
    for (const auto& found : found_in(run))
      if (std::ranges::find(names, found.row) == names.end()) names.push_back(found.row);
  std::vector<Diagram> shapes, programs;
  for (const auto& name : names) {
    auto diagram = against_threads(name);
    for (const auto& [candidate, marks] : throughput_of(data, name))
      diagram.curves.push_back(curve_of(
          candidate, pen_of(candidate.substr(0, candidate.find(',')), diagram.curves.size()), marks));
    (name.ends_with(k_workers_suffix) ? shapes : programs).push_back(std::move(diagram));
  }
  add_diagrams("figure-08-09", "Throughput against threads", shapes, pictures);
  add_diagrams("figure-10", "Throughput against threads, programs", programs, pictures);
}

} // namespace

std::vector<std::pair<std::string, Picture>> pictures_of(const Json& parts) {
  Pictures pictures;
  for (const auto add : {add_ratios, add_steps, add_strategies, add_workers}) add(parts, pictures);
  return pictures;
}

} // namespace wstree::cli::bench
