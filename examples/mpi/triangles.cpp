// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the triangles of a graph that each rank has: a vertex costs what its neighbours have, few have most.
//
//   mpicxx -std=c++20 -O2 -fopenmp triangles.cpp -o triangles
//   mpirun -np 4 triangles [VERTICES]
#include <wstree/mpi.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// Neighbours with larger numbers, in ascending order: v has about n / (v + 1), as in graphs with hubs.
std::vector<std::vector<std::uint32_t>> make_graph(std::uint32_t vertices) {
  std::vector<std::vector<std::uint32_t>> graph(vertices);
  std::uint64_t random = 12345;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const std::uint32_t degree = std::min(vertices / (v + 1) + 8, vertices - 1 - v);
    for (std::uint32_t i = 0; i < degree; ++i) {
      random = random * 6364136223846793005U + 1442695040888963407U;
      graph[v].push_back(v + 1 + static_cast<std::uint32_t>((random >> 33) % (vertices - 1 - v)));
    }
    std::sort(graph[v].begin(), graph[v].end());
    graph[v].erase(std::unique(graph[v].begin(), graph[v].end()), graph[v].end());
  }
  return graph;
}

/// Triangles whose smallest vertex is v.
std::uint64_t triangles_at(const std::vector<std::vector<std::uint32_t>>& graph, std::uint64_t v) {
  std::uint64_t count = 0;
  for (const std::uint32_t w : graph[v])
    for (const std::uint32_t x : graph[w]) count += std::binary_search(graph[v].begin(), graph[v].end(), x);
  return count;
}

} // namespace

int main(int argc, char** argv) {
  int level = 0, rank = 0, ranks = 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const auto graph =
      make_graph(argc > 1 ? static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)) : 20'000);
  const std::uint64_t n = graph.size();

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  std::uint64_t mine = 0, expected = 0;
  const auto me = static_cast<std::uint64_t>(rank), all = static_cast<std::uint64_t>(ranks);
  for (std::uint64_t v = n * me / all; v < n * (me + 1) / all; ++v) mine += triangles_at(graph, v);
  MPI_Allreduce(&mine, &expected, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  const double equal = MPI_Wtime() - start;

  start = MPI_Wtime();
  const std::uint64_t count = wstree::mpi::reduce(
      wstree::mpi::on(MPI_COMM_WORLD).label("triangles"), n, std::uint64_t{0},
      [](std::uint64_t a, std::uint64_t b) { return a + b; },
      [&](std::uint64_t v) { return triangles_at(graph, v); });
  const double shared = MPI_Wtime() - start;

  if (rank == 0)
    std::printf("%d ranks: %llu triangles; equal shares %.3f s, shared by stealing %.3f s\n", ranks,
                static_cast<unsigned long long>(count), equal, shared);
  MPI_Finalize();
  return count == expected ? 0 : 1;
}
