// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Small programs of one loop, and loops too short for two threads.
#include "recipes.h"

namespace bench {
namespace {

/// Escape times over (-2,-2)-(32,32): nearly all points leave at once, the few that stay lie together
/// at the start.
struct Mandelbrot {
  int side, limit;
  std::uint64_t operator()(int i) const {
    const double cx = -2 + 34.0 * (i % side) / side, cy = -2 + 34.0 * (i / side) / side;
    double x = 0, y = 0;
    int k = 0;
    for (; k < limit && x * x + y * y <= 4; ++k) {
      const double next = x * x - y * y + cx;
      y = 2 * x * y + cy;
      x = next;
    }
    return static_cast<std::uint64_t>(k);
  }
};

/// Primality by trial division.
struct IsPrime {
  std::uint64_t operator()(int i) const {
    if (i < 4) return i >= 2;
    if (i % 2 == 0) return 0;
    for (int d = 3; d * d <= i; d += 2)
      if (i % d == 0) return 0;
    return 1;
  }
};

/// A loop with the same few units in every iteration, one loop for each length.
template <int Length> struct FewUnits {
  std::uint64_t units;
  std::uint64_t operator()(int i) const { return spin(static_cast<std::uint64_t>(i), units); }
};

Workload mandelbrot(const std::string& name, int side) {
  const Mandelbrot body{side, 1500};
  double total = 0;
  for (int i = 0; i < side * side; ++i) total += static_cast<double>(body(i));
  return single_loop(name, Group::program, side * side, body.limit / total, body);
}

template <int Length> Workload short_loops(const std::string& name, int loops) {
  Workload made =
      repeated(single_loop(name, Group::program, Length, 1.0 / Length, FewUnits<Length>{8}), loops);
  made.is_short = true;
  return made;
}

} // namespace

void add_programs(Recipes& list, double scale) {
  const auto add = [&list](const char* name, auto make) { list.push_back({name, Group::program, make}); };
  add("MANDEL", [=](const std::string& name) { return mandelbrot(name, scaled(400, std::sqrt(scale), 4)); });
  add("PRIMES", [=](const std::string& name) {
    return single_loop(name, Group::program, scaled(200'000, scale, 100), 1e-5, IsPrime{});
  });
  add("SHORT100", [=](const std::string& name) { return short_loops<100>(name, scaled(1000, scale, 1)); });
  add("SHORT1000", [=](const std::string& name) { return short_loops<1000>(name, scaled(200, scale, 1)); });
}

} // namespace bench
