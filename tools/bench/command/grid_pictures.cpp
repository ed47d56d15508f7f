// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pictures.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace wstree::cli::bench {

namespace {

/// Of one candidate: time / ideal by position and span.
using Cells = std::map<std::pair<int, int>, double>;

std::map<std::string, Cells> cells_of(const Json& runtime) {
  std::map<std::string, Cells> all;
  for (const auto& workload : runtime.at("workloads")) {
    if (!workload.contains("position") || !workload.contains("span")) continue;
    for (const auto& [candidate, ratio] : workload.at("ratio").items())
      all[candidate][{workload.at("position"), workload.at("span")}] =
          ratio.get<double>() / workload.value("ideal", 1.0);
  }
  return all;
}

/// Colours end at twice the ideal, which is as bad as two threads can do.
std::string panel(const std::string& name, const Cells& cells) {
  double worst = 0, sum = 0;
  for (const auto& [place, ratio] : cells) worst = std::max(worst, ratio), sum += ratio;
  return fmt::format("set title {}\nplot ${} using 1:2:3 with image notitle\n",
                     literal(fmt::format("{}: mean {:.3f}, worst {:.3f}", name,
                                         sum / static_cast<double>(cells.size()), worst)),
                     name);
}

} // namespace

void add_grid_pictures(const Json& parts, std::vector<Picture>& pictures) {
  const auto& grid = member(member(member(parts, "step-grid"), "data"), "grid");
  for (const auto& runtime : member(grid, "runtimes")) {
    const auto all = cells_of(runtime);
    if (all.empty()) continue;
    std::string script, panels;
    for (const auto& [candidate, cells] : all) {
      script += fmt::format("${} << EOD\n", candidate);
      for (const auto& [place, ratio] : cells)
        script += fmt::format("{} {} {:.4f}\n", place.first, place.second, ratio);
      script += "EOD\n";
      panels += panel(candidate, cells);
    }
    const int columns = std::min(2, static_cast<int>(all.size()));
    const int rows = (static_cast<int>(all.size()) + columns - 1) / columns;
    const std::string name = runtime.at("runtime");
    script += fmt::format(
        "set multiplot layout {},{} title {}\nset palette defined (0 '#f7fbff', 0.1 '#9ecae1', 0.3 "
        "'#fdae61', 1 '#7f0000')\nset cbrange [1:2]\nset xrange [-0.5:15.5]\nset yrange [0.5:16.5]\n"
        "set xlabel 'position of the expensive interval, start to end'\nset ylabel 'its length in "
        "sixteenths'\n"
        "set cblabel 'time / ideal'\n",
        rows, columns, literal(fmt::format("The expensive interval at every position, {}", name)));
    pictures.push_back(
        {"step-grid-" + name, script + panels + "unset multiplot\n", 480 * columns, 400 * rows + 40});
  }
}

} // namespace wstree::cli::bench
