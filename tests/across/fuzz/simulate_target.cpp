// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arguments of `wstree simulate`. The first three bytes are numbers, then each line is an argument; the
// seventh, if there is one, has the costs of a recorded loop. Small plans are run: all schedules then hand
// out every iteration once, whatever the machine is like.
#include "support/bytes.h"
#include "support/target.h"

#include "simulate/command/plan.h"
#include "simulate/command/prediction.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wstree::fuzz::simulate_target {
namespace {

using namespace cli;

bool is_small(const Plan& plan) {
  const auto members = std::ranges::max(plan.threads);
  return members <= 12 && plan.threads.size() * plan.workloads.size() * plan.schedules.size() <= 12;
}

void check_run(const Plan& plan) {
  for (const auto threads : plan.threads)
    for (const auto& workload : plan.workloads)
      for (const auto& schedule : plan.schedules) {
        std::vector<std::uint32_t> hits(workload.iterations());
        simulate::Job job{&workload, schedule, threads, plan.settings, plan.machine.spec, plan.seed, 1};
        job.seen = [&](std::uint32_t, std::uint32_t member, const core::Range& range) {
          require(member < threads && range.begin < range.end && range.end <= hits.size(),
                  "pieces are parts of the loop");
          for (auto i = range.begin; i < range.end; ++i) ++hits[i];
        };
        const auto rounds = simulate::simulate(job);
        require(std::ranges::all_of(hits, [](std::uint32_t count) { return count == 1; }),
                "each iteration is handed out once", name_of(schedule));
        require(rounds.size() == 1 && rounds.front().counts.iterations == workload.iterations(),
                "and counted", name_of(schedule));
      }
}

/// Only machines that are the same everywhere and at once.
bool is_made_up(const std::string& machine) {
  const auto first = machine.substr(0, machine.find(','));
  return first.find("here") == std::string::npos &&
         (first.find(':') == std::string::npos || first.find('=') != std::string::npos);
}

/// Two loops: a piece for each byte.
std::vector<simulate::RecordedLoop> recorded_loops(std::string_view costs) {
  simulate::RecordedExecution execution{1'000, 2, {}};
  std::uint64_t begin = 0;
  for (const char c : costs.substr(0, 100)) {
    const auto byte = static_cast<unsigned char>(c);
    const std::uint64_t end = begin + byte % 4 + 1;
    execution.pieces.push_back({begin, end, byte * 1.5});
    begin = end;
  }
  simulate::RecordedLoop loop{"a.out+0x<1>", "wstree", begin, 1, 3, 1'000, {execution}};
  auto other = loop;
  other.schedule = "wsguided,2 (dynamic)";
  return {loop, other};
}

void check_advice(const Results& results) {
  for (const auto& prediction : predictions(results))
    if (const auto advice = advise(prediction, results.plan()))
      require(advice->threads < results.plan().threads.size() && !advice->limit.empty() &&
                  can_be_set(results.plan().schedules[advice->schedule]),
              "what is recommended can be had", prediction.title);
}

void body(std::string_view input) {
  Bytes bytes(input);
  SimulateRequest request;
  request.iterations = bytes.between(1, 200);
  request.roots = bytes.between(0, 8);
  request.seed = bytes.byte();
  request.work_ms = 0.01;
  request.rounds = 1;
  const auto lines = lines_of(bytes.rest());
  const auto line = [&](std::size_t i) { return i < lines.size() ? std::string(lines[i]) : std::string(); };
  const auto optional = [&](std::size_t i) {
    return line(i).empty() ? std::nullopt : std::optional(line(i));
  };
  request.schedules = line(0).empty() ? "wstree" : line(0);
  request.workloads = line(1).empty() ? "UNIFORM" : line(1);
  request.threads = line(2).empty() ? "4" : line(2);
  request.machine = optional(3);
  request.strategy = optional(4);
  request.batch = optional(5);
  if (request.schedules->size() + request.workloads.size() + request.threads->size() > 300) return;
  if (request.machine && !is_made_up(*request.machine)) return;
  const auto costs = line(6);
  if (!costs.empty()) request.profile = "profile";

  Plan plan;
  if (const auto problem = make_plan(
          request, costs.empty() ? std::vector<simulate::RecordedLoop>() : recorded_loops(costs), plan)) {
    require(problem->starts_with("--"), "a problem names its option", *problem);
    return;
  }
  require(!plan.schedules.empty() && !plan.workloads.empty() && !plan.threads.empty(),
          "a plan has something to run");
  for (const auto& schedule : plan.schedules)
    require(schedule_named(name_of(schedule)) == schedule, "a schedule is named as it is asked for",
            name_of(schedule));
  ChosenMachine again;
  require(!parse_machine(machine_text(plan.machine.spec), again), "a machine is shown as it is asked for",
          machine_text(plan.machine.spec));
  require(machine_text(again.spec) == machine_text(plan.machine.spec), "and means the same",
          machine_text(plan.machine.spec));
  if (!is_small(plan)) return;
  check_run(plan);
  const Results results(plan);
  for (std::size_t t = 0; t < plan.threads.size(); ++t)
    for (std::size_t s = 0; s < plan.schedules.size(); ++s)
      require(results.worst(t, s) >= 0.999, "none is faster than the ideal", name_of(plan.schedules[s]));
  if (!plan.profile.empty()) check_advice(results);
  const auto document = nlohmann::json::parse(simulate_json(results), nullptr, false);
  require(document.is_object() && document["results"].is_array(), "the results are JSON");
  require(simulate_text(results, true).ends_with('\n'), "the text is complete");
  require(simulate_svg(results).ends_with("</svg>\n"), "the drawing is complete");
}

const Registration registration("simulate", body);

} // namespace
} // namespace wstree::fuzz::simulate_target
