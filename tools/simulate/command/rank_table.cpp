// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `wstree simulate --ranks`: loops that ranks share, beside static shares and central counters.
#include "rank_table.h"
#include "arguments.h"
#include "support/exit_status.h"
#include "support/message.h"

#include "ranks/rank_loops.h"
#include "workload.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wstree::cli {

namespace {

using simulate::Cluster;
using simulate::Rule;
using simulate::Workload;

constexpr std::uint32_t k_threads = 64;
constexpr std::uint64_t k_most_iterations = 100'000'000;

struct Way {
  std::string_view name;
  simulate::Time (*time)(const Workload& workload, const Cluster& cluster);
};

template <Rule rule, std::uint64_t k_chunks = 1>
simulate::Time central(const Workload& workload, const Cluster& cluster) {
  return central_time(workload, cluster, rule, k_chunks);
}
constexpr Way k_ways[] = {{"wstree::mpi", simulate::stolen_time},
                          {"static", central<Rule::equal>},
                          {"counter, 4 chunks", central<Rule::fixed, 4>},
                          {"counter, 16 chunks", central<Rule::fixed, 16>},
                          {"counter, 64 chunks", central<Rule::fixed, 64>},
                          {"counter, 256 chunks", central<Rule::fixed, 256>},
                          {"GSS", central<Rule::guided>},
                          {"FAC2", central<Rule::factoring>},
                          {"TSS", central<Rule::trapezoid>}};

/// Returns the words of a list with commas.
std::vector<std::string_view> words_of(std::string_view list) {
  std::vector<std::string_view> words;
  for (std::size_t end = 0; !list.empty(); list.remove_prefix(std::min(end + 1, list.size())))
    if (end = std::min(list.find(','), list.size()); end != 0) words.push_back(list.substr(0, end));
  return words;
}

bool read_count(std::string_view word, std::uint32_t most, std::uint32_t& count) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), count);
  return error == std::errc() && end == word.data() + word.size() && count >= 1 && count <= most;
}

} // namespace

int simulate_ranks(const SimulateRequest& request) {
  Cluster cluster{.ranks = 1, .threads = k_threads, .network = {}};
  const simulate::Network* network = simulate::network_named(request.network);
  if (network == nullptr) {
    say("there is no network '{}' (there are: gemini, infiniband)", request.network);
    return k_own_error;
  }
  cluster.network = *network;
  if (request.threads && !read_count(*request.threads, 1024, cluster.threads)) {
    say("with --ranks, --threads takes one number from 1 to 1024, not '{}'", *request.threads);
    return k_own_error;
  }
  std::vector<std::string_view> shapes = words_of(request.workloads);
  if (request.workloads == "all") shapes = simulate::shape_names();
  std::vector<std::uint32_t> all_ranks;
  for (const std::string_view word : words_of(*request.ranks))
    if (!read_count(word, 4096, all_ranks.emplace_back())) {
      say("--ranks takes numbers from 1 to 4096, not '{}'", word);
      return k_own_error;
    }
  if (!request.json)
    fmt::print("time / ideal, geometric mean / worst of {} workloads; {} threads a rank, {:g} ms of work and "
               "{} iterations a "
               "thread, network {}\n\n",
               shapes.size(), cluster.threads, request.work_ms, request.iterations, cluster.network.name);
  auto results = nlohmann::ordered_json::array();
  for (const std::uint32_t ranks : all_ranks) {
    cluster.ranks = ranks;
    const std::uint64_t threads = std::uint64_t{cluster.ranks} * cluster.threads;
    if (threads * request.iterations > k_most_iterations) {
      say("{} iterations for each of {} threads are more than {}", request.iterations, threads,
          k_most_iterations);
      return k_own_error;
    }
    std::vector<double> logs(std::size(k_ways)), worst(std::size(k_ways));
    for (const std::string_view shape : shapes) {
      const auto work = static_cast<simulate::Time>(request.work_ms * 1e9 * static_cast<double>(threads));
      const auto workload = simulate::make_workload(shape, request.iterations * threads, work);
      if (!workload) {
        say("there is no workload '{}'", shape);
        return k_own_error;
      }
      const auto ideal = static_cast<double>(workload->ideal(static_cast<std::uint32_t>(threads)));
      for (std::size_t i = 0; i < std::size(k_ways); ++i) {
        const double ratio = static_cast<double>(k_ways[i].time(*workload, cluster)) / ideal;
        logs[i] += std::log(ratio);
        worst[i] = std::max(worst[i], ratio);
      }
    }
    if (!request.json) fmt::print("{} ranks\n", ranks);
    for (std::size_t i = 0; i < std::size(k_ways); ++i) {
      const double mean = std::exp(logs[i] / static_cast<double>(shapes.size()));
      if (request.json)
        results.push_back(
            {{"ranks", ranks}, {"way", k_ways[i].name}, {"mean_ratio", mean}, {"worst_ratio", worst[i]}});
      else
        fmt::print("  {:<20} {:6.3f} / {:6.3f}\n", k_ways[i].name, mean, worst[i]);
    }
  }
  if (request.json)
    fmt::print("{}\n", nlohmann::ordered_json({{"network", cluster.network.name},
                                               {"threads", cluster.threads},
                                               {"work_ms", request.work_ms},
                                               {"iterations", request.iterations},
                                               {"workloads", shapes.size()},
                                               {"results", results}})
                           .dump(2));
  return k_ok;
}

} // namespace wstree::cli
