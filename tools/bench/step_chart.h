// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A chart of times against the size of a batch, both on logarithmic axes, as SVG.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// One schedule on one number of threads.
struct Curve {
  std::string schedule;
  int threads;
  std::vector<std::optional<double>> ms; ///< one for each step; nothing if it could not be measured
};

struct StepFigure {
  std::string runtime; ///< its name
  long iterations;
  double whole_ms; ///< the loop in one piece on one thread
  std::vector<int> steps;
  std::vector<Curve> curves; ///< those of one number of threads stand together
};

/// The whole document: a panel for each number of threads.
std::string draw(const StepFigure& figure);

} // namespace bench
