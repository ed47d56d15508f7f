// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Monte Carlo: neutrons fly through a slab of four materials until they are absorbed or get out. One that
// starts in the scatterer meets hundreds of atoms, one that starts in the gap hardly any. The tallies have
// the same bits for every schedule and number of threads: the numbers that a particle draws depend on the
// particle alone, each source writes to a place of its own, and wstree::sum adds up in an order of its own
// (parallel.hpp needs no library, only C++20).
//
//   clang++ -O2 -std=c++20 -fopenmp transport.cpp -o transport
//   OMP_SCHEDULE=guided ./transport -o transport.svg 4000
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <span>
#include <vector>
#include <wstree/parallel.hpp>

struct Material {
  const char* name;
  double end;        // in cm, from the left
  double collisions; // per cm
  double scattered;  // share of the collisions after which the neutron flies on
};
constexpr std::array<Material, 4> k_slab{
    {{"gap", 2, 0.05, 0.9}, {"scatterer", 6, 8, 0.995}, {"absorber", 7, 4, 0.2}, {"shield", 10, 1, 0.5}}};
constexpr int k_cells = 100;
constexpr double k_width = 10.0 / k_cells;
constexpr int k_particles = 20; // of one source

static const Material& material(int cell) {
  const double middle = (cell + 0.5) * k_width;
  return *std::find_if(k_slab.begin(), k_slab.end(), [=](const Material& m) { return middle < m.end; });
}

// Random numbers by a counter (splitmix64): what a source draws depends on its number only.
struct Random {
  std::uint64_t state;
  explicit Random(std::uint64_t source) : state(source << 32) {}
  double operator()() { // above 0, below 1
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (static_cast<double>((z ^ (z >> 31)) >> 12) + 0.5) * 0x1p-52;
  }
};

struct Tally {
  std::array<double, k_cells> absorbed{}; // counted where neutrons collide
  std::array<double, k_cells> expected{}; // the same by the length of their ways
  double escaped = 0;
};

// One neutron, whose weight falls by what is absorbed in each collision. The rest of it stays in the end.
static void follow(Tally& tally, int cell, Random& random) {
  double weight = 1, place = random(), direction = 2 * random() - 1; // place: in the cell, 0 to 1
  for (;;) {
    double depth = -std::log(random()); // to the next collision
    for (;;) {
      const Material& m = material(cell);
      const double way = (direction > 0 ? 1 - place : place) * k_width / std::fabs(direction);
      const double length = std::min(way, depth / m.collisions);
      tally.expected[cell] += weight * length * m.collisions * (1 - m.scattered);
      if (length < way) {
        place += direction * length / k_width;
        break;
      }
      depth -= way * m.collisions;
      cell += direction > 0 ? 1 : -1;
      place = direction > 0 ? 0 : 1;
      if (cell < 0 || cell == k_cells) {
        tally.escaped += weight;
        return;
      }
    }
    const double left = weight * material(cell).scattered;
    if (left < 1e-4) {
      tally.absorbed[cell] += weight;
      return;
    }
    tally.absorbed[cell] += weight - left;
    weight = left;
    direction = 2 * random() - 1;
  }
}

struct Figure {
  double sum, error; // of the sum, its standard deviation
};

