// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the files of the programs to one list of values and one of verdicts.
#include "findings.h"

#include <algorithm>
#include <fmt/format.h>

namespace wstree::cli::bench {

namespace {

/// Calls `visit(part, name, data)` for all that programs have written.
template <class Visit> void for_each_data(const Json& parts, Visit visit) {
  for (const auto& [part, found] : parts.items())
    for (const auto& [name, data] : member(found, "data").items())
      if (data.is_object()) visit(part, name, data);
}

/// Puts the part and the runtime in front: the runtime that the element names, or else that of the file.
Json placed(const std::string& part, const std::string& name, Json element) {
  Json made{{"part", part}, {"runtime", element.value("runtime", name)}};
  element.erase("runtime");
  made.update(element);
  return made;
}

} // namespace

Json rows_of(const Json& parts) {
  Json rows = Json::array();
  for_each_data(parts, [&](const std::string& part, const std::string& name, const Json& data) {
    // In a part that measures one number of threads after the other, "P=2" belongs to the row.
    const auto more = name.starts_with("P=") ? " " + name : std::string();
    for (const auto& row : member(data, "rows")) {
      rows.push_back(placed(part, name, row));
      rows.back()["row"] = row.at("row").get<std::string>() + more;
    }
  });
  return rows;
}

Json verdicts_of(const Json& parts) {
  Json list = Json::array();
  for_each_data(parts, [&](const std::string& part, const std::string& name, const Json& data) {
    // Verdicts are for a team of the usual size, and do not hold for others.
    if (part == "workers" || part == "strategies") return;
    for (const auto& verdict : member(data, "verdicts")) list.push_back(placed(part, name, verdict));
  });
  return list;
}

Json noise_of(const Json& rows, const Json& parts) {
  std::vector<double> spreads;
  double worst = 0;
  std::string where;
  for (const auto& row : rows) {
    if (!row.contains("spread")) continue;
    spreads.push_back(row.at("spread"));
    if (spreads.back() <= worst) continue;
    worst = spreads.back();
    where =
        fmt::format("{} {} {} {}", row.at("part").get<std::string>(), row.at("runtime").get<std::string>(),
                    row.at("row").get<std::string>(), row.at("column").get<std::string>());
  }
  std::sort(spreads.begin(), spreads.end());
  long dropped = 0;
  for_each_data(parts, [&](const std::string&, const std::string&, const Json& data) {
    dropped += data.value("dropped", 0L);
  });
  return {{"values", spreads.size()},
          {"median_spread", spreads.empty() ? 0.0 : spreads[spreads.size() / 2]},
          {"worst_spread", worst},
          {"worst", where},
          {"dropped", dropped}};
}

} // namespace wstree::cli::bench
