// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Forces between the stars of two clusters by the method of Barnes and Hut: far groups count as one body.
/// Bodies lie in the order of the tree, so that the dense places, where a body meets most others, are
/// stretches of the loop.
#include "recipes.h"
#include <array>
#include <numbers>

namespace bench {
namespace {

using Point = std::array<double, 3>;

/// A cube of the octree. They are stored depth first: the next one is the first inside, `skip` the first that
/// is not inside.
struct Cube {
  Point centre; ///< centre of mass
  double mass, side;
  int skip;
  bool is_body;
};

class Octree {
public:
  explicit Octree(std::vector<Point> bodies) : bodies_(std::move(bodies)) {
    build(0, bodies_.size(), {0, 0, 0}, k_side);
  }
  const std::vector<Point>& bodies() const { return bodies_; }
  const std::vector<Cube>& cubes() const { return cubes_; }

  /// All bodies lie within half of it around the origin.
  static constexpr double k_side = 32;

private:
  static unsigned octant(const Point& at, const Point& middle) {
    return (at[0] >= middle[0] ? 1u : 0u) | (at[1] >= middle[1] ? 2u : 0u) | (at[2] >= middle[2] ? 4u : 0u);
  }

  /// Builds the tree of the bodies from `begin` to `end`, in a cube around `middle`; puts them into the order
  /// of the tree.
  void build(std::size_t begin, std::size_t end, const Point& middle, double side) {
    const std::size_t own = cubes_.size();
    cubes_.push_back({{0, 0, 0}, static_cast<double>(end - begin), side, 0, end - begin == 1});
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t d = 0; d < 3; ++d) cubes_[own].centre[d] += bodies_[k][d] / cubes_[own].mass;
    if (end - begin > 1) {
      const auto first = bodies_.begin() + static_cast<std::ptrdiff_t>(begin);
      std::sort(first, bodies_.begin() + static_cast<std::ptrdiff_t>(end),
                [&](const Point& a, const Point& b) { return octant(a, middle) < octant(b, middle); });
      for (std::size_t from = begin; from < end;) {
        const unsigned part = octant(bodies_[from], middle);
        std::size_t to = from;
        while (to < end && octant(bodies_[to], middle) == part) ++to;
        Point inner = middle;
        for (std::size_t d = 0; d < 3; ++d) inner[d] += (part >> d & 1 ? side : -side) / 4;
        build(from, to, inner, side / 2);
        from = to;
      }
    }
    cubes_[own].skip = static_cast<int>(cubes_.size());
  }

  std::vector<Point> bodies_;
  std::vector<Cube> cubes_;
};

/// The force on one body.
struct Force {
  const Point* bodies;
  const Cube* cubes;
  int count;
  std::uint64_t operator()(int i) const {
    constexpr double k_angle = 0.5, k_softening = 1e-4;
    const Point own = bodies[i];
    Point force{};
    for (int c = 0; c < count;) {
      const Cube& cube = cubes[c];
      const double x = cube.centre[0] - own[0], y = cube.centre[1] - own[1], z = cube.centre[2] - own[2];
      const double square = x * x + y * y + z * z;
      if (!cube.is_body && cube.side * cube.side > k_angle * k_angle * square) {
        ++c;
        continue;
      }
      const double strength = cube.mass / ((square + k_softening) * std::sqrt(square + k_softening));
      force[0] += strength * x, force[1] += strength * y, force[2] += strength * z;
      c = cube.skip;
    }
    const auto place = static_cast<std::size_t>(i) * 3;
    return fingerprint(place, force[0]) + fingerprint(place + 1, force[1]) + fingerprint(place + 2, force[2]);
  }
};

/// Returns two clusters by Plummer's model, dense in the middle and thin far outside: a small one beside a
/// wide one. No two bodies are in the same place.
std::vector<Point> clusters(int count) {
  std::vector<Point> made;
  for (int i = 0; i < count; ++i) {
    const bool small = i < count / 2;
    const auto seed = static_cast<std::uint64_t>(i) * 3;
    const double u = 0.01 + 0.98 * uniform_of(seed);
    const double radius = (small ? 0.1 : 1.0) / std::sqrt(std::pow(u, -2.0 / 3) - 1);
    const double z = 2 * uniform_of(seed + 1) - 1, around = 2 * std::numbers::pi * uniform_of(seed + 2);
    const double beside = std::sqrt(1 - z * z), from = small ? 3 : 0;
    made.push_back({from + radius * beside * std::cos(around), from + radius * beside * std::sin(around),
                    from + radius * z});
  }
  return made;
}

Workload bodies(const std::string& name, int count) {
  auto tree = std::make_shared<const Octree>(clusters(count));
  const Force body{tree->bodies().data(), tree->cubes().data(), static_cast<int>(tree->cubes().size())};
  // No body can meet more than all the others; few meet more than a fifth of them.
  return single_loop(name, Group::program, count, 4.0 / count, body, tree);
}

} // namespace

void add_bodies(Recipes& list, double scale) {
  list.push_back({"NBODY", Group::program,
                  [=](const std::string& name) { return bodies(name, scaled(1500, scale, 64)); }});
}

} // namespace bench