// Absorbed in each cell, with two standard deviations, over the materials.
static bool draw(const char* file, const std::vector<Figure>& figures) {
  std::FILE* svg = std::fopen(file, "w");
  if (svg == nullptr) return false;
  double most = 0, begin = 0;
  for (const Figure& figure : figures) most = std::max(most, figure.sum + 2 * figure.error);
  std::fputs("<svg xmlns='http://www.w3.org/2000/svg' width='620' height='340' viewBox='0 0 620 340' "
             "font-family='sans-serif' "
             "font-size='13' text-anchor='middle'>\n<title>Neutrons absorbed in a slab</title>\n"
             "<rect width='620' height='340' fill='white'/>\n",
             svg);
  for (const Material& m : k_slab) {
    std::fprintf(svg, "<path d='M%g 30h%gv250h%gz' fill='#1b6ca8' fill-opacity='%.2f'/>\n", 60 + 54 * begin,
                 54 * (m.end - begin), -54 * (m.end - begin), 0.05 + 0.02 * m.collisions);
    std::fprintf(svg, "<text x='%g' y='22'>%s</text><text x='%g' y='300'>%g</text>\n",
                 60 + 27 * (begin + m.end), m.name, 60 + 54 * m.end, m.end);
    begin = m.end;
  }
  for (int cell = 0; cell < k_cells; ++cell) {
    const double x = 60 + 5.4 * (cell + 0.5), y = 280 - 240 * figures[cell].sum / most;
    const double reach = 480 * figures[cell].error / most;
    std::fprintf(svg, "<path d='M%.1f %.2fv%.2f' stroke='#b3401a'/><circle cx='%.1f' cy='%.2f' r='2'/>\n", x,
                 y - reach, 2 * reach, x, y);
  }
  std::fprintf(svg,
               "<path d='M60 280H600M60 280V30' stroke='black'/><text x='330' y='326'>cm</text>\n"
               "<text transform='translate(20 155) rotate(-90)'>absorbed neutrons per cell</text>\n"
               "<text x='54' y='44' text-anchor='end'>%.0f</text></svg>\n",
               most);
  return std::fclose(svg) == 0;
}

int main(int argc, char** argv) {
  const int options = argc > 2 && std::strcmp(argv[1], "-o") == 0 ? 2 : 0;
  const int sources = argc > 1 + options ? std::atoi(argv[1 + options]) : 4000;
  if (argc > 2 + options || sources < k_cells || sources > 1000000) {
    std::fprintf(stderr, "usage: transport [-o PICTURE.svg] [SOURCES, at least %d]\n", k_cells);
    return 2;
  }
  // A row for each cell, with one number from each source; those of the other estimate; what has escaped.
  const auto count = static_cast<std::size_t>(sources);
  std::vector<double> tallies((2 * k_cells + 1) * count);

  const double start = omp_get_wtime();
#pragma omp parallel for schedule(runtime)
  for (int source = 0; source < sources; ++source) {
    Tally tally;
    Random random(static_cast<std::uint64_t>(source));
    for (int particle = 0; particle < k_particles; ++particle)
      follow(tally, static_cast<int>(static_cast<long>(source) * k_cells / sources), random);
    double* to = tallies.data() + source;
    for (int cell = 0; cell < k_cells; ++cell) {
      to[cell * count] = tally.absorbed[cell];
      to[(k_cells + cell) * count] = tally.expected[cell];
    }
    to[2 * k_cells * count] = tally.escaped;
  }
  const double seconds = omp_get_wtime() - start;

  const auto row = [&](int number) { return std::span(tallies).subspan(number * count, count); };
  std::vector<Figure> figures;
  double absorbed = 0, expected = 0;
  for (int cell = 0; cell < k_cells; ++cell) {
    const double sum = wstree::sum(row(cell)), squares = wstree::inner_product(row(cell), row(cell), 0.0);
    figures.push_back({sum, std::sqrt(std::max(0.0, squares - sum * sum / sources))});
    absorbed += sum;
    expected += wstree::sum(row(k_cells + cell));
  }
  const double escaped = wstree::sum(row(2 * k_cells)), all = static_cast<double>(sources) * k_particles;
  std::printf("transport %d: %.17g absorbed, %.17g by ways, %.17g escaped; %d threads, %.6f s\n", sources,
              absorbed, expected, escaped, omp_get_max_threads(), seconds);
  if (options != 0 && !draw(argv[2], figures)) {
    std::perror(argv[2]);
    return 1;
  }
  // No neutron is lost, and two ways to count the absorbed ones agree as well as chance lets them.
  if (std::fabs(absorbed + escaped - all) > 1e-9 * all ||
      std::fabs(absorbed - expected) > 5 * std::sqrt(all)) {
    std::fputs("transport: the neutrons do not add up\n", stderr);
    return 1;
  }
  return 0;
}
