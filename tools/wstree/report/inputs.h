// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "model.h"
#include "names.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

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
  void learn_names(const nlohmann::json& trace);
  /// What the loop is called in the source; `where` as the library says it.
  std::string name_of(const std::string& where) const;
  void find_source(const std::string& where, const names::Name& name);

  RunReport report_;
  names::Resolver resolver_;
  std::map<std::string, std::string> names_;   ///< by what the library calls a loop
  std::map<std::string, std::string> sources_; ///< lines of files, by names of loops
  std::vector<nlohmann::json> traces_;         ///< read last, because statistics know all executions
  std::vector<std::string> profiles_;          ///< texts that WSTREE_RECORD wrote: names come from the others
};

/// Adds what a trace knows to the loops of `report`. `names`: of loops, by what the trace calls them.
void add_trace_figures(const nlohmann::json& trace, const std::map<std::string, std::string>& names,
                       RunReport& report);

/// Costs in the first execution of each loop of a record: by what it calls the loop.
std::map<std::string, std::vector<CostPoint>> read_costs(std::string_view profile);

} // namespace wstree::cli
