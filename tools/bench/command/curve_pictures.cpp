// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paper's figures, with what was measured as lines and what was simulated as dashed ones.
#include "pictures.h"

#include "panels.h"
#include "simulated.h"
#include "strategies.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace wstree::cli::bench {

namespace {

constexpr const char* k_workers = "threads";
constexpr const char* k_throughput = "loops per second";

/// Name of a curve; points by number of threads.
using Curves = std::map<std::string, Points>;

/// "P=4" is 4; 0: not of that form.
unsigned threads_in(const std::string& name, const std::string& prefix) {
  return name.starts_with(prefix) ? static_cast<unsigned>(std::stoul("0" + name.substr(prefix.size()))) : 0;
}

/// Loops a second for each candidate of one workload. Runtimes that are not the first are named.
struct Throughput {
  Curves measured;
  double sequential_ms = 0; ///< of the first runtime

  void add(const Json& data, const std::string& name, unsigned threads) {
    for (const auto& runtime : member(data, "runtimes"))
      for (const auto& workload : runtime.at("workloads"))
        if (workload.at("name") == name)
          add_workload(runtime, workload, threads, &runtime == &data["runtimes"][0]);
  }

private:
  void add_workload(const Json& runtime, const Json& workload, unsigned threads, bool first) {
    const double sequential = workload.at("seq_ms");
    if (first) sequential_ms = sequential;
    const auto of = runtime.at("runtime").get<std::string>();
    for (const auto& [candidate, ratio] : workload.at("ratio").items())
      measured[first || of == "oneTBB" ? candidate : candidate + ", " + of].emplace_back(
          threads, 1000 * threads / (ratio.get<double>() * sequential));
  }
};

std::vector<std::string> all_workloads(const Json& data) {
  std::vector<std::string> names;
  for (const auto& runtime : member(data, "runtimes"))
    for (const auto& workload : runtime.at("workloads"))
      if (const std::string name = workload.at("name"); std::ranges::find(names, name) == names.end())
        names.push_back(name);
  return names;
}

/// Scaled to the sequential time of this machine, so that one thread is where it was measured.
Points simulated_throughput(const Json& results, std::string_view workload, const std::string& schedule,
                            double sequential_ms) {
  constexpr double k_simulated_ms = 10;
  Points points;
  for (const auto& result : results)
    if (result.at("workload") == workload && result.at("schedule") == schedule && result.contains("time_ns"))
      points.emplace_back(result.at("threads").get<double>(),
                          1e9 / result.at("time_ns").get<double>() * k_simulated_ms / sequential_ms);
  return points;
}

/// As simulated, and as the program `loops` calls the same schedule.
struct Names {
  const char *simulated, *measured;
};
constexpr std::array<Names, 5> k_schedules{{{"wstree", "wstree"},
                                            {"static", "static"},
                                            {"dynamic,64", "dyn64"},
                                            {"guided", "guided"},
                                            {"static_steal", "steal1"}}};

std::string without_suffix(const std::string& name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

Panel worker_panel(const Json& data, const std::string& workload) {
  Throughput throughput;
  for (const auto& [name, found] : data.items())
    if (const unsigned threads = threads_in(name, "P=")) throughput.add(found, workload, threads);
  Panel panel{workload, {}, k_workers, k_throughput};
  std::size_t index = 0;
  for (const auto& [candidate, points] : throughput.measured)
    panel.curves.push_back({candidate, points, style_of(candidate.substr(0, candidate.find(',')), index++)});
  const auto shape = without_suffix(workload, k_workers_suffix);
  if (shape != workload && throughput.sequential_ms > 0)
    for (const auto& [simulated, measured] : k_schedules)
      panel.curves.push_back(
          {fmt::format("{}, simulated", measured),
           simulated_throughput(member(data, "simulated"), shape, simulated, throughput.sequential_ms),
           style_of(measured, 0), true});
  return panel;
}

/// Throughput of a column of the part `strategies` on a workload.
Points column(const Json& data, const std::string& workload, std::string_view name, double& sequential_ms) {
  Points points;
  for (const auto& [key, found] : data.items())
    if (const unsigned threads = threads_in(key, "P=")) {
      Throughput throughput;
      throughput.add(found, workload, threads);
      if (const auto curve = throughput.measured.find(std::string(name)); curve != throughput.measured.end())
        points.insert(points.end(), curve->second.begin(), curve->second.end());
      sequential_ms = std::max(sequential_ms, throughput.sequential_ms);
    }
  return points;
}

Points measured_nodes(const Json& data, std::string_view strategy) {
  Points points;
  for (const auto& [key, found] : data.items())
    if (const unsigned threads = threads_in(key, "nodes P="))
      if (const double nodes = found.value(std::string(strategy), 0.0); nodes > 0)
        points.emplace_back(threads, nodes);
  return points;
}

Points simulated_nodes(const Json& results) {
  Points points;
  for (const auto& result : results)
    if (result.value("nodes", 0.0) > 0)
      points.emplace_back(result.at("threads").get<double>(), result.at("nodes").get<double>());
  return points;
}

void add_figure_7(const Json& data, std::vector<Picture>& pictures) {
  const auto workload = std::string(k_even_shape) + k_strategies_suffix;
  Panel speed{workload + ", the library as it is", {}, k_workers, k_throughput},
      nodes{"nodes of the tree", {}, k_workers, "nodes"},
      paper_speed{"one root, batches of 64 (simulated)", {}, k_workers, k_throughput},
      paper_nodes{"nodes, one root, batches of 64 (simulated)", {}, k_workers, "nodes"};
  const auto& simulated = member(data, "simulated");
  std::size_t index = 0;
  for (const auto strategy : k_strategies) {
    const std::string name(strategy), guess = name + ", simulated";
    const auto style = style_of("", index++);
    double sequential = 0;
    speed.curves.push_back({name, column(data, workload, strategy, sequential), style});
    nodes.curves.push_back({name, measured_nodes(data, strategy), style});
    if (sequential <= 0) continue;
    const auto& usual = member(simulated, name);
    const auto& paper = member(simulated, name + ", one root");
    speed.curves.push_back(
        {guess, simulated_throughput(usual, k_even_shape, "wstree", sequential), style, true});
    nodes.curves.push_back({guess, simulated_nodes(usual), style, true});
    paper_speed.curves.push_back(
        {guess, simulated_throughput(paper, k_even_shape, "wstree", sequential), style, true});
    paper_nodes.curves.push_back({guess, simulated_nodes(paper), style, true});
  }
  add_panels(
      "figure-07",
      fmt::format("Strategies: throughput and size of the tree; simulated on '{}'", k_simulated_machine),
      {speed, nodes, paper_speed, paper_nodes}, pictures);
}

void add_figure_19(const Json& data, std::vector<Picture>& pictures) {
  std::vector<Panel> panels;
  for (const auto shape : k_step_shapes) {
    const auto workload = std::string(shape) + k_strategies_suffix;
    Panel panel{workload, {}, k_workers, k_throughput};
    std::size_t index = 0;
    for (const auto batch : k_batches) {
      const std::string name(batch);
      const auto style = style_of("", index++);
      double sequential = 0;
      panel.curves.push_back({name, column(data, workload, batch, sequential), style});
      if (sequential > 0)
        panel.curves.push_back(
            {name + ", simulated",
             simulated_throughput(member(member(data, "simulated"), name), shape, "wstree", sequential),
             style, true});
    }
    panels.push_back(std::move(panel));
  }
  add_panels(
      "figure-19",
      fmt::format("Batches by time, doubling, and from either end by the toss of a coin; simulated on '{}'",
                  k_simulated_machine),
      panels, pictures);
}

} // namespace

void add_step_pictures(const Json& parts, std::vector<Picture>& pictures) {
  const auto& data = member(member(parts, "step"), "data");
  if (!data.is_object()) return;
  for (const auto& [runtime, steps] : data.items()) {
    std::map<int, Panel> panels;
    const double whole = steps.value("whole_ms", 0.0);
    for (const auto& found : steps.at("curves")) {
      const int threads = found.at("threads");
      auto& panel = panels[threads];
      panel.title = fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
      panel.x_label = "STEP, iterations in a batch", panel.y_label = "time / ideal";
      Points points;
      for (const auto& [step, ms] : found.at("ms").items())
        if (whole > 0) points.emplace_back(std::stod(step), ms.get<double>() * threads / whole);
      const auto name = found.at("schedule").get<std::string>();
      panel.curves.push_back({name, points, style_of(name, panel.curves.size())});
    }
    std::vector<Panel> list;
    for (auto& [threads, panel] : panels) list.push_back(std::move(panel));
    add_panels(
        "figure-06-" + runtime,
        fmt::format("Time of {} cheap iterations against STEP, {}", steps.value("iterations", 0L), runtime),
        list, pictures);
  }
}

void add_strategy_pictures(const Json& parts, std::vector<Picture>& pictures) {
  const auto& data = member(member(parts, "strategies"), "data");
  if (!data.is_object()) return;
  add_figure_7(data, pictures);
  add_figure_19(data, pictures);
}

void add_worker_pictures(const Json& parts, std::vector<Picture>& pictures) {
  const auto& data = member(member(parts, "workers"), "data");
  if (!data.is_object()) return;
  std::vector<std::string> names;
  for (const auto& [key, found] : data.items())
    if (names.empty() && threads_in(key, "P=")) names = all_workloads(found);
  std::vector<Panel> shapes, programs;
  for (const auto& name : names)
    (name.ends_with(k_workers_suffix) ? shapes : programs).push_back(worker_panel(data, name));
  add_panels("figure-08-09",
             fmt::format("Throughput against threads; simulated on '{}'", k_simulated_machine), shapes,
             pictures);
  add_panels("figure-10", "Throughput against threads, programs", programs, pictures);
}

} // namespace wstree::cli::bench
