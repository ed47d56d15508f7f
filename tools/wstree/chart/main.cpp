// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wstree_chart TITLE LABEL [VALUE TEXT]: draws a bar for each line "NAME VALUE" of the standard input, and a
// line at VALUE with its TEXT, as SVG. For tools/demo; it is not installed.
#include "support/chart.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>

int main(int argc, char** argv) {
  using namespace wstree::cli;
  if (argc != 3 && argc != 5) {
    std::fputs("usage: wstree_chart TITLE LABEL [VALUE TEXT] < LINES\n", stderr);
    return 2;
  }
  std::optional<Tick> reference;
  if (argc == 5) reference = Tick{std::atof(argv[3]), argv[4]};
  std::vector<Bar> bars;
  std::vector<double> values;
  std::string name;
  for (double value = 0; std::cin >> name >> value;) {
    bars.push_back({name, value, fmt::format("{:.2f}", value), pen_of(name, bars.size())});
    values.push_back(value);
  }
  if (bars.empty()) return 1;
  std::cout << svg_of_bars(argv[1], axis_for(argv[2], values, false), bars, reference);
}
