// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "paired.h"

#include <algorithm>
#include <cmath>

namespace wstree::cli {

namespace {

/// Returns how many of the sums of signed ranks, counted from the smallest, may be left out on each side of
/// the interval.
std::size_t ranks_to_leave_out(std::size_t count, double confidence) {
  // ways[s]: the share of all choices of signs whose positive ranks have the sum s.
  std::vector<double> ways(count * (count + 1) / 2 + 1, 0.0);
  ways[0] = 1;
  std::size_t most = 0;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    most += rank;
    for (std::size_t sum = most + 1; sum-- > 0;)
      ways[sum] = 0.5 * (ways[sum] + (sum >= rank ? ways[sum - rank] : 0));
  }
  const double each_side = (1 - confidence) / 2;
  std::size_t left_out = 0;
  for (double sum = ways[0]; sum <= each_side && left_out < ways.size() / 2; sum += ways[++left_out]) {
  }
  return left_out;
}

/// Returns how many pairs of two groups may be left out on each side of the interval.
std::size_t pairs_to_leave_out(std::size_t count, std::size_t others, double confidence) {
  constexpr double k_exact = 4096; // pairs; the normal distribution is as good beyond
  const double each_side = (1 - confidence) / 2, pairs = static_cast<double>(count * others);
  if (pairs > k_exact) {
    constexpr double k_enough_halvings = 60;
    double low = -9, high = 0; // bounds of the quantile
    for (int i = 0; i < k_enough_halvings; ++i)
      (std::erfc(-(low + high) / 2 / std::sqrt(2.0)) / 2 <= each_side ? low : high) = (low + high) / 2;
    const double deviation = std::sqrt(pairs * static_cast<double>(count + others + 1) / 12);
    return static_cast<std::size_t>(std::max(0.0, pairs / 2 + low * deviation));
  }
  // ways[u]: the number of orders in which u pairs lie the other way round, as a share of all orders. It is
  // the product of (1 - q^(others + i)) / (1 - q^i) in powers of q.
  std::vector<long double> ways(count * others + 1, 0.0L);
  ways[0] = 1;
  for (std::size_t i = 1; i <= count; ++i) {
    for (std::size_t u = ways.size(); u-- > others + i;) ways[u] -= ways[u - others - i];
    for (std::size_t u = i; u < ways.size(); ++u) ways[u] += ways[u - i];
    for (auto& way : ways) way *= static_cast<long double>(i) / static_cast<long double>(others + i);
  }
  std::size_t left_out = 0;
  for (long double sum = ways[0]; sum <= each_side && left_out < ways.size() / 2; sum += ways[++left_out]) {
  }
  return left_out;
}

} // namespace

double median_of(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::sort(numbers.begin(), numbers.end());
  const auto half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

Ratio ratio_of(const std::vector<double>& times, const std::vector<double>& others, double confidence) {
  Ratio ratio;
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(times.size(), others.size()); ++i)
    if (times[i] > 0 && others[i] > 0) logs.push_back(std::log(times[i] / others[i]));
  if (logs.empty()) return ratio;
  std::vector<double> means; // means of all pairs, and of each with itself
  for (std::size_t i = 0; i < logs.size(); ++i)
    for (std::size_t k = i; k < logs.size(); ++k) means.push_back((logs[i] + logs[k]) / 2);
  std::sort(means.begin(), means.end());
  const auto left_out = ranks_to_leave_out(logs.size(), confidence);
  ratio.enough = left_out > 0;
  const auto first = left_out > 0 ? left_out - 1 : 0;
  ratio.middle = std::exp(median_of(means));
  ratio.low = std::exp(means[first]);
  ratio.high = std::exp(means[means.size() - 1 - first]);
  return ratio;
}

Ratio ratio_of_groups(const std::vector<double>& times, const std::vector<double>& others,
                      double confidence) {
  Ratio ratio;
  std::vector<double> logs;
  for (const double time : times)
    for (const double other : others)
      if (time > 0 && other > 0) logs.push_back(std::log(time / other));
  if (logs.size() != times.size() * others.size() || logs.empty()) return ratio;
  std::sort(logs.begin(), logs.end());
  const auto left_out = pairs_to_leave_out(times.size(), others.size(), confidence);
  ratio.enough = left_out > 0;
  const auto first = left_out > 0 ? left_out - 1 : 0;
  ratio.middle = std::exp(median_of(logs));
  ratio.low = std::exp(logs[first]);
  ratio.high = std::exp(logs[logs.size() - 1 - first]);
  return ratio;
}

std::vector<std::size_t> outliers_of(const std::vector<double>& times) {
  constexpr std::size_t k_fewest = 5;
  constexpr double k_of_a_normal = 1.4826; // standard deviations in a median distance from the median
  constexpr double k_far = 5, k_least = 0.1;
  if (times.size() < k_fewest) return {};
  const double middle = median_of(times);
  std::vector<double> distances;
  for (const double time : times) distances.push_back(std::abs(time - middle));
  const double limit = std::max(k_far * k_of_a_normal * median_of(distances), k_least * middle);
  std::vector<std::size_t> outliers;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (distances[i] > limit) outliers.push_back(i);
  return outliers;
}

Interval median_interval(std::vector<double> times, double confidence) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  const auto count = times.size();
  // As many on each side are left out as may lie on one side of the median by chance.
  const double each_side = (1 - confidence) / 2;
  double ways = std::pow(0.5, static_cast<double>(count)), sum = 0;
  std::size_t left_out = 0;
  while (left_out < (count - 1) / 2 && sum + ways <= each_side) {
    sum += ways;
    ways *= static_cast<double>(count - left_out) / static_cast<double>(left_out + 1);
    ++left_out;
  }
  const auto first = left_out > 0 ? left_out - 1 : 0;
  return {median_of(times), times[first], times[count - 1 - first]};
}

} // namespace wstree::cli
