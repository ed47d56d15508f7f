// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure/json.h"
#include "report.h"

namespace bench {
namespace {

/// By the names of the candidates; those without a value are left out.
Json medians(const std::vector<std::optional<double>>& values, const std::vector<Candidate>& candidates) {
  Json json = Json::object();
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (values[c]) json[candidates[c].name] = rounded(*values[c], 5);
  return json;
}

Json spreads(const Row& row, const std::vector<Candidate>& candidates) {
  Json json = Json::object();
  for (std::size_t c = 0; c < candidates.size(); ++c)
    if (row.main[c]) json[candidates[c].name] = rounded(row.spreads[c], 5);
  return json;
}

Json to_json(const Row& row, const std::vector<Candidate>& candidates) {
  Json json{{"name", row.info.name},
            {"group", name_of(row.info.group)},
            {"standard", is_standard(row.info)},
            {"short", row.info.is_short}};
  if (row.info.group == Group::grid) {
    const GridPlace place = grid_place(row.info.name);
    json["position"] = place.position;
    json["span"] = place.span;
  }
  json["seq_ms"] = rounded(row.seq_ms, 4);
  json["ideal"] = rounded(row.ideal, 4);
  json["spread"] = rounded(row.tree_spread, 4);
  json["ratio"] = medians(row.main, candidates);
  json["ratio_without_library"] = medians(row.bare, candidates);
  if (row.info.group == Group::brief || row.info.group == Group::untuned)
    json["to_static"] = medians(row.to_static, candidates);
  json["spreads"] = spreads(row, candidates);
  if (row.tree && row.best) json["best_peer"] = {{"name", row.best_name}, {"ratio", rounded(*row.best, 5)}};
  return json;
}

Json to_json(const Part& part) {
  Json workloads = Json::array(), verdicts = Json::array();
  for (const Row& row : part.rows) workloads.push_back(to_json(row, part.candidates));
  for (const Verdict& verdict : part.verdicts)
    verdicts.push_back({{"what", verdict.what},
                        {"limit", rounded(verdict.limit, 3)},
                        {"worst", rounded(verdict.worst, 4)},
                        {"held", verdict.held},
                        {"of", verdict.of}});
  return {{"runtime", part.runtime},
          {"file", part.file},
          {"dropped", part.dropped},
          {"workloads", std::move(workloads)},
          {"verdicts", std::move(verdicts)}};
}

} // namespace

bool write_json(const std::string& path, const Origin& origin, const std::vector<Part>& parts) {
  Json runtimes = Json::array();
  for (const Part& part : parts) runtimes.push_back(to_json(part));
  return write(path, {{"library", origin.library},
                      {"threads", origin.threads},
                      {"rounds", origin.rounds},
                      {"runtimes", std::move(runtimes)}});
}

} // namespace bench
