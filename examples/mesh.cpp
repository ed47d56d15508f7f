// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An adaptive mesh: a disc with a sharp edge moves through a square of blocks. Blocks at the edge have cells
// that are up to 16 times as fine, and take up to 16 times as many steps, so that one costs 4,096 times as
// much as one in a quiet place; and where the edge is changes from step to step.
//
//   clang++ -O2 -std=c++17 -fopenmp mesh.cpp -o mesh
//   OMP_SCHEDULE=guided ./mesh -o mesh.svg 100
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <omp.h>
#include <vector>

constexpr int k_side = 32;   // blocks along an edge of the square
constexpr int k_cells = 4;   // cells along an edge of a block of level 0, doubled by each level
constexpr int k_finest = 4;  // level
constexpr double k_east = 1; // velocity
constexpr double k_north = 0.5;
constexpr double k_courant = 0.5; // share of a cell that flows through in a step, eastwards
constexpr double k_block = 1.0 / k_side;
constexpr double k_step = k_courant * k_block / k_cells / k_east; // of time, for all blocks

struct Block {
  int level = 0;
  double spread = 0;         // the largest value less the smallest
  std::vector<double> value; // of n * n cells, from the south-west on
  int n() const { return k_cells << level; }
};
using Mesh = std::vector<Block>; // k_side * k_side, from the south-west on

static double exact(double x, double y, double time) {
  const double r = std::hypot(x - 0.3 - k_east * time, y - 0.35 - k_north * time);
  return 0.5 - 0.5 * std::tanh((r - 0.15) / 0.01);
}

// The value of the cell that holds a point; outside of the square there is nothing.
static double at(const Mesh& mesh, double x, double y) {
  if (x < 0 || y < 0 || x >= 1 || y >= 1) return 0;
  const int column = static_cast<int>(x * k_side), row = static_cast<int>(y * k_side);
  const Block& block = mesh[row * k_side + column];
  const int i = std::min(block.n() - 1, static_cast<int>((x * k_side - column) * block.n()));
  const int j = std::min(block.n() - 1, static_cast<int>((y * k_side - row) * block.n()));
  return block.value[j * block.n() + i];
}

// What a block should be: fine at an edge, and next to a fine one not much coarser.
static int wanted_level(const Mesh& mesh, int number) {
  int level = 0;
  for (int row = number / k_side - 1; row <= number / k_side + 1; ++row)
    for (int column = number % k_side - 1; column <= number % k_side + 1; ++column) {
      if (row < 0 || column < 0 || row >= k_side || column >= k_side) continue;
      const int other = row * k_side + column;
      const double spread = mesh[other].spread;
      const int own = spread > 0.4 ? 4 : spread > 0.1 ? 3 : spread > 0.02 ? 2 : spread > 0.004 ? 1 : 0;
      level = std::max(level, other == number ? own : own - 1);
    }
  return level;
}

static void note_spread(Block& block) {
  const auto [least, most] = std::minmax_element(block.value.begin(), block.value.end());
  block.spread = *most - *least;
}

// The block with cells of another size.
static Block at_level(const Block& old, int level) {
  Block block;
  block.level = level;
  const int n = block.n(), finer = std::max(1, old.n() / n);
  block.value.resize(static_cast<std::size_t>(n) * n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      double sum = 0; // of the cells that lie in the new one, or of the one that it lies in
      for (int b = 0; b < finer; ++b)
        for (int a = 0; a < finer; ++a)
          sum += old.value[(j * old.n() / n + b) * old.n() + i * old.n() / n + a];
      block.value[j * n + i] = sum / (finer * finer);
    }
  return block;
}

// The block after a step: small steps of its own, in which its neighbours flow in as they were, moved on.
static Block moved(const Mesh& mesh, int number) {
  Block block = at_level(mesh[number], wanted_level(mesh, number));
  const int n = block.n();
  const double h = k_block / n, west = (number % k_side) * k_block, south = (number / k_side) * k_block;
  const double from_west = k_courant, from_south = k_courant * k_north / k_east;
  for (int small = 0; small < 1 << block.level; ++small) {
    const double time = k_step * small / (1 << block.level);
    const auto outside = [&](int i, int j) {
      return at(mesh, west + (i + 0.5) * h - k_east * time, south + (j + 0.5) * h - k_north * time);
    };
    for (int j = n - 1; j >= 0; --j) // downwind first: what flows in is still the old value
      for (int i = n - 1; i >= 0; --i) {
        double& value = block.value[j * n + i];
        const double left = i > 0 ? (&value)[-1] : outside(-1, j),
                     below = j > 0 ? (&value)[-n] : outside(i, -1);
        value += from_west * (left - value) + from_south * (below - value);
      }
  }
  note_spread(block);
  return block;
}

