// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Tables and verdicts of the program `api`.
#pragma once
#include "measure/report.h"
#include "properties.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Samples of one peer in one row, over all rounds.
struct Samples {
  std::vector<double> ratios, us; ///< us: of one call
  bool wrong = false;
};

struct MeasuredRow {
  std::string name;
  bool is_long;
  std::vector<double> sequential_us{};
  std::map<std::string, Samples> samples{};

  std::optional<double> ratio(const std::string& peer) const;
  std::optional<double> us(const std::string& peer) const;
};

struct ApiFigures {
  int threads, rounds;
  std::vector<std::string> peers{}; ///< columns
  std::vector<MeasuredRow> rows{};
  std::vector<Property> properties{};
};

/// Prints all of it; adds the figures to the report.
void show(const ApiFigures& figures, Report& report);
/// Judges the rows that were measured by the project's goals for its C++ library.
void judge(const ApiFigures& figures, Report& report);

} // namespace bench
