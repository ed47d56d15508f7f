// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prediction.h"

#include <nlohmann/json.hpp>

namespace wstree::cli {

namespace {

using nlohmann::ordered_json;
using simulate::in_ns;

ordered_json result_of(const Results& results, std::size_t t, std::size_t w, std::size_t s) {
  const auto& outcome = results.at(t, w, s);
  const auto& round = outcome.round;
  ordered_json json;
  json["workload"] = results.plan().workloads[w].name();
  json["threads"] = results.plan().threads[t];
  json["schedule"] = name_of(results.plan().schedules[s]);
  json["ideal_ns"] = in_ns(outcome.ideal);
  if (!outcome.simulated) return json;
  json["ratio"] = outcome.ratio;
  json["time_ns"] = in_ns(round.time);
  json["first_ns"] = in_ns(outcome.first);
  json["batches"] = round.counts.batches;
  json["steals"] = round.counts.steals;
  json["far_steals"] = far_steals(round);
  json["far_work"] = far_work(round, results.plan().workloads[w]);
  json["nodes"] = round.counts.nodes;
  json["transfers"] = round.traffic.transfers;
  json["waiting_ns"] = in_ns(round.traffic.waiting);
  return json;
}

ordered_json advice_of(const Advice& advice, const Prediction& prediction, const Plan& plan) {
  ordered_json json;
  json["schedule"] = name_of(plan.schedules[advice.schedule]);
  json["threads"] = plan.threads[advice.threads];
  json["time_ns"] = advice.time;
  json["efficiency"] = efficiency(prediction, plan, advice.threads, advice.time);
  for (const auto& other : advice.others) json["times_as_fast_as"][other.schedule] = other.factor;
  if (advice.too_many) {
    json["too_many_threads"] = plan.threads[*advice.too_many];
    json["efficiency_with_them"] = advice.wasted;
  }
  json["text"] = sentences(advice, prediction, plan);
  return json;
}

ordered_json loop_of(const Prediction& prediction, const Plan& plan, std::size_t w) {
  ordered_json json{{"name", prediction.title}, {"work_ns", prediction.work}};
  if (w < plan.recordings.size()) {
    const auto& recording = plan.recordings[w];
    json["number"] = recording.number;
    json["iterations"] = plan.workloads[w].iterations();
    json["longest_ns"] = prediction.longest;
    json["recorded_with"] = recording.schedule;
    if (!recording.clause.empty()) json["clause"] = recording.clause;
    if (recording.chunk > 1) json["chunk"] = recording.chunk;
    json["recorded_threads"] = recording.members;
    json["recorded_ns"] = in_ns(recording.elapsed);
    json["executions"] = recording.seen;
    json["recorded_executions"] = recording.kept;
  }
  if (const auto advice = advise(prediction, plan)) json["advice"] = advice_of(*advice, prediction, plan);
  return json;
}

} // namespace

std::string simulate_json(const Results& results) {
  const Plan& plan = results.plan();
  ordered_json document;
  document["version"] = WSTREE_VERSION;
  if (plan.profile.empty()) {
    document["iterations"] = plan.iterations;
    document["work_ms"] = plan.work_ms;
  } else {
    document["profile"] = plan.profile;
    document["recorded_loops"] = plan.recorded;
  }
  document["batch"] = config::to_text(plan.batch).view();
  document["strategy"] = config::to_text(plan.strategy);
  document["roots"] = plan.settings.roots;
  document["seed"] = plan.seed;
  document["rounds"] = plan.rounds;
  document["machine"] = machine_json(plan.machine.spec);
  if (plan.machine.cores != 0) document["machine"]["cores"] = plan.machine.cores;
  if (!plan.profile.empty()) {
    const auto loops = predictions(results);
    for (std::size_t p = 0; p < loops.size(); ++p) document["loops"].push_back(loop_of(loops[p], plan, p));
  }
  auto list = ordered_json::array();
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    for (std::size_t w = 0; w < plan.workloads.size(); ++w)
      for (std::size_t s = 0; s < plan.schedules.size(); ++s) list.push_back(result_of(results, t, w, s));
  document["results"] = std::move(list);
  // Names of loops come from files; bytes in them that are not UTF-8 are replaced.
  return document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

} // namespace wstree::cli
