// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Ray casting: mirrors of glass above a floor, one light. A pixel of the sky costs one ray, one that sees
/// spheres in spheres many.
#include "recipes.h"
#include <array>

namespace bench {
namespace {

struct Vector {
  double x, y, z;
  friend Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector operator*(double f, Vector a) { return {f * a.x, f * a.y, f * a.z}; }
  friend double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};
Vector unit(Vector a) { return 1 / std::sqrt(dot(a, a)) * a; }

struct Sphere {
  Vector centre;
  double radius;
};

struct Scene {
  static constexpr int k_spheres = 24;
  std::array<Sphere, k_spheres> spheres;

  /// Returns the distance to the nearest sphere along a ray of unit length, and stores its number in `which`;
  /// -1: none.
  double nearest(Vector from, Vector along, int& which) const {
    double least = 1e30;
    which = -1;
    for (int k = 0; k < k_spheres; ++k) {
      const Sphere& sphere = spheres[static_cast<std::size_t>(k)];
      const Vector to = sphere.centre - from;
      const double middle = dot(to, along);
      const double inside = sphere.radius * sphere.radius - dot(to, to) + middle * middle;
      if (inside <= 0) continue;
      const double distance = middle - std::sqrt(inside);
      if (distance > 1e-6 && distance < least) least = distance, which = k;
    }
    return least;
  }
};

/// The brightness of one pixel.
struct Pixel {
  const Scene* scene;
  int width, height;

  double lit(Vector at, Vector normal) const {
    const Vector light = unit({-4, 9, -6});
    int shadow = -1;
    scene->nearest(at, light, shadow);
    return 0.1 + (shadow < 0 ? std::max(0.0, 0.9 * dot(normal, light)) : 0);
  }

  std::uint64_t operator()(int i) const {
    constexpr int k_reflections = 8;
    Vector from{0, 2, -8};
    Vector along = unit({(i % width - width / 2.0) / height, (height / 2.0 - i / width) / height, 1.2});
    double brightness = 0, weight = 1;
    for (int k = 0; k < k_reflections; ++k) {
      int which = -1;
      double distance = scene->nearest(from, along, which);
      Vector normal{0, 1, 0};
      if (which < 0) {
        // The floor at height zero does not reflect, the sky needs no light.
        const bool floor = along.y < 0;
        const Vector at = from + (floor ? -from.y / along.y : 0.0) * along;
        brightness += weight * (floor ? lit(at, normal) : 0.5 + 0.5 * along.y);
        break;
      }
      const Sphere& sphere = scene->spheres[static_cast<std::size_t>(which)];
      from = from + distance * along;
      normal = 1 / sphere.radius * (from - sphere.centre);
      brightness += weight * 0.3 * lit(from, normal);
      weight *= 0.7;
      along = along - 2 * dot(along, normal) * normal;
    }
    return fingerprint(static_cast<std::size_t>(i), brightness);
  }
};

Workload rays(const std::string& name, int width, int height) {
  auto scene = std::make_shared<Scene>();
  for (int k = 0; k < Scene::k_spheres; ++k) {
    const auto seed = static_cast<std::uint64_t>(k) * 4;
    const double radius = 0.3 + 0.6 * uniform_of(seed);
    scene->spheres[static_cast<std::size_t>(k)] = {
        {8 * uniform_of(seed + 1) - 4, radius + 1.5 * uniform_of(seed + 2), 6 * uniform_of(seed + 3)},
        radius};
  }
  const Pixel body{scene.get(), width, height};
  return single_loop(name, Group::program, width * height, 8.0 / (width * height), body, scene);
}

} // namespace

void add_rays(Recipes& list, double scale) {
  const double root = std::sqrt(scale);
  list.push_back({"RAYS", Group::program, [=](const std::string& name) {
                    return rays(name, scaled(240, root, 16), scaled(180, root, 12));
                  }});
}

} // namespace bench
