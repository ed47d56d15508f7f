// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "panels.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace wstree::cli::bench {

namespace {

constexpr int k_panel_width = 330, k_panel_height = 260, k_title_height = 40;

std::string line_of(const Curve& curve) {
  return fmt::format("linespoints lc rgb '{}' pt {} ps 0.7 lw 1.5 dt {}", curve.style.colour,
                     curve.style.point, curve.dashed ? 2 : 1);
}

/// Every curve of any panel once.
std::string legend(const std::vector<Panel>& panels) {
  std::vector<const Curve*> all;
  for (const auto& panel : panels)
    for (const auto& curve : panel.curves)
      if (std::ranges::none_of(all, [&](const Curve* known) { return known->name == curve.name; }))
        all.push_back(&curve);
  std::string plot;
  for (const Curve* curve : all)
    plot += fmt::format("{}NaN with {} title {}", plot.empty() ? "plot " : ", ", line_of(*curve),
                        literal(curve->name));
  return "unset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset grid\nset xrange [0:1]\n"
         "set yrange [0:1]\nset key inside left center Left reverse samplen 2 font ',9'\n" +
         plot + "\n";
}

std::string plot_of(const Panel& panel, std::size_t number) {
  std::string plot;
  for (std::size_t c = 0; c < panel.curves.size(); ++c)
    plot += fmt::format("{}$d{}_{} using 1:2 with {} notitle", c == 0 ? "plot " : ", ", number, c,
                        line_of(panel.curves[c]));
  return fmt::format("set title {}\nset xlabel {}\nset ylabel {}\n{}{}\n", literal(panel.title),
                     literal(panel.x_label), literal(panel.y_label), panel.settings, plot);
}

} // namespace

void add_panels(const std::string& name, const std::string& title, std::vector<Panel> panels,
                std::vector<Picture>& pictures) {
  for (auto& panel : panels)
    std::erase_if(panel.curves, [](const Curve& curve) { return curve.points.empty(); });
  std::erase_if(panels, [](const Panel& panel) { return panel.curves.empty(); });
  if (panels.empty()) return;
  const int cells = static_cast<int>(panels.size()) + 1;
  const int columns = std::min(cells, cells > 9 ? 4 : 3), rows = (cells + columns - 1) / columns;
  std::string script;
  for (std::size_t p = 0; p < panels.size(); ++p)
    for (std::size_t c = 0; c < panels[p].curves.size(); ++c)
      script += block(fmt::format("d{}_{}", p, c), panels[p].curves[c].points);
  script += fmt::format("set multiplot layout {},{} title {}\nset grid lt 1 lw 0.5 lc rgb '#dddddd'\nset "
                        "logscale xy 2\nset key off\n",
                        rows, columns, literal(title));
  for (std::size_t p = 0; p < panels.size(); ++p) script += plot_of(panels[p], p);
  script += "unset logscale\nset key on\n" + legend(panels) + "unset multiplot\n";
  pictures.push_back({name, script, columns * k_panel_width, rows * k_panel_height + k_title_height});
}

} // namespace wstree::cli::bench
