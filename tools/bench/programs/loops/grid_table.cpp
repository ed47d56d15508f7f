// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report.h"
#include <cmath>

namespace bench {
namespace {

/// Of one candidate over the whole grid.
struct Summary {
  double sum = 0, worst = 0;
  int count = 0;
  std::string worst_at;

  void add(const Row& row, double value) {
    sum += value;
    ++count;
    if (value <= worst) return;
    worst = value;
    worst_at = row.info.name;
  }
};

void print_summary(std::FILE* out, const Part& part) {
  std::fprintf(out, "\nSTEP at every position and of every span, time / ideal\n%-14s %7s %7s  %s\n", "",
               "mean", "worst", "at");
  for (std::size_t c = 0; c < part.candidates.size(); ++c) {
    Summary summary;
    for (const Row& row : part.rows)
      if (const auto value = row.value(c); value && row.info.group == Group::grid)
        summary.add(row, *value / row.ideal);
    if (summary.count)
      std::fprintf(out, "%-14s %7.3f %7.3f  %s\n", part.candidates[c].name.c_str(),
                   summary.sum / summary.count, summary.worst, summary.worst_at.c_str());
  }
}

} // namespace

void print_grid(std::FILE* out, const Part& part) {
  std::optional<double> values[k_grid_side][k_grid_side + 1];
  bool any = false, any_tree = false;
  for (const Row& row : part.rows) {
    if (row.info.group != Group::grid) continue;
    const GridPlace place = grid_place(row.info.name);
    if (row.tree) values[place.position][place.span] = *row.tree / row.ideal;
    any = true;
    any_tree = any_tree || row.tree;
  }
  if (!any) return;
  print_summary(out, part);
  if (!any_tree) return;
  std::fprintf(out,
               "\n%s / ideal; across: where the interval begins, from the start to the end of the loop;\n"
               "down: its span in parts of %d of the loop\n",
               k_tree, k_grid_side);
  for (int span = 1; span <= k_grid_side; ++span) {
    std::fprintf(out, "%4d ", span);
    for (const auto& of_position : values)
      if (const auto& value = of_position[span])
        std::fprintf(out, " %5.2f", *value);
      else
        std::fprintf(out, " %5s", "-");
    std::fprintf(out, "\n");
  }
}

} // namespace bench
