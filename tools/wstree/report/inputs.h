// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.h"
#include "names.h"
#include "profile.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wstree::cli {

/// Takes in one file after the other, in any order.
class ReportInputs {
public:
  /// Adds a file. Returns the error in it; empty: there is none.
  std::string add(const std::string& path);
  /// Returns all inputs together. Called once.
  RunReport finish();

private:
  void add_statistics(const nlohmann::json& document);
  /// Adds the costs and the work of a recorded loop; for a loop without measurements its calls and
  /// iterations, too.
  void add_recorded(const simulate::RecordedLoop& recorded);
  void learn_names(const nlohmann::json& trace);
  /// Returns the loop's name in the source; `where` as the library writes it.
  std::string name_of(const std::string& where) const;
  /// Stores the name of the loop `told` in rules, and its lines of the source.
  void find_place(const nlohmann::json& told);

  RunReport report_;
  names::Resolver resolver_;
  std::map<std::string, std::string> names_;   ///< by the library's name for a loop
  std::map<std::string, SourceLines> sources_; ///< by names of loops
  std::map<std::string, std::string> places_;  ///< as rules name them, likewise
  std::vector<nlohmann::json> traces_;         ///< read last, because statistics contain all executions
  /// records of WSTREE_RECORD, file by file: names come from the other files
  std::vector<std::vector<simulate::RecordedLoop>> records_;
};

/// Adds the figures of a trace to the loops of `report`. `names`: of loops, by their names in the trace.
void add_trace_figures(const nlohmann::json& trace, const std::map<std::string, std::string>& names,
                       RunReport& report);

/// Costs in the first execution of the loop, in as many points as a picture needs.
std::vector<CostPoint> costs_of(const simulate::RecordedLoop& loop);

} // namespace wstree::cli
