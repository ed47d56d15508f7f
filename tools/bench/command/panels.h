// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small diagrams of curves beside each other, with one legend for all of them.
#pragma once

#include "gnuplot.h"

#include <string>
#include <vector>

namespace wstree::cli::bench {

struct Curve {
  std::string name;
  Points points;
  Style style;
  bool dashed = false; ///< simulated
};

struct Panel {
  std::string title;
  std::vector<Curve> curves;
  std::string x_label, y_label;
  std::string settings = {}; ///< more commands for this panel
};

/// Both axes are logarithmic with base 2. Panels without a point are left out; no panel: no picture.
void add_panels(const std::string& name, const std::string& title, std::vector<Panel> panels,
                std::vector<Picture>& pictures);

} // namespace wstree::cli::bench
