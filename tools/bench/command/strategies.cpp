// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "strategies.h"

#include "machine_facts.h"
#include "session.h"
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

/// Counts nodes in processes of its own, because counting is no part of a timed run.
void count_nodes(Session& session, unsigned threads) {
  Json rows = Json::array();
  for (const auto strategy : k_strategies) {
    const auto file = session.setting().folder / fmt::format("nodes-{}-{}", strategy, threads);
    auto arguments = session.expanded("{few}");
    arguments.insert(arguments.end(), {"--threads", std::to_string(threads), "--candidates", "wstree",
                                       "--only", fmt::format("^{}{}$", k_even_shape, k_strategies_suffix)});
    Session::Start start{"strategies", fmt::format("nodes of {}", strategy), "",
                         "loops",      session.setting().runtimes.front(),   arguments};
    start.variables = {fmt::format("WSTREE_STRATEGY={}", strategy), "WSTREE_STATS=json=" + file.string()};
    start.has_json = false;
    if (session.run(start))
      rows.push_back(
          {{"row", "nodes"}, {"column", strategy}, {"value", nodes_in(read_text(file).value_or(""))}});
  }
  session.findings().add("strategies", fmt::format("nodes P={}", threads), {{"rows", std::move(rows)}});
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
  const auto only =
      fmt::format("^({}|{}){}$", k_even_shape, fmt::join(k_step_shapes, "|"), k_strategies_suffix);
  for (const unsigned threads : measured_workers()) {
    auto arguments = session.expanded(session.size() == Size::quick ? "{few} --passes 1" : "{few}");
    const auto more = variants();
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(),
                     {"--candidates", "wstree", "--only", only, "--threads", std::to_string(threads)});
    session.run({"strategies", fmt::format("P={}", threads),
                 fmt::format("Strategies and batch modes, P={}", threads), "loops",
                 session.setting().runtimes.front(), arguments});
    count_nodes(session, threads);
  }
}

void measure_workers(Session& session) {
  const auto only = fmt::format("^[^/]*{}$|^({})$", k_workers_suffix, fmt::join(k_programs, "|"));
  for (const unsigned threads : measured_workers()) {
    auto arguments = session.expanded(session.size() == Size::quick ? "{few} --passes 1 {beside} {tbb}"
                                                                    : "{few} {beside} {tbb}");
    arguments.insert(arguments.end(),
                     {"--only", session.setting().only.value_or(only), "--threads", std::to_string(threads)});
    session.run({"workers", fmt::format("P={}", threads), fmt::format("Throughput, P={}", threads), "loops",
                 session.setting().runtimes.front(), arguments});
  }
}

} // namespace wstree::cli::bench