static Mesh first_mesh() {
  Mesh mesh(k_side * k_side);
  for (int number = 0; number < k_side * k_side; ++number) {
    Block& block = mesh[number];
    block.level = k_finest;
    for (int j = 0; j < block.n(); ++j)
      for (int i = 0; i < block.n(); ++i)
        block.value.push_back(exact((number % k_side + (i + 0.5) / block.n()) * k_block,
                                    (number / k_side + (j + 0.5) / block.n()) * k_block, 0));
    note_spread(block);
  }
  Mesh fitting;
  for (int number = 0; number < k_side * k_side; ++number) {
    fitting.push_back(at_level(mesh[number], wanted_level(mesh, number)));
    fitting.back().spread = mesh[number].spread;
  }
  return fitting;
}

// Each block with as many lines as it has cells, up to level 3, over the colour of its mean value.
static bool draw(const char* file, const Mesh& mesh) {
  std::FILE* svg = std::fopen(file, "w");
  if (svg == nullptr) return false;
  std::fputs("<svg xmlns='http://www.w3.org/2000/svg' width='384' height='384' viewBox='0 0 512 512'>\n"
             "<title>An adaptive mesh around a moving disc</title>\n",
             svg);
  for (int level = 0, size = 16; level < k_finest; ++level, size /= 2)
    std::fprintf(svg,
                 "<pattern id='p%d' width='%d' height='%d' patternUnits='userSpaceOnUse'>"
                 "<path d='M0 0H16M0 0V16' stroke='#888' stroke-width='.4'/></pattern>\n",
                 level, size, size);
  std::fputs("<path d='M0 0h512v512H0z' fill='white'/><path d='M0 0h512v512H0z' fill='url(#p0)'/>\n", svg);
  for (int number = 0; number < k_side * k_side; ++number) {
    const Block& block = mesh[number];
    const double sum = std::accumulate(block.value.begin(), block.value.end(), 0.0);
    const double mean = sum / static_cast<double>(block.value.size());
    if (block.level == 0 && mean < 0.01) continue;
    const int x = 16 * (number % k_side), y = 496 - 16 * (number / k_side);
    std::fprintf(svg, "<path d='M%d %dh16v16h-16z' fill='#1b6ca8' fill-opacity='%.2f'/>\n", x, y, mean);
    std::fprintf(svg, "<path d='M%d %dh16v16h-16z' fill='url(#p%d)'/>\n", x, y, std::min(block.level, 3));
  }
  std::fputs("</svg>\n", svg);
  return std::fclose(svg) == 0;
}

int main(int argc, char** argv) {
  const int options = argc > 2 && std::strcmp(argv[1], "-o") == 0 ? 2 : 0;
  const int steps = argc > 1 + options ? std::atoi(argv[1 + options]) : 100;
  if (argc > 2 + options || steps < 0 || steps > 100) { // after more the disc leaves the square
    std::fputs("usage: mesh [-o PICTURE.svg] [STEPS, at most 100]\n", stderr);
    return 2;
  }
  Mesh mesh = first_mesh(), next(mesh.size());
  const double start = omp_get_wtime();
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(runtime)
    for (int number = 0; number < k_side * k_side; ++number) next[number] = moved(mesh, number);
    mesh.swap(next);
  }
  const double seconds = omp_get_wtime() - start;

  std::size_t cells = 0;
  double mass = 0, error = 0;
  bool possible = true; // values between those that there were
  for (int number = 0; number < k_side * k_side; ++number) {
    const int n = mesh[number].n();
    const double h = k_block / n;
    cells += mesh[number].value.size();
    for (int k = 0; k < n * n; ++k) {
      const double value = mesh[number].value[k];
      const double x = (number % k_side) * k_block + (k % n + 0.5) * h,
                   y = (number / k_side) * k_block + (k / n + 0.5) * h;
      mass += value * h * h;
      error += std::fabs(value - exact(x, y, steps * k_step)) * h * h;
      possible = possible && value >= 0 && value <= 1;
    }
  }
  std::printf("mesh %d: %zu cells at the end, mass %.12f, error %.12f; %d threads, %.6f s\n", steps, cells,
              mass, error, omp_get_max_threads(), seconds);
  if (options != 0 && !draw(argv[2], mesh)) {
    std::perror(argv[2]);
    return 1;
  }
  // The disc is where it should be, has kept its mass, and has made neither peaks nor holes.
  const double disc = 0.0707;
  if (error > 0.1 * disc || std::fabs(mass - disc) > 0.02 * disc || !possible) {
    std::fputs("mesh: this is not the disc that was to move\n", stderr);
    return 1;
  }
  return 0;
}
