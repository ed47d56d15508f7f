// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wstree_chart TITLE LABEL [VALUE TEXT]: draws a bar for each line "NAME VALUE [LOW HIGH]" of the standard
// input, with an interval if the line has one, and a line at VALUE with its TEXT, as SVG. For tools/demo and
// measure_programs; it is not installed.
#include "support/chart.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <sstream>
#include <utility>

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
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    Bar bar;
    if (!(words >> bar.name >> bar.value)) continue;
    bar.text = fmt::format("{:.2f}", bar.value);
    values.push_back(bar.value);
    if (double low = 0, high = 0; words >> low >> high) {
      bar.low = low;
      bar.high = high;
      bar.pen = pen_of(0);
      values.push_back(high);
    } else {
      bar.pen = pen_of(bar.name, bars.size());
    }
    bars.push_back(std::move(bar));
  }
  if (bars.empty()) return 1;
  std::cout << svg_of_bars(argv[1], axis_for(argv[2], values, false), bars, reference);
}
