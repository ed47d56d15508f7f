// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan.h"

#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using nlohmann::ordered_json;

double ns(simulate::Time time) { return static_cast<double>(time) / simulate::k_ns; }

ordered_json result_of(const Results& results, std::size_t t, std::size_t w, std::size_t s) {
  const auto& [ratio, ideal, round] = results.at(t, w, s);
  ordered_json json;
  json["workload"] = results.plan().workloads[w].name();
  json["threads"] = results.plan().threads[t];
  json["schedule"] = name_of(results.plan().schedules[s]);
  json["ratio"] = ratio;
  json["time_ns"] = ns(round.time);
  json["ideal_ns"] = ns(ideal);
  json["batches"] = round.counts.batches;
  json["steals"] = round.counts.steals;
  json["nodes"] = round.counts.nodes;
  json["transfers"] = round.traffic.transfers;
  json["waiting_ns"] = ns(round.traffic.waiting);
  return json;
}

} // namespace

std::string simulate_json(const Results& results) {
  const Plan& plan = results.plan();
  ordered_json document;
  document["version"] = WSTREE_VERSION;
  document["iterations"] = plan.iterations;
  document["work_ms"] = plan.work_ms;
  document["batch"] = config::to_text(plan.batch).view();
  document["strategy"] = config::to_text(plan.strategy);
  document["roots"] = plan.settings.roots;
  document["seed"] = plan.seed;
  document["rounds"] = plan.rounds;
  for (const auto& [name, value] : values_of(plan.machine)) document["machine"][std::string(name)] = value;
  auto list = ordered_json::array();
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    for (std::size_t w = 0; w < plan.workloads.size(); ++w)
      for (std::size_t s = 0; s < plan.schedules.size(); ++s) list.push_back(result_of(results, t, w, s));
  document["results"] = std::move(list);
  return document.dump(2) + '\n';
}

} // namespace wstree::cli
