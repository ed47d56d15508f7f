// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Tables, verdicts and the file of the program `api`.
#pragma once
#include "measure/json.h"
#include "properties.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Of one peer in one row, over all rounds.
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

struct ApiReport {
  int threads, rounds;
  std::vector<std::string> peers{}; ///< columns
  std::vector<MeasuredRow> rows{};
  std::vector<Property> properties{};
};

void print(const ApiReport& report);
Json to_json(const ApiReport& report);

} // namespace bench
