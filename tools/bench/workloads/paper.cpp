// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The paper's cost distributions: a table of costs for each loop, or iterations of a few nanoseconds whose
/// cost is computed.
#include "cost_shapes.h"
#include "recipes.h"
#include <array>
#include <cstdio>

namespace bench {
namespace {

/// Iterations whose cost is looked up. Every shape is a loop of its own in the machine code, as the loops of
/// a program are: the costs of one of them must not be taken for another's.
template <int Shape> struct Listed {
  const std::uint32_t* units;
  std::uint64_t operator()(int i) const { return spin(static_cast<std::uint64_t>(i), units[i]); }
};

/// One unit an iteration, about a nanosecond or less: the loop that shows the cost of handing out iterations.
struct OneUnit {
  std::uint64_t operator()(int i) const { return spin(static_cast<std::uint64_t>(i), 1); }
};

/// One unit, but one in a thousand costs 1000 times that.
struct RareUnit {
  std::uint64_t operator()(int i) const {
    const auto u = static_cast<std::uint64_t>(i);
    return (u * 0x9E3779B97F4A7C15u) >> 32 < (1ULL << 32) / 1000 ? spin(u, 1000) : spin(u, 1);
  }
};

/// One unit, but the last thousandth costs 200 times that.
struct LateUnit {
  int from;
  std::uint64_t operator()(int i) const {
    const auto u = static_cast<std::uint64_t>(i);
    return i >= from ? spin(u, 200) : spin(u, 1);
  }
};

/// One unit, but the first quarter costs 26 times that: most of the work lies in the first chunks of a
/// schedule whose chunks shrink.
struct EarlyUnit {
  int until;
  std::uint64_t operator()(int i) const {
    const auto u = static_cast<std::uint64_t>(i);
    if (i >= until) return one_unit(u);
    return spin(u, 26);
  }
};

/// One to four units, rising.
struct RisingUnit {
  int n;
  std::uint64_t operator()(int i) const {
    const auto u = static_cast<std::uint64_t>(i);
    return spin(u, 1 + u * 4 / static_cast<std::uint64_t>(n));
  }
};

struct Costs {
  std::shared_ptr<std::vector<std::uint32_t>> units = std::make_shared<std::vector<std::uint32_t>>();
  double longest_share = 0;
};

/// Units for each iteration, `work_ms` in all.
template <class Weight> Costs costs_of(const Weight& weight, int n, double work_ms) {
  std::vector<double> weights(static_cast<std::size_t>(n));
  double all = 0;
  for (int i = 0; i < n; ++i) all += weights[static_cast<std::size_t>(i)] = weight(i, n);
  const double units_per_weight = work_ms * 1e6 / k_ns_per_unit / all;
  Costs made;
  double total = 0, longest = 0;
  for (const double w : weights) {
    const double count = std::max(1.0, std::round(w * units_per_weight));
    made.units->push_back(static_cast<std::uint32_t>(count));
    total += count;
    longest = std::max(longest, count);
  }
  made.longest_share = longest / total;
  return made;
}

struct Size {
  const char* suffix;
  int n;
  double work_ms; ///< milliseconds of one loop
  int loops;      ///< a pass
};
constexpr Size k_paper_sizes[] = {{"/16", 16, 10, 1},       {"/1k", 1000, 10, 1},
                                  {"/100k", 100000, 10, 1}, {"/16/1ms", 16, 1, 1},
                                  {"/1k/1ms", 1000, 1, 1},  {"/100k/1ms", 100000, 1, 1}};
// Repeated, as loops of this size are in programs: a region on its own is as much a matter of waking threads.
constexpr Size k_small_sizes[] = {{"/16/100us", 16, 0.1, 10},
                                  {"/1k/100us", 1000, 0.1, 10},
                                  {"/16/20us", 16, 0.02, 50},
                                  {"/1k/20us", 1000, 0.02, 50}};

using MakeLoop = Workload (*)(const std::string& name, Group group, int n, const Costs& costs);

template <int Shape> Workload make_loop(const std::string& name, Group group, int n, const Costs& costs) {
  return single_loop(name, group, n, costs.longest_share, Listed<Shape>{costs.units->data()}, costs.units);
}

/// Returns a function for each shape.
template <int... Shape> constexpr auto loops_of(std::integer_sequence<int, Shape...>) {
  return std::array<MakeLoop, sizeof...(Shape)>{make_loop<Shape>...};
}
constexpr int k_shape_count = static_cast<int>(std::size(k_cost_shapes));
constexpr auto k_make_loop = loops_of(std::make_integer_sequence<int, k_shape_count>());

/// Adds all shapes of one size.
void add_shapes(Recipes& list, Group group, const Size& size, double scale) {
  // With less work there are fewer loops, too.
  const int loops = size.loops == 1 ? 1 : scaled(size.loops, std::min(1.0, scale), 1);
  for (std::size_t k = 0; k < std::size(k_cost_shapes); ++k)
    list.push_back({std::string(k_cost_shapes[k].name) + size.suffix, group, [=](const std::string& name) {
                      const Costs costs = costs_of(k_cost_shapes[k].weight, size.n, size.work_ms * scale);
                      Workload made = k_make_loop[k](name, group, size.n, costs);
                      return loops == 1 ? made : repeated(std::move(made), loops);
                    }});
}

/// Loops whose iterations are too cheap for a table of costs.
void add_cheap(Recipes& list, double scale) {
  const int many = scaled(10'000'000, scale, 1000), fewer = scaled(1'000'000, scale, 1000);
  const auto add = [&list](const char* name, int n, double longest_share, const auto& body) {
    list.push_back({name, Group::paper, [=](const std::string& own) {
                      return single_loop(own, Group::paper, n, std::min(1.0, longest_share), body);
                    }});
  };
  add("UNIFORM/10M", many, 1.0 / many, OneUnit{});
  add("RANDIF/10M", many, 667.0 / many, RareUnit{});
  add("STEP_E/10M", many, 286.0 / many, LateUnit{many - many / 1000});
  add("STEP_S/1M", fewer, 4.0 / fewer, EarlyUnit{fewer / 4});
  add("TRIANGLE/1M", fewer, 2.0 / fewer, RisingUnit{fewer});
}

std::string grid_name(GridPlace place) {
  char name[32];
  std::snprintf(name, sizeof name, "STEP/p%02ds%02d", place.position, place.span);
  return name;
}

Workload grid_workload(const std::string& name, GridPlace place, double scale) {
  // Schedulers that remember a loop tell these workloads apart by the number of iterations: they are one loop
  // in the code.
  const int n = 20'000 + place.position * (k_grid_side + 1) + place.span;
  const double span = static_cast<double>(place.span) / k_grid_side;
  const double from = (1 - span) * place.position / (k_grid_side - 1);
  const auto weight = [=](int i, int count) { return step_at(i, count, from, span); };
  const Costs costs = costs_of(weight, n, 2 * scale);
  return make_loop<-1>(name, Group::grid, n, costs);
}

} // namespace

void add_paper(Recipes& list, double scale) {
  for (const Size& size : k_paper_sizes) add_shapes(list, Group::paper, size, scale);
  add_cheap(list, scale);
}

void add_small(Recipes& list, double scale) {
  for (const Size& size : k_small_sizes) add_shapes(list, Group::small, size, scale);
}

void add_grid(Recipes& list, double scale) {
  for (int position = 0; position < k_grid_side; ++position)
    for (int span = 1; span <= k_grid_side; ++span)
      list.push_back({grid_name({position, span}), Group::grid, [=](const std::string& name) {
                        return grid_workload(name, {position, span}, scale);
                      }});
}

GridPlace grid_place(const std::string& name) {
  GridPlace place{-1, 0};
  if (std::sscanf(name.c_str(), "STEP/p%2ds%2d", &place.position, &place.span) != 2) return {-1, 0};
  return place;
}

} // namespace bench
