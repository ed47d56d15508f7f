// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Breadth-first search and PageRank on a graph with few vertices of very many edges (R-MAT with the
/// parameters of Graph500). Vertices keep their numbers, so that the large ones come first.
#include "recipes.h"
#include <atomic>

namespace bench {
namespace {

struct Graph {
  std::vector<int> start; ///< begin of each vertex' neighbours, and the end of the last
  std::vector<int> neighbour;

  int vertices() const { return static_cast<int>(start.size()) - 1; }
  int degree(int v) const {
    return start[static_cast<std::size_t>(v) + 1] - start[static_cast<std::size_t>(v)];
  }
  const int* begin(int v) const { return neighbour.data() + start[static_cast<std::size_t>(v)]; }
  const int* end(int v) const { return neighbour.data() + start[static_cast<std::size_t>(v) + 1]; }
  double largest_share() const {
    int largest = 0;
    for (int v = 0; v < vertices(); ++v) largest = std::max(largest, degree(v));
    return static_cast<double>(largest) / static_cast<double>(neighbour.size());
  }
};

/// Returns an edge of the graph. Chooses one bit of both ends after the other: 57 % of all edges lie in the
/// first quarter, and so on.
std::pair<int, int> edge(std::uint64_t number, int bits) {
  int from = 0, to = 0;
  for (int k = 0; k < bits; ++k) {
    const double u = uniform_of(number * 64 + static_cast<std::uint64_t>(k));
    from = 2 * from + (u >= 0.76);
    to = 2 * to + ((u >= 0.57 && u < 0.76) || u >= 0.95);
  }
  return {from, to};
}

/// Returns a graph of 2^bits vertices; every edge is there in both directions.
std::shared_ptr<const Graph> make_graph(int bits) {
  constexpr int k_edges_per_vertex = 8;
  const int vertices = 1 << bits, edges = k_edges_per_vertex * vertices;
  std::vector<std::pair<int, int>> list;
  for (int k = 0; k < edges; ++k) {
    const auto [from, to] = edge(static_cast<std::uint64_t>(k), bits);
    list.emplace_back(from, to);
    list.emplace_back(to, from);
  }
  std::sort(list.begin(), list.end());
  auto made = std::make_shared<Graph>();
  made->start.assign(static_cast<std::size_t>(vertices) + 1, 0);
  for (const auto& [from, to] : list) {
    ++made->start[static_cast<std::size_t>(from) + 1];
    made->neighbour.push_back(to);
  }
  for (std::size_t v = 1; v < made->start.size(); ++v) made->start[v] += made->start[v - 1];
  return made;
}

struct Search {
  std::shared_ptr<const Graph> graph;
  std::vector<int> distance;
  std::vector<int> frontier;
  Site site;
};

/// The vertices that one thread has found. Each has a cache line of its own.
struct alignas(64) Found {
  std::vector<int> vertices;
};

/// Puts the unseen neighbours of one vertex of the frontier into the next frontier.
struct Expand {
  const Graph* graph;
  const int* frontier;
  int* distance;
  int level;
  std::vector<Found>* found;
  std::uint64_t operator()(int i) const {
    const int v = frontier[i];
    std::vector<int>* own = nullptr;
    for (const int* at = graph->begin(v); at != graph->end(v); ++at) {
      // Relaxed: of the threads that reach a vertex one wins, all write the same level, and no thread takes
      // the level as a sign for other data before the end of the loop.
      const std::atomic_ref<int> seen(distance[*at]);
      int unseen = -1;
      if (seen.load(std::memory_order_relaxed) >= 0 ||
          !seen.compare_exchange_strong(unseen, level, std::memory_order_relaxed))
        continue;
      if (!own) own = &found->at(static_cast<std::size_t>(worker_index())).vertices;
      own->push_back(*at);
    }
    return static_cast<std::uint64_t>(graph->degree(v));
  }
};

/// Searches level by level from the largest vertex, a loop each. Returns the number of edges that were
/// looked at.
std::uint64_t search(Search& data, const Runner& run) {
  std::vector<Found> found(static_cast<std::size_t>(run.threads()));
  data.frontier = {0};
  data.distance[0] = 0;
  std::uint64_t edges = 0;
  for (int level = 1; !data.frontier.empty(); ++level) {
    const Expand body{data.graph.get(), data.frontier.data(), data.distance.data(), level, &found};
    edges += run(static_cast<int>(data.frontier.size()), body, data.site);
    data.frontier.clear();
    for (Found& part : found) {
      data.frontier.insert(data.frontier.end(), part.vertices.begin(), part.vertices.end());
      part.vertices.clear();
    }
  }
  return edges;
}

Workload breadth_first_search(const std::string& name, int bits) {
  auto data = std::make_shared<Search>();
  data->graph = make_graph(bits);
  const auto program = [data](const Runner& run) { return search(*data, run); };
  Workload made = several_loops(name, Group::program, data->graph->largest_share(), program);
  made.prepare = [data] { data->distance.assign(static_cast<std::size_t>(data->graph->vertices()), -1); };
  made.digest = [data] {
    std::uint64_t sum = 0;
    for (std::size_t v = 0; v < data->distance.size(); ++v)
      sum += fingerprint(v, static_cast<double>(data->distance[v]));
    return sum;
  };
  return made;
}

struct Ranks {
  std::shared_ptr<const Graph> graph;
  std::vector<double> rank, share;
  Site share_site, gather_site;
};

/// Computes each vertex' gift to its neighbours: a cheap and even loop.
struct Share {
  const Graph* graph;
  const double* rank;
  double* share;
  std::uint64_t operator()(int v) const {
    const int degree = graph->degree(v);
    share[v] = degree ? rank[v] / degree : 0;
    return 0;
  }
};

/// Sums up each vertex' gifts from its neighbours.
struct Gather {
  const Graph* graph;
  const double* share;
  double* rank;
  std::uint64_t operator()(int v) const {
    double sum = 0;
    for (const int* at = graph->begin(v); at != graph->end(v); ++at) sum += share[*at];
    rank[v] = 0.15 + 0.85 * sum;
    return 0;
  }
};

Workload page_rank(const std::string& name, int bits) {
  constexpr int k_rounds = 5;
  auto data = std::make_shared<Ranks>();
  data->graph = make_graph(bits);
  const int vertices = data->graph->vertices();
  data->share.resize(static_cast<std::size_t>(vertices));
  const auto program = [data, vertices](const Runner& run) {
    for (int k = 0; k < k_rounds; ++k) {
      run(vertices, Share{data->graph.get(), data->rank.data(), data->share.data()}, data->share_site);
      run(vertices, Gather{data->graph.get(), data->share.data(), data->rank.data()}, data->gather_site);
    }
    return std::uint64_t{0};
  };
  Workload made = several_loops(name, Group::program, data->graph->largest_share(), program);
  made.prepare = [data, vertices] { data->rank.assign(static_cast<std::size_t>(vertices), 1.0); };
  made.digest = [data] { return fingerprint(data->rank); };
  return made;
}

} // namespace

void add_graphs(Recipes& list, double scale) {
  const auto bits = [scale](int usual) { return std::max(6, usual + static_cast<int>(std::log2(scale))); };
  list.push_back(
      {"BFS", Group::program, [=](const std::string& name) { return breadth_first_search(name, bits(16)); }});
  list.push_back(
      {"PAGERANK", Group::program, [=](const std::string& name) { return page_rank(name, bits(15)); }});
}

} // namespace bench
