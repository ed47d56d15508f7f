// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.h"

#include <algorithm>
#include <sstream>

namespace wstree::cli {

namespace {

constexpr std::size_t k_most_points = 160;

/// Neighbours together, so that a picture has enough of them and a page is small.
std::vector<CostPoint> thinned(const std::vector<CostPoint>& points) {
  if (points.size() <= k_most_points) return points;
  const double end = points.back().end;
  std::vector<CostPoint> thin(k_most_points);
  for (std::size_t i = 0; i < thin.size(); ++i) {
    thin[i].begin = end * static_cast<double>(i) / k_most_points;
    thin[i].end = end * static_cast<double>(i + 1) / k_most_points;
  }
  for (const auto& point : points) {
    auto first = static_cast<std::size_t>(point.begin / end * k_most_points);
    for (auto i = std::min(first, thin.size() - 1); i < thin.size() && thin[i].begin < point.end; ++i) {
      const double common = std::min(point.end, thin[i].end) - std::max(point.begin, thin[i].begin);
      if (common > 0) thin[i].seconds += point.seconds * common / (thin[i].end - thin[i].begin);
    }
  }
  return thin;
}

} // namespace

std::map<std::string, std::vector<CostPoint>> read_costs(std::string_view profile) {
  std::map<std::string, std::vector<CostPoint>> costs;
  std::istringstream text{std::string(profile)};
  std::vector<CostPoint>* loop = nullptr;
  int executions = 0;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("where ")) {
      loop = &costs[line.substr(6)];
      executions = loop->empty() ? 0 : 1; // of another number of iterations
    } else if (line.starts_with("execution ")) {
      ++executions;
    } else if (!line.empty() && line.front() >= '0' && line.front() <= '9' && loop != nullptr &&
               executions == 1) {
      std::istringstream piece(line);
      double begin = 0, count = 0, ns = 0;
      if (piece >> begin >> count >> ns && count > 0)
        loop->push_back({begin, begin + count, ns * 1e-9 / count});
    }
  }
  for (auto& [where, points] : costs) points = thinned(points);
  return costs;
}

} // namespace wstree::cli
