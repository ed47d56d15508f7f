// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decision whether one of two programs is faster, from times that were taken in turns. The two times of a
// round are compared with each other only, because load comes and goes; the median of all rounds counts,
// because some rounds are disturbed. Nothing is assumed of the noise but that it disturbs both alike: the
// interval is that of Wilcoxon's signed ranks, computed exactly.
#pragma once

#include <cstddef>
#include <vector>

namespace wstree::cli {

/// Confidence of an interval unless another one is given: one interval in a hundred leaves out the truth.
inline constexpr double k_confidence = 0.99;
/// Smaller differences are not worth a setting, however sure they are.
inline constexpr double k_smallest_difference = 0.01;

double median_of(std::vector<double> numbers);

/// The time of one program in units of the other's: 0.8 is a fifth faster.
struct Ratio {
  double middle = 1, low = 1, high = 1;
  bool enough = false; ///< there were enough rounds for an interval as sure as asked for

  /// Less time than the other, beyond doubt and by more than nothing.
  [[nodiscard]] bool is_faster() const { return enough && high < 1 && middle <= 1 - k_smallest_difference; }
  [[nodiscard]] bool is_slower() const { return enough && low > 1 && middle >= 1 + k_smallest_difference; }
  [[nodiscard]] bool is_same() const { return !is_faster() && !is_slower(); }
};

/// Returns the ratio of the positive times of the same rounds, with the fewer of the two sizes.
Ratio ratio_of(const std::vector<double>& times, const std::vector<double>& others,
               double confidence = k_confidence);

/// Returns the ratio of times that were taken on different days, each of one group with each of the other
/// (Mann and Whitney's ranks, exactly for up to a few thousand pairs; the middle is Hodges and Lehmann's).
Ratio ratio_of_groups(const std::vector<double>& times, const std::vector<double>& others,
                      double confidence = k_confidence);

/// Returns the indices of times that lie far from the median: by five robust standard deviations and by a
/// tenth of it. Fewer than five times have no outliers.
std::vector<std::size_t> outliers_of(const std::vector<double>& times);

/// The interval of the median of some times, without an assumption about them (order statistics).
struct Interval {
  double middle = 0, low = 0, high = 0;
};
Interval median_interval(std::vector<double> times, double confidence = k_confidence);

} // namespace wstree::cli
