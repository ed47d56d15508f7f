// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The distribution of the cost over the iterations of a loop: the paper's workloads, for the benchmark and
/// for the simulator.
#pragma once
#include "../measure/kernel.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace bench {

using Weight = double (*)(int i, int n);

inline double position(int i, int n) { return (i + 0.5) / n; }

/// Returns a number of the standard normal distribution, by Box and Muller from two numbers that depend on
/// `i` alone.
inline double normal(int i) {
  const auto unit = [](std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; };
  const auto u = static_cast<std::uint64_t>(i);
  return std::sqrt(-2 * std::log(unit(scatter(2 * u)))) *
         std::cos(2 * std::numbers::pi * unit(scatter(2 * u + 1)));
}

inline double uniform(int, int) { return 1; }
inline double triangle(int i, int n) { return position(i, n); }
inline double inv_triangle(int i, int n) { return 1 - position(i, n); }
inline double parabola(int i, int n) { return position(i, n) * position(i, n); }
inline double hill(int i, int n) { return std::max(0.02, std::sin(std::numbers::pi * position(i, n))); }
inline double valley(int i, int n) { return 1.02 - std::sin(std::numbers::pi * position(i, n)); }
inline double exponential(int i, int n) { return std::exp(10 * position(i, n)); }
inline double gaussian(int i, int) { return std::max(0.05, 1 + 0.3 * normal(i)); }
// Every hundredth on average costs 1000 times as much; a loop of fewer has exactly one such iteration.
inline double rand_if(int i, int n) {
  const bool expensive = n < 100 ? i == n / 3 : scatter(static_cast<std::uint64_t>(i)) % 100 == 0;
  return expensive ? 1000 : 1;
}
inline double step_start(int i, int n) { return position(i, n) < 0.25 ? 100 : 1; }
inline double step_middle(int i, int n) { return std::abs(position(i, n) - 0.5) < 0.125 ? 100 : 1; }
inline double step_end(int i, int n) { return position(i, n) >= 0.75 ? 100 : 1; }

/// Returns the cost in the paper's STEP: an interval costs 100 times as much, from `from` on and `span` long,
/// both in parts of the loop.
inline double step_at(int i, int n, double from, double span) {
  const double at = position(i, n);
  return at >= from && at < from + span ? 100 : 1;
}

struct CostShape {
  const char* name;
  Weight weight;
};
inline constexpr CostShape k_cost_shapes[] = {
    {"UNIFORM", uniform}, {"TRIANGLE", triangle}, {"INVTRIANGLE", inv_triangle}, {"PARABOLA", parabola},
    {"HILL", hill},       {"VALLEY", valley},     {"EXP", exponential},          {"GAUSSIAN", gaussian},
    {"RANDIF", rand_if},  {"STEP_S", step_start}, {"STEP_M", step_middle},       {"STEP_E", step_end},
};

} // namespace bench
