// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "workload.h"

#include "../../bench/workloads/cost_shapes.h"

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

Workload::Workload(std::string name, const std::vector<Stretch>& stretches)
    : name_(std::move(name)), sums_{0}, firsts_{0} {
  for (const Stretch& stretch : stretches) {
    sums_.push_back(sums_.back() + stretch.cost);
    firsts_.push_back(firsts_.back() + stretch.iterations);
    longest_ = std::max(longest_, (stretch.cost + stretch.iterations - 1) / stretch.iterations);
  }
}

Time Workload::within(std::uint64_t iteration) const {
  const auto next = std::upper_bound(firsts_.begin(), firsts_.end() - 1, iteration);
  const auto at = static_cast<std::size_t>(next - firsts_.begin()) - 1;
  if (iteration == firsts_[at]) return sums_[at];
  __extension__ using Wide = unsigned __int128;
  const Wide cost = sums_[at + 1] - sums_[at];
  return sums_[at] + static_cast<Time>(cost * (iteration - firsts_[at]) / (firsts_[at + 1] - firsts_[at]));
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
