// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inputs.h"

#include <algorithm>

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

std::vector<CostPoint> costs_of(const simulate::RecordedLoop& loop) {
  std::vector<CostPoint> points;
  for (const auto& piece : loop.executions.front().pieces) {
    const auto count = static_cast<double>(piece.end - piece.begin);
    points.push_back(
        {static_cast<double>(piece.begin), static_cast<double>(piece.end), piece.ns * 1e-9 / count});
  }
  return thinned(points);
}

} // namespace wstree::cli
