// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All findings of a run of `wstree bench`, as results.json holds them:
//
//   {"schema": 1, "wstree": version, "started": "2030-01-31T12:00:00Z", "seconds": 1100, "size": "full",
//    "machine": {fact: text}, "software": {fact: text}, "environment": {variable: value},
//    "parts": {PART: {"seconds": 12.5, "data": {NAME: what a program has written}}},
//    "rows": [{"part": "loops", "runtime": "libomp", "row": "EXP/16", "column": "wstree", "value": 1.06,
//              "unit": "time / (sequential time / threads)", "spread": 0.003}],
//    "verdicts": [{"part": "loops", "runtime": "libomp", "what": text, "limit": 1.1, "worst": 1.06, "held":
//    80,
//                  "of": 80}],
//    "noise": {"values": 900, "median_spread": 0.004, "worst_spread": 0.2, "worst": "loops libomp EXP/16
//    static",
//              "dropped": 3, "load_before": "0.10 0.20 0.30", "load_after": ...},
//    "failures": [text]}
//
// "environment" has facts that may change figures, "unit" is left out where the program does not give it.
// "rows" has every measured value, smaller is better, with half the distance of the quartiles of its samples
// over their median where that is known. In "data", NAME is the program's runtime where each has a file of
// its own, a number of threads such as "P=2", or "simulated"; a program's own JSON has "rows" and "verdicts"
// without the part, and "facts": values that pictures need and comparisons leave out.
#pragma once

#include "machine_facts.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli::bench {

using Json = nlohmann::ordered_json;

/// Returns a member of a JSON object; null if it is not there, or if `object` is no object.
const Json& member(const Json& object, const std::string& name);

class Findings {
public:
  explicit Findings(Json origin) : document_(std::move(origin)) {}

  void add(const std::string& part, const std::string& name, Json data);
  void add_seconds(const std::string& part, double seconds);
  void add_failure(std::string text) { failures_.push_back(std::move(text)); }

  /// Returns the JSON that a program has written for a part; null if there is none.
  [[nodiscard]] const Json& data(const std::string& part, const std::string& name) const;
  /// Returns the JSON of all programs of a part, by name.
  [[nodiscard]] const Json& data(const std::string& part) const;
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }

  /// Returns the whole document, with rows, verdicts and noise.
  [[nodiscard]] Json document(double seconds) const;

private:
  Json document_;
  Json parts_ = Json::object();
  std::vector<std::string> failures_;
};

/// Returns the rows of "parts".
Json rows_of(const Json& parts);
Json verdicts_of(const Json& parts);
/// Returns the noise of "rows", without the load averages.
Json noise_of(const Json& rows, const Json& parts);

/// Returns the end of the report: which figures are reached, and how quiet the machine was.
std::string summary_text(const Json& document);

} // namespace wstree::cli::bench
