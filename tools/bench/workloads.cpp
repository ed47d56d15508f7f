// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workloads.h"
#include "cost_shapes.h"
#include <algorithm>
#include <cmath>

namespace bench {
namespace {

/// Iterations whose cost is looked up.
struct Listed {
  const std::uint32_t* units;
  std::uint64_t operator()(int i) const { return spin(static_cast<std::uint64_t>(i), units[i]); }
};

/// One unit an iteration, about a nanosecond or less: the loop that shows what handing out iterations costs.
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

/// Escape times over (-2,-2)-(32,32): nearly all points leave at once, the few that stay lie together at the
/// start.
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

/// One element of the product of two lower triangular integer matrices.
struct TriangularProduct {
  int side;
  const std::uint32_t *left, *right; ///< right is stored transposed
  std::uint64_t operator()(int i) const {
    const int row = i / side, column = i % side;
    std::uint64_t sum = 0;
    for (int k = column; k <= row; ++k) sum += std::uint64_t{left[row * side + k]} * right[column * side + k];
    return sum;
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

template <class Body>
Workload workload(const std::string& name, Group group, int n, double longest_share, const Body& body) {
  return {name,
          group,
          false,
          longest_share,
          [n, body](Form form, int threads) { return loop(form, n, threads, body); },
          [n, body] { return loop_plain(n, body); },
          n,
          1,
          [body](int begin, int end) { return loop_part(begin, end, body); }};
}

/// `loops` loops of `n` iterations, a region each; `units` make the iteration.
struct FewUnits {
  std::uint64_t units;
  std::uint64_t operator()(int i) const { return spin(static_cast<std::uint64_t>(i), units); }
};
Workload short_loops(const std::string& name, int loops, int n) {
  const FewUnits body{8};
  return {name,
          Group::program,
          true,
          1.0 / n,
          [=](Form form, int threads) {
            std::uint64_t sum = 0;
            for (int k = 0; k < loops; ++k) sum += loop(form, n, threads, body);
            return sum;
          },
          [=] { return static_cast<std::uint64_t>(loops) * loop_plain(n, body); },
          n,
          loops,
          [body](int begin, int end) { return loop_part(begin, end, body); }};
}

Workload shaped(const std::string& name, Weight weight, int n, double work_ms) {
  std::vector<double> weights(static_cast<std::size_t>(n));
  double all = 0;
  for (int i = 0; i < n; ++i) all += weights[static_cast<std::size_t>(i)] = weight(i, n);
  const double units_per_weight = work_ms * 1e6 / k_ns_per_unit / all;
  // Shared with the loop bodies: a workload is copied when it is stored.
  auto units = std::make_shared<std::vector<std::uint32_t>>();
  double total = 0, longest = 0;
  for (const double w : weights) {
    const double count = std::max(1.0, std::round(w * units_per_weight));
    units->push_back(static_cast<std::uint32_t>(count));
    total += count;
    longest = std::max(longest, count);
  }
  const Listed body{units->data()};
  Workload made = workload(name, Group::paper, n, longest / total, body);
  made.plain = [units, n, body] { return loop_plain(n, body); };
  return made;
}

Workload triangular_product(const std::string& name, int side) {
  const auto entries = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
  auto data = std::make_shared<std::vector<std::uint32_t>>(2 * entries);
  for (std::size_t k = 0; k < data->size(); ++k) (*data)[k] = static_cast<std::uint32_t>(scatter(k) >> 40);
  const TriangularProduct body{side, data->data(), data->data() + entries};
  // side^3/6 multiplications in all, `side` for the corner element
  const double longest = 6.0 / side / side;
  Workload made = workload(name, Group::program, side * side, longest, body);
  made.plain = [data, side, body] { return loop_plain(side * side, body); };
  return made;
}

Workload mandelbrot(const std::string& name, int side) {
  const Mandelbrot body{side, 1500};
  double total = 0;
  for (int i = 0; i < side * side; ++i) total += static_cast<double>(body(i));
  return workload(name, Group::program, side * side, body.limit / total, body);
}

} // namespace

std::vector<WorkloadRecipe> all_workloads(double scale) {
  std::vector<WorkloadRecipe> list;
  const auto add = [&list](std::string name, auto make) { list.push_back({std::move(name), make}); };
  struct Size {
    const char* suffix;
    int n;
    double work_ms;
  };
  static constexpr Size k_sizes[] = {{"/16", 16, 10},    {"/1k", 1000, 10},    {"/100k", 100000, 10},
                                     {"/16/1ms", 16, 1}, {"/1k/1ms", 1000, 1}, {"/100k/1ms", 100000, 1}};
  for (const Size& size : k_sizes)
    for (const CostShape& shape : k_cost_shapes)
      add(std::string(shape.name) + size.suffix, [&shape, &size, scale](const std::string& name) {
        return shaped(name, shape.weight, size.n, size.work_ms * scale);
      });
  const int many = std::max(1000, static_cast<int>(10e6 * scale));
  add("UNIFORM/10M",
      [many](const std::string& name) { return workload(name, Group::paper, many, 1.0 / many, OneUnit{}); });
  add("RANDIF/10M", [many](const std::string& name) {
    return workload(name, Group::paper, many, std::min(1.0, 667.0 / many), RareUnit{});
  });
  add("STEP_E/10M", [many](const std::string& name) {
    return workload(name, Group::paper, many, std::min(1.0, 286.0 / many), LateUnit{many - many / 1000});
  });
  const double root = std::sqrt(scale);
  add("MANDEL", [=](const std::string& name) { return mandelbrot(name, static_cast<int>(400 * root)); });
  add("TRIMM", [=](const std::string& name) {
    return triangular_product(name, std::max(16, static_cast<int>(320 * root)));
  });
  add("PRIMES", [=](const std::string& name) {
    return workload(name, Group::program, static_cast<int>(200000 * scale), 1e-5, IsPrime{});
  });
  add("SHORT100", [=](const std::string& name) {
    return short_loops(name, std::max(1, static_cast<int>(1000 * scale)), 100);
  });
  add("SHORT1000", [=](const std::string& name) {
    return short_loops(name, std::max(1, static_cast<int>(200 * scale)), 1000);
  });
  return list;
}

} // namespace bench
