// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangles of a graph whose degrees follow a power law, as in a network of people: for each vertex the pairs
// of its neighbours that are neighbours of each other. A vertex of a thousand neighbours takes a million
// times as long as one of a single neighbour, and the largest ones come first.
//
//   clang++ -O2 -std=c++17 -fopenmp triangles.cpp -o triangles
//   OMP_SCHEDULE=guided ./triangles -o triangles.svg 15
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <omp.h>
#include <vector>

// The neighbours of vertex v, ascending: neighbour[start[v]] .. neighbour[start[v + 1] - 1].
struct Graph {
  int vertices = 0;
  std::vector<long> start;
  std::vector<int> neighbour;
  const int* begin(int v) const { return neighbour.data() + start[v]; }
  const int* end(int v) const { return neighbour.data() + start[v + 1]; }
  long degree(int v) const { return start[v + 1] - start[v]; }
};

static double uniform(unsigned long& state) {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  return static_cast<double>(state >> 11) * 0x1p-53;
}

// R-MAT (Chakrabarti, Zhan, Faloutsos 2004): each bit of an edge's two ends is drawn with unequal chances.
static Graph power_law_graph(int scale) {
  Graph graph;
  graph.vertices = 1 << scale;
  std::vector<std::vector<int>> lists(static_cast<std::size_t>(graph.vertices));
  unsigned long state = 1;
  for (long edge = 0; edge < 8L * graph.vertices; ++edge) {
    int a = 0, b = 0;
    for (int bit = 0; bit < scale; ++bit) {
      const double chance = uniform(state);
      a = 2 * a + (chance >= 0.76);
      b = 2 * b + ((chance >= 0.57 && chance < 0.76) || chance >= 0.95);
    }
    if (a == b) continue;
    lists[a].push_back(b);
    lists[b].push_back(a);
  }
  graph.start.push_back(0);
  for (auto& list : lists) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    graph.neighbour.insert(graph.neighbour.end(), list.begin(), list.end());
    graph.start.push_back(static_cast<long>(graph.neighbour.size()));
  }
  return graph;
}

// How many numbers two ascending lists have in common.
static long common(const int* a, const int* a_end, const int* b, const int* b_end) {
  long found = 0;
  while (a != a_end && b != b_end) {
    const int left = *a, right = *b;
    found += left == right;
    a += left <= right;
    b += right <= left;
  }
  return found;
}

// Each triangle once, in another way: edges lead to the vertex of larger degree, and marks find the third.
static long count_again(const Graph& graph) {
  const auto leads = [&](int from, int to) {
    return graph.degree(from) != graph.degree(to) ? graph.degree(from) < graph.degree(to) : from < to;
  };
  std::vector<char> marked(static_cast<std::size_t>(graph.vertices));
  long triangles = 0;
  for (int v = 0; v < graph.vertices; ++v) {
    const auto mark = [&](char value) {
      for (const int* u = graph.begin(v); u != graph.end(v); ++u)
        if (leads(v, *u)) marked[*u] = value;
    };
    mark(1);
    for (const int* u = graph.begin(v); u != graph.end(v); ++u) {
      if (!leads(v, *u)) continue;
      for (const int* w = graph.begin(*u); w != graph.end(*u); ++w) triangles += leads(*u, *w) && marked[*w];
    }
    mark(0);
  }
  return triangles;
}

// Vertices by degree and triangles, both by their logarithm; the area of a circle is their number.
static bool draw(const char* file, const Graph& graph, const std::vector<long>& triangles) {
  std::FILE* svg = std::fopen(file, "w");
  if (svg == nullptr) return false;
  std::map<std::pair<int, int>, long> circles;
  for (int v = 0; v < graph.vertices; ++v)
    if (triangles[v] > 0)
      ++circles[{static_cast<int>(std::lround(4 * std::log10(graph.degree(v)))),
                 static_cast<int>(std::lround(4 * std::log10(triangles[v])))}];
  std::fputs("<svg xmlns='http://www.w3.org/2000/svg' width='510' height='440' viewBox='0 0 510 440' "
             "font-family='sans-serif' "
             "font-size='13'>\n"
             "<title>Degree and triangles of the vertices of a graph</title>\n"
             "<rect width='510' height='440' fill='white'/>\n",
             svg);
  for (int power = 0; power <= 5; ++power) {
    const int x = 70 + 100 * power, y = 385 - 72 * power;
    if (power <= 4)
      std::fprintf(
          svg, "<path d='M%d 20V385' stroke='#ddd'/><text x='%d' y='403' text-anchor='middle'>%.0f</text>\n",
          x, x, std::pow(10, power));
    std::fprintf(svg,
                 "<path d='M70 %dH470' stroke='#ddd'/><text x='62' y='%d' text-anchor='end'>%.0f</text>\n", y,
                 y + 5, std::pow(10, power));
  }
  for (const auto& [place, count] : circles)
    std::fprintf(svg, "<circle cx='%d' cy='%d' r='%.1f' fill='#1b6ca8' fill-opacity='.7'/>\n",
                 70 + 25 * place.first, 385 - 18 * place.second,
                 std::min(12.0, 1.5 + std::sqrt(static_cast<double>(count)) / 3));
  std::fputs(
      "<text x='270' y='428' text-anchor='middle'>neighbours of a vertex</text>\n"
      "<text transform='translate(14 205) rotate(-90)' text-anchor='middle'>triangles it is part of</text>\n"
      "</svg>\n",
      svg);
  return std::fclose(svg) == 0;
}

int main(int argc, char** argv) {
  const char* picture = nullptr;
  if (argc > 2 && std::strcmp(argv[1], "-o") == 0) {
    picture = argv[2];
    argv += 2;
    argc -= 2;
  }
  const int scale = argc > 1 ? std::atoi(argv[1]) : 15;
  if (argc > 2 || scale < 1 || scale > 24) {
    std::fputs("usage: triangles [-o PICTURE.svg] [SCALE, for 2^SCALE vertices]\n", stderr);
    return 2;
  }
  const Graph graph = power_law_graph(scale);
  std::vector<long> triangles(static_cast<std::size_t>(graph.vertices));

  const double start = omp_get_wtime();
#pragma omp parallel for schedule(runtime)
  for (int v = 0; v < graph.vertices; ++v) {
    long ends = 0; // each pair of neighbours is seen from both
    for (const int* u = graph.begin(v); u != graph.end(v); ++u)
      ends += common(graph.begin(v), graph.end(v), graph.begin(*u), graph.end(*u));
    triangles[v] = ends / 2;
  }
  const double seconds = omp_get_wtime() - start;

  long corners = 0, largest = 0;
  for (int v = 0; v < graph.vertices; ++v) {
    corners += triangles[v];
    largest = std::max(largest, graph.degree(v));
  }
  std::printf(
      "triangles %d: %d vertices, %zu edges, at most %ld of one vertex, %ld triangles; %d threads, %.6f s\n",
      scale, graph.vertices, graph.neighbour.size() / 2, largest, corners / 3, omp_get_max_threads(),
      seconds);
  if (picture != nullptr && !draw(picture, graph, triangles)) {
    std::perror(picture);
    return 1;
  }
  if (corners % 3 != 0 || corners / 3 != count_again(graph)) {
    std::fprintf(stderr, "triangles: counted in another way there are %ld\n", count_again(graph));
    return 1;
  }
  return 0;
}
