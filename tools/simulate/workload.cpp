// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workload.h"

#include "../bench/cost_shapes.h"

#include <algorithm>
#include <utility>

namespace wstree::simulate {

namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

} // namespace

Workload::Workload(std::string name, std::uint64_t iterations, Time work,
                   const std::function<double(std::uint64_t)>& weight)
    : name_(std::move(name)), sums_(iterations + 1) {
  std::vector<double> weights(iterations);
  double all = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) all += weights[i] = weight(i);
  const double scale = static_cast<double>(work) / all;
  double sum = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    sums_[i + 1] = static_cast<Time>((sum += weights[i]) * scale);
    longest_ = std::max(longest_, sums_[i + 1] - sums_[i]);
  }
}

Time Workload::ideal(std::uint32_t members) const {
  return std::max({(sums_.back() + members - 1) / members, longest_, Time{1}});
}

std::vector<std::string_view> shape_names() {
  std::vector<std::string_view> names;
  for (const auto& shape : bench::k_cost_shapes) names.emplace_back(shape.name);
  return names;
}

std::optional<Workload> make_workload(std::string_view name, std::uint64_t iterations, Time work) {
  for (const auto& shape : bench::k_cost_shapes) {
    const std::string_view known = shape.name;
    if (!std::ranges::equal(known, name, {}, {}, upper)) continue;
    const int n = static_cast<int>(iterations);
    return Workload(std::string(known), iterations, work,
                    [&](std::uint64_t i) { return shape.weight(static_cast<int>(i), n); });
  }
  return std::nullopt;
}

} // namespace wstree::simulate
