// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "strategies.h"

#include "machine_facts.h"
#include "session.h"
#include "simulated.h"
#include "support/text_file.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace wstree::cli::bench {

namespace {

/// Columns beside the tree as it is.
Arguments variants() {
  Arguments made;
  const auto add = [&](std::string_view name, const char* variable) {
    made.insert(made.end(), {"--variant", fmt::format("{},{}={}", name, variable, name)});
  };
  for (const auto strategy : k_strategies) add(strategy, "WSTREE_STRATEGY");
  for (const auto batch : k_batches) add(batch, "WSTREE_BATCH");
  return made;
}

/// Nodes of a loop in a process that counts them.
double nodes_in(const std::string& statistics) {
  const auto json = Json::parse(statistics, nullptr, false);
  if (json.is_discarded()) return 0;
  double nodes = 0, calls = 0;
  for (const auto& loop : json.value("loops", Json::array())) {
    nodes += loop.value("nodes", 0.0);
    calls += loop.value("calls", 0.0);
  }
  return calls > 0 ? nodes / calls : 0;
}

/// Counting is no part of what is timed, so it has processes of its own.
void count_nodes(Session& session, unsigned threads) {
  Json found = Json::object();
  for (const auto strategy : k_strategies) {
    const auto file = session.setting().folder / fmt::format("nodes-{}-{}", strategy, threads);
    auto arguments = session.loops_arguments(1);
    arguments.insert(arguments.end(), {"--threads", std::to_string(threads), "--candidates", "wstree",
                                       "--only", fmt::format("^{}{}$", k_even_shape, k_strategies_suffix)});
    Session::Start start{"strategies", fmt::format("nodes of {}", strategy), "",
                         "loops",      session.setting().runtimes.front(),   arguments};
    start.variables = {fmt::format("WSTREE_STRATEGY={}", strategy), "WSTREE_STATS=json=" + file.string()};
    start.has_json = false;
    if (session.run(start)) found[std::string(strategy)] = nodes_in(read_text(file).value_or(""));
  }
  session.findings().add("strategies", fmt::format("nodes P={}", threads), found);
}

SimulateRequest request(bool few, const std::string& workload) {
  SimulateRequest made;
  made.schedules = "wstree";
  made.workloads = workload;
  made.iterations = k_strategies_iterations;
  made.threads = simulated_workers(few);
  return made;
}

/// Figure 7 with the tree as it is, and as the paper has it: one node at the start, and batches of one size.
Json simulated_strategies(bool few) {
  constexpr const char* k_of_the_paper = "fixed:64";
  Json found = Json::object();
  for (const auto strategy : k_strategies) {
    auto usual = request(few, k_even_shape);
    usual.strategy = strategy;
    auto paper = usual;
    paper.roots = 1;
    paper.batch = k_of_the_paper;
    found[fmt::format("{}", strategy)] = simulated(usual).at("results");
    found[fmt::format("{}, one root", strategy)] = simulated(paper).at("results");
  }
  for (const auto batch : k_batches) {
    auto step = request(few, fmt::format("{}", fmt::join(k_step_shapes, ",")));
    step.batch = batch;
    found[fmt::format("{}", batch)] = simulated(step).at("results");
  }
  return found;
}

} // namespace

std::vector<unsigned> measured_workers() {
  const unsigned most = allowed_cpus();
  std::vector<unsigned> list;
  for (unsigned workers = 1; workers < most; workers *= 2) list.push_back(workers);
  list.push_back(most);
  return list;
}

void measure_strategies(Session& session) {
  if (!session.has_library()) {
    fmt::print("\n== Strategies and batch modes\nnot measured: they are those of the library\n");
    return;
  }
  const bool few = session.size() == Size::smoke;
  const auto only =
      fmt::format("^({}|{}){}$", k_even_shape, fmt::join(k_step_shapes, "|"), k_strategies_suffix);
  for (const unsigned threads : measured_workers()) {
    auto arguments = session.loops_arguments(
        std::min(session.size() == Size::full ? 3U : 1U, session.setting().selection.rounds));
    if (session.size() == Size::quick) arguments.insert(arguments.end(), {"--passes", "1"});
    const auto more = variants();
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(),
                     {"--candidates", "wstree", "--only", only, "--threads", std::to_string(threads)});
    session.run({"strategies", fmt::format("P={}", threads),
                 fmt::format("Strategies and batch modes, P={}", threads), "loops",
                 session.setting().runtimes.front(), arguments});
    count_nodes(session, threads);
  }
  if (!interrupted()) session.findings().add("strategies", "simulated", simulated_strategies(few));
}

void measure_workers(Session& session) {
  const bool few = session.size() == Size::smoke;
  const auto only = fmt::format("^[^/]*{}$|^({})$", k_workers_suffix, fmt::join(k_programs, "|"));
  for (const unsigned threads : measured_workers()) {
    auto arguments = session.loops_arguments(
        std::min(session.size() == Size::full ? 3U : 1U, session.setting().selection.rounds));
    if (session.size() == Size::quick) arguments.insert(arguments.end(), {"--passes", "1"});
    const auto beside = session.others_beside(true);
    arguments.insert(arguments.end(), beside.begin(), beside.end());
    arguments.insert(arguments.end(),
                     {"--only", session.setting().only.value_or(only), "--threads", std::to_string(threads)});
    session.run({"workers", fmt::format("P={}", threads), fmt::format("Throughput, P={}", threads), "loops",
                 session.setting().runtimes.front(), arguments});
  }
  SimulateRequest imagined;
  imagined.schedules = "static,dynamic,64,guided,static_steal,wstree";
  imagined.iterations = k_workers_iterations;
  imagined.threads = simulated_workers(few);
  session.findings().add("workers", "simulated", simulated(imagined).at("results"));
}

} // namespace wstree::cli::bench
