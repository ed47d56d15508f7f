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
  /// What is wrong with the file; empty: nothing.
  std::string add(const std::string& path);
  /// Everything together. Once.
  RunReport finish();

private:
  void add_statistics(const nlohmann::json& document);
  /// Of loops that were measured too it adds the costs, and how much work they are.
  void add_recorded(const simulate::RecordedLoop& recorded);
  void learn_names(const nlohmann::json& trace);
  /// What the loop is called in the source; `where` as the library says it.
  std::string name_of(const std::string& where) const;
  /// Learns how rules name the loop `told`, and its lines of the source.
  void find_place(const nlohmann::json& told);

  RunReport report_;
  names::Resolver resolver_;
  std::map<std::string, std::string> names_;   ///< by what the library calls a loop
  std::map<std::string, SourceLines> sources_; ///< by names of loops
  std::map<std::string, std::string> places_;  ///< as rules name them, likewise
  std::vector<nlohmann::json> traces_;         ///< read last, because statistics know all executions
  /// What WSTREE_RECORD wrote, file by file: names come from the others.
  std::vector<std::vector<simulate::RecordedLoop>> records_;
};

/// Adds what a trace knows to the loops of `report`. `names`: of loops, by what the trace calls them.
void add_trace_figures(const nlohmann::json& trace, const std::map<std::string, std::string>& names,
                       RunReport& report);

/// Costs in the first execution of the loop, in as many points as a picture needs.
std::vector<CostPoint> costs_of(const simulate::RecordedLoop& loop);

} // namespace wstree::cli
